#if defined(__linux__)
#define _GNU_SOURCE
#include <link.h>
#endif

#include "CThread.h"

#include <stddef.h>
#include <stdio.h>

#if defined(__APPLE__)
#include <pthread.h>
#else
#include <sys/prctl.h>
#endif

_Thread_local struct starling_thread_state starling_thread STARLING_TLS;

void starling_name_thread(const char *name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#else
  prctl(PR_SET_NAME, name);
#endif
}

void starling_complain(const char *line) {
  fprintf(stderr, "%s\n", line);
}

#if defined(__linux__)
struct search {
  uintptr_t address;
  struct starling_block found;
};

static int look(struct dl_phdr_info *info, size_t size, void *context) {
  struct search *search = context;
  size_t thread_bytes = 0;
  bool is_here = false;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && search->address - begin < part->p_memsz) is_here = true;
    if (part->p_type == PT_TLS) thread_bytes = part->p_memsz;
  }
  if (!is_here) return 0;
  if (size >= offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(void *) && info->dlpi_tls_data) {
    search->found = (struct starling_block){info->dlpi_tls_data, thread_bytes / sizeof(void *)};
  }
  return 1;
}

struct starling_block starling_thread_block(const void *address) {
  struct search search = {(uintptr_t)address, {NULL, 0}};
  dl_iterate_phdr(look, &search);
  return search.found;
}
#else
struct starling_block starling_thread_block(const void *address) {
  return (struct starling_block){NULL, 0};
}
#endif
