// Records what a program does to the files of one directory, in order, so that Scripts/power_loss.py can say what a disk
// holds that loses power after any of these calls. To be loaded before libc (LD_PRELOAD). The calls themselves are passed on.
//
//   STARLING_POWER_STORE     the directory
//   STARLING_POWER_JOURNAL   a file elsewhere: its lines are recorded too, so that their place among the calls is known
//   STARLING_POWER_LOG       where the records go: head, path, second path, data
//   STARLING_POWER_FAULT     fails some of the calls that change a file: "code first count". They are counted from 1 on; from
//                            `first` on so many end with the code (errno), or, where that is 0, write elsewhere: a page
//                            further on, and say that they wrote where they should
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATED = 1, WRITTEN, TRUNCATED, SYNCED, DIRECTORY_SYNCED, UNLINKED, RENAMED, JOURNALLED, FAULTY };
enum { OTHER, STORED, DIRECTORY, JOURNAL };

struct head {
  uint32_t kind, pathLength, secondLength, padding;
  uint64_t inode, offset, dataLength;
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static const char *store, *journal;
static size_t storeLength;
static unsigned char kinds[65536];
static int faultCode;
static unsigned long faultFirst, faultCount, changeCount;

__attribute__((constructor)) static void begin(void) {
  store = getenv("STARLING_POWER_STORE");
  journal = getenv("STARLING_POWER_JOURNAL");
  const char *log = getenv("STARLING_POWER_LOG");
  if (!store || !journal || !log) abort();
  const char *fault = getenv("STARLING_POWER_FAULT");
  if (fault && sscanf(fault, "%d %lu %lu", &faultCode, &faultFirst, &faultCount) != 3) abort();
  storeLength = strlen(store);
  record = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (record < 0) abort();
}

// The index beside a write-ahead log is memory: nobody reads it after a loss of power.
static int isStored(const char *path) {
  if (!store || strncmp(path, store, storeLength) || path[storeLength] != '/') return 0;
  size_t length = strlen(path);
  return length < 4 || strcmp(path + length - 4, "-shm");
}

// Under `turn`.
static void note(uint32_t kind, const char *path, const char *second, uint64_t inode, uint64_t offset, const void *data,
                 uint64_t dataLength) {
  struct head head = {kind, path ? strlen(path) : 0, second ? strlen(second) : 0, 0, inode, offset, dataLength};
  struct iovec parts[] = {{&head, sizeof head},
                          {(void *)path, head.pathLength},
                          {(void *)second, head.secondLength},
                          {(void *)data, data ? dataLength : 0}};
  size_t whole = 0;
  for (int index = 0; index < 4; index++) whole += parts[index].iov_len;
  if (syscall(SYS_writev, record, parts, 4) != (long)whole) abort();
}

// Whether one more call that changes a file is to go wrong. Only a write can go elsewhere. Under `turn`.
static int isFaulty(int isWrite) {
  changeCount++;
  int isFaulty = changeCount >= faultFirst && changeCount - faultFirst < faultCount && (faultCode || isWrite);
  if (isFaulty) note(FAULTY, NULL, NULL, 0, 0, NULL, 0);
  return isFaulty;
}

// The same of a call that is not a write. Under `turn`.
static int fails(void) {
  if (!isFaulty(0)) return 0;
  errno = faultCode;
  return 1;
}

static uint64_t inodeOf(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status)) abort();
  return status.st_ino;
}

static int opened(int directory, const char *path, int flags, mode_t mode) {
  if (!store || (!isStored(path) && strcmp(path, store) && strcmp(path, journal)))
    return (int)syscall(SYS_openat, directory, path, flags, mode);
  pthread_mutex_lock(&turn);
  struct stat before;
  int isNew = stat(path, &before) != 0;
  int descriptor = isNew && flags & O_CREAT && strcmp(path, journal) && fails()
                       ? -1
                       : (int)syscall(SYS_openat, directory, path, flags, mode);
  int code = errno;
  if (descriptor >= 0 && descriptor < 65536) {
    struct stat status;
    fstat(descriptor, &status);
    kinds[descriptor] = !strcmp(path, journal) ? JOURNAL : S_ISDIR(status.st_mode) ? DIRECTORY : STORED;
    if (kinds[descriptor] == STORED) {
      if (isNew)
        note(CREATED, path, NULL, status.st_ino, 0, NULL, 0);
      else if (flags & O_TRUNC && before.st_size > 0)
        note(TRUNCATED, NULL, NULL, status.st_ino, 0, NULL, 0);
    }
  }
  pthread_mutex_unlock(&turn);
  errno = code;
  return descriptor;
}

