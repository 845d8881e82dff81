// The nats.c 3.x API (Debian: libnats-dev), and what C libraries do not spell alike.
#include <nats/nats.h>
#include <unistd.h>

static inline int starling_process_id(void) {
  return (int)getpid();
}

/// POSIX: a name that was cut need not end with a zero. 0 if there is one.
static inline int starling_host_name(char *name, size_t count) {
  name[count - 1] = 0;
  return gethostname(name, count - 1);
}
