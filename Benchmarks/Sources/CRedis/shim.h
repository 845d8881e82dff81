// hiredis as it is, to measure beside.
#include <hiredis/hiredis.h>
