#include "CThread.h"

#include <stdio.h>

_Thread_local struct starling_thread_state starling_thread STARLING_TLS;

void starling_complain(const char *line) {
  fprintf(stderr, "%s\n", line);
}
