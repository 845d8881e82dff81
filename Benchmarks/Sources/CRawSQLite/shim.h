// SQLite as it is, to measure beside.
#include <sqlite3.h>