#define OPEN(name)                           \
  int name(const char *path, int flags, ...) { \
    va_list more;                            \
    va_start(more, flags);                   \
    mode_t mode = va_arg(more, mode_t);      \
    va_end(more);                            \
    return opened(AT_FDCWD, path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
#define OPEN_AT(name)                                       \
  int name(int directory, const char *path, int flags, ...) { \
    va_list more;                                           \
    va_start(more, flags);                                  \
    mode_t mode = va_arg(more, mode_t);                     \
    va_end(more);                                           \
    return opened(directory, path, flags, mode);            \
  }
OPEN_AT(openat)
OPEN_AT(openat64)

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < 65536) kinds[descriptor] = OTHER;
  return (int)syscall(SYS_close, descriptor);
}

enum { PAGE = 4096 };

static ssize_t written(int descriptor, const void *data, size_t length, off_t offset) {
  if (isFaulty(1)) {
    if (faultCode) {
      errno = faultCode;
      return -1;
    }
    ssize_t count = syscall(SYS_pwrite64, descriptor, data, length, offset + PAGE);
    int code = errno;
    if (count > 0) note(WRITTEN, NULL, NULL, inodeOf(descriptor), (uint64_t)offset + PAGE, data, (uint64_t)count);
    errno = code;
    return count;
  }
  ssize_t count = syscall(SYS_pwrite64, descriptor, data, length, offset);
  int code = errno;
  if (count > 0) note(WRITTEN, NULL, NULL, inodeOf(descriptor), (uint64_t)offset, data, (uint64_t)count);
  errno = code;
  return count;
}

ssize_t pwrite64(int descriptor, const void *data, size_t length, off_t offset) {
  if (descriptor < 0 || descriptor >= 65536 || kinds[descriptor] != STORED)
    return syscall(SYS_pwrite64, descriptor, data, length, offset);
  pthread_mutex_lock(&turn);
  ssize_t count = written(descriptor, data, length, offset);
  pthread_mutex_unlock(&turn);
  return count;
}

ssize_t pwrite(int descriptor, const void *data, size_t length, off_t offset) {
  return pwrite64(descriptor, data, length, offset);
}

ssize_t write(int descriptor, const void *data, size_t length) {
  if (descriptor < 0 || descriptor >= 65536 || (kinds[descriptor] != STORED && kinds[descriptor] != JOURNAL))
    return syscall(SYS_write, descriptor, data, length);
  pthread_mutex_lock(&turn);
  ssize_t count;
  if (kinds[descriptor] == JOURNAL) {
    count = syscall(SYS_write, descriptor, data, length);
    if (count > 0) note(JOURNALLED, NULL, NULL, 0, 0, data, (uint64_t)count);
  } else {
    off_t offset = lseek(descriptor, 0, SEEK_CUR);
    count = written(descriptor, data, length, offset);
    if (count > 0) lseek(descriptor, offset + count, SEEK_SET);
  }
  pthread_mutex_unlock(&turn);
  return count;
}

int ftruncate64(int descriptor, off_t length) {
  pthread_mutex_lock(&turn);
  int isStoredFile = descriptor >= 0 && descriptor < 65536 && kinds[descriptor] == STORED;
  int outcome = isStoredFile && fails() ? -1 : (int)syscall(SYS_ftruncate, descriptor, length);
  int code = errno;
  if (!outcome && isStoredFile) note(TRUNCATED, NULL, NULL, inodeOf(descriptor), (uint64_t)length, NULL, 0);
  pthread_mutex_unlock(&turn);
  errno = code;
  return outcome;
}

int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }

// Not passed on: what the disk holds is computed, and a loop of a million syncs need not wait for the real one.
static int synced(int descriptor) {
  int kind = descriptor >= 0 && descriptor < 65536 ? kinds[descriptor] : OTHER;
  if (kind == OTHER) return 0;
  pthread_mutex_lock(&turn);
  int outcome = fails() ? -1 : 0;
  int code = errno;
  if (!outcome) note(kind == DIRECTORY ? DIRECTORY_SYNCED : SYNCED, NULL, NULL, inodeOf(descriptor), 0, NULL, 0);
  pthread_mutex_unlock(&turn);
  errno = code;
  return outcome;
}

int fsync(int descriptor) { return synced(descriptor); }
int fdatasync(int descriptor) { return synced(descriptor); }

int unlink(const char *path) {
  if (!isStored(path)) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  pthread_mutex_lock(&turn);
  int outcome = fails() ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  int code = errno;
  if (!outcome) note(UNLINKED, path, NULL, 0, 0, NULL, 0);
  pthread_mutex_unlock(&turn);
  errno = code;
  return outcome;
}

int rename(const char *path, const char *second) {
  pthread_mutex_lock(&turn);
  int outcome =
      isStored(path) && fails() ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, path, AT_FDCWD, second);
  int code = errno;
  if (!outcome && isStored(path)) note(RENAMED, path, second, 0, 0, NULL, 0);
  pthread_mutex_unlock(&turn);
  errno = code;
  return outcome;
}
