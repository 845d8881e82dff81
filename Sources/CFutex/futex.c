#include "CFutex.h"

uint32_t starling_sleepers[STARLING_BEDS];

static _Thread_local starling_stepper thread_stepper;
static _Thread_local void *thread_context;

void starling_step_by(starling_stepper stepper, void *context) {
  thread_stepper = stepper;
  thread_context = context;
}

void starling_step(const void *word, int step) {
  starling_stepper stepper = thread_stepper;
  if (!stepper) return;
  // The stepper takes locks of its own.
  thread_stepper = 0;
  stepper(thread_context, word, step);
  thread_stepper = stepper;
}

#if defined(__linux__)

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Where the kernel has no barrier to offer, a sleeper looks again by itself after this long.
static const struct timespec nap = {.tv_sec = 0, .tv_nsec = 1000000};
static bool has_barrier;

__attribute__((constructor)) static void enlist(void) {
  has_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void starling_lie_down(const void *word) {
  __atomic_fetch_add(starling_bed(word), 1, __ATOMIC_SEQ_CST);
  // A full barrier in every thread of this process that runs: what they stored is not left in a buffer.
  if (has_barrier) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

void starling_get_up(const void *word) {
  __atomic_fetch_sub(starling_bed(word), 1, __ATOMIC_RELAXED);
}

void starling_sleep(const void *word, uint32_t value) {
  int error = errno;
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, has_barrier ? 0 : &nap, 0, 0);
  errno = error;
}

void starling_sleep_for(const void *word, uint32_t value, uint64_t nanoseconds) {
  int error = errno;
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, 0, 0);
  errno = error;
}

void starling_wake(const void *word) {
  int error = errno;
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
  errno = error;
}

#endif
