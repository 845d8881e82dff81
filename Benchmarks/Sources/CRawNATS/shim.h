// libnats as it is, to measure beside.
#include <nats/nats.h>
