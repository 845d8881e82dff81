// Stands before the allocator of the C library, to count what one input has allocated: libFuzzer's own limit needs another
// sanitizer, and what the process holds (-rss_limit_mb) is looked at once a second only.
#include "fuzzer.h"
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static _Atomic long held;
static _Atomic long held_max;

static void *note(void *memory) {
  if (!memory) return memory;
  long now = atomic_fetch_add(&held, (long)malloc_usable_size(memory)) + (long)malloc_usable_size(memory);
  long before = atomic_load(&held_max);
  while (now > before && !atomic_compare_exchange_weak(&held_max, &before, now)) {}
  return memory;
}

static void forget(void *memory) {
  if (memory) atomic_fetch_sub(&held, (long)malloc_usable_size(memory));
}

void begin_allocations(void) {
  atomic_store(&held, 0);
  atomic_store(&held_max, 0);
}

size_t allocated_byte_count_max(void) {
  return (size_t)atomic_load(&held_max);
}

void *malloc(size_t count) { return note(__libc_malloc(count)); }
void *calloc(size_t count, size_t size) { return note(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t count) { return note(__libc_memalign(alignment, count)); }
void *aligned_alloc(size_t alignment, size_t count) { return note(__libc_memalign(alignment, count)); }

int posix_memalign(void **result, size_t alignment, size_t count) {
  void *memory = note(__libc_memalign(alignment, count));
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

void *realloc(void *memory, size_t count) {
  forget(memory);
  void *moved = __libc_realloc(memory, count);
  if (moved) return note(moved);
  if (count) note(memory);
  return moved;
}

void free(void *memory) {
  forget(memory);
  __libc_free(memory);
}
