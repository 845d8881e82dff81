// What the allocator says of itself; Swift's Glibc module leaves <malloc.h> out.
#pragma once
#include <stddef.h>

#if defined(__linux__)
#include <malloc.h>
/// Bytes that are allocated and not freed.
static inline size_t allocated_byte_count(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#elif defined(__APPLE__)
#include <malloc/malloc.h>
static inline size_t allocated_byte_count(void) {
  malloc_statistics_t statistics;
  malloc_zone_statistics(NULL, &statistics);
  return statistics.size_in_use;
}
#endif
