// The libzmq 4.3 API.
#include <zmq.h>
