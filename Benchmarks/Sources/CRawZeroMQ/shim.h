// libzmq as it is, to measure beside.
#include <zmq.h>
