// The nats.c 3.x API (Debian: libnats-dev), and what C libraries do not spell alike.
#include <nats/nats.h>
#include <pthread.h>
#include <stdint.h>

/// Tells the threads that are alive apart; never 0. `pthread_t` is a number here and a pointer there.
static inline uintptr_t starling_current_thread(void) {
  return (uintptr_t)pthread_self();
}
