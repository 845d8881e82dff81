// What the graph and its models keep for each thread: a C thread-local is read in about a nanosecond, a task-local in twelve.
#ifndef STARLING_THREAD_H
#define STARLING_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What this thread made of the graph less what it freed, for tests that ask whether all of it went.
struct starling_census {
  int64_t homes;
  int64_t sources;
  int64_t links;
  int64_t links_ever;
  int64_t readers;
};

// All zeros on a new thread. Touched by its own thread alone.
struct starling_thread_state {
  void *_Nullable reader;        // whose reads are noted here; null: nobody's
  void *_Nullable first_queued;  // observers to run when the outermost batch ends, first come first
  void *_Nullable last_queued;
  uint64_t open_batches;
  uint64_t wave;         // names the flush under way; 0: none
  uint64_t last_number;  // of a block that no other thread gives out
  uint64_t end_number;
  struct starling_census census;
  // Where the standard library keeps the list that its reads here are noted in; null: not looked for yet, or not found.
  void *_Nullable *_Nullable observation;
  void *_Nullable own_list;  // the list of the reader that runs here; null: none runs
  bool is_silent;            // where `observation` was not found: reads are nobody's
  void *_Nullable transaction_scope;   // of the transaction whose body runs here; null: none runs
  void *_Nullable transaction_values;  // what its writes carry
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

// Of the Swift runtime, and only asked by its own name from Swift 6 on: `swift_task_isCurrentExecutor` stops the program
// where the answer is no.
extern bool swift_task_isCurrentExecutorWithFlags(
    void *_Nullable object, void *_Nullable implementation, uint64_t flags) __attribute__((swiftcall));

// Whether the calling code runs on the executor.
static inline bool starling_is_current_executor(void *_Nullable object, void *_Nullable implementation) {
  return swift_task_isCurrentExecutorWithFlags(object, implementation, 0);
}

// A library's thread-local variables on the calling thread, in words.
struct starling_block {
  void *_Nullable *_Nullable words;
  size_t count;
};

// Of the library that `address` lies in; empty where that cannot be known.
struct starling_block starling_thread_block(const void *_Nonnull address);

// Names the calling thread for debuggers and `top`, in up to 15 bytes. Swift sees neither call that does: `prctl` takes
// variable arguments, and glibc hides its `pthread_setname_np`.
void starling_name_thread(const char *_Nonnull name);

// Writes one line to standard error.
void starling_complain(const char *_Nonnull line);

#endif
