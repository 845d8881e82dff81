// The libzmq 4.3 API, the calls that a Linux thread waits with, and the one that Swift cannot make.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <zmq.h>

/// Names the calling thread for debuggers and `top`, in up to 15 bytes. `prctl` takes variable arguments.
static inline void starling_name_thread(const char *name) {
  prctl(PR_SET_NAME, name);
}
