// What the graph keeps for each thread: a C thread-local is read in about a nanosecond, a task-local in twelve.
#ifndef STARLING_THREAD_H
#define STARLING_THREAD_H

#include <stdint.h>

// All zeros on a new thread. Touched by its own thread alone.
struct starling_thread_state {
  void *_Nullable reader;        // whose reads are noted here; null: nobody's
  void *_Nullable first_queued;  // observers to run when the outermost batch ends, first come first
  void *_Nullable last_queued;
  uint64_t wave;       // names the flush under way
  uint64_t next_number, end_number;  // a block of numbers that no other thread gives out
  uint32_t open_batches;
  uint32_t is_flushing;
};

#if defined(__linux__)
// Without this model, position-independent code calls into the loader for every look at a thread-local.
#define STARLING_TLS __attribute__((tls_model("initial-exec")))
#else
#define STARLING_TLS
#endif

extern _Thread_local struct starling_thread_state starling_thread STARLING_TLS;

static inline struct starling_thread_state *_Nonnull starling_this_thread(void) {
  return &starling_thread;
}

// Writes one line to standard error.
void starling_complain(const char *_Nonnull line);

#endif
