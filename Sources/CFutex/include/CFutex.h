// What a lock needs of the kernel, and of the compiler, that Swift does not say: to sleep while a word has a value, and
// an opening of the lock that is a plain store.
#ifndef STARLING_FUTEX_H
#define STARLING_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

#define STARLING_BEDS 64

// How many threads sleep at words of one bed, or are about to. They lie here and not in the locks, since whoever opened
// a lock has no hold on it any more.
extern uint32_t starling_sleepers[STARLING_BEDS];

static inline uint32_t *_Nonnull starling_bed(const void *_Nonnull word) {
  return &starling_sleepers[((uintptr_t)word >> 4) % STARLING_BEDS];
}

// Whether somebody may sleep at the word. What the program said before was done before, as far as the compiler goes:
// as far as the processor goes, `starling_settle` sees to it for those who ask.
static inline bool starling_anybody_sleeps(const void *_Nonnull word) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return __atomic_load_n(starling_bed(word), __ATOMIC_RELAXED) != 0;
}

// Tells that this thread is about to sleep at the word. What any thread had stored before it last looked whether anybody
// sleeps is seen here afterwards, or it sees that somebody does.
void starling_lie_down(const void *_Nonnull word);

void starling_get_up(const void *_Nonnull word);

// Sleeps while the word has the value, until `starling_wake`; may return for no reason.
void starling_sleep(const void *_Nonnull word, uint32_t value);

// The same, for so many nanoseconds at most.
void starling_sleep_for(const void *_Nonnull word, uint32_t value, uint64_t nanoseconds);

// Wakes one that sleeps at the word, which need not exist any more.
void starling_wake(const void *_Nonnull word);

// What a thread is about to do, or has done, with a lock or an event.
enum { STARLING_TAKES = 0, STARLING_OPENED = 1, STARLING_AWAITS = 2, STARLING_HAPPENED = 3 };

// In tests of debug builds: called by this thread at each of these, with the word of the lock or the event.
typedef void (*starling_stepper)(void *_Nonnull context, const void *_Nonnull word, int step);

// From now on, until it is called with NULL.
void starling_step_by(starling_stepper _Nullable stepper, void *_Nullable context);

void starling_step(const void *_Nonnull word, int step);

// Tells the processor that this thread waits in a loop.
static inline void starling_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

#endif
