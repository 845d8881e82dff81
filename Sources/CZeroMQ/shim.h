// The libzmq 4.3 API, and nothing of our own.
#include <zmq.h>
