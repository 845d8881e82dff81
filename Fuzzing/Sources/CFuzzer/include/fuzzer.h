// The driver of libFuzzer (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library"), and what the allocator gave.
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t count));

/// From here on it is counted what is allocated and not freed.
void begin_allocations(void);
/// The most that was at once since `begin_allocations`, in bytes.
size_t allocated_byte_count_max(void);
