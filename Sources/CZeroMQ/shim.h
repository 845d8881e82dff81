// The libzmq 4.3 API, and the one call that Swift cannot make.
#include <zmq.h>

#if defined(__APPLE__)
#include <pthread.h>
#else
#include <sys/prctl.h>
#endif

/// Names the calling thread for debuggers and `top`, in up to 15 bytes. Swift sees neither of the two:
/// `prctl` takes variable arguments, and glibc hides its `pthread_setname_np`.
static inline void starling_name_thread(const char *name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#else
  prctl(PR_SET_NAME, name);
#endif
}
