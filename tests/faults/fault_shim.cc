// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Calls of the system that fail on request. Loaded before the C library (LD_PRELOAD), this library stands in front of the
// calls by which the program writes files and takes memory, and lets one of them fail.
//
//   RICOCHET_FAULT_CALL   open, write, pwrite, ftruncate, fsync, linkat, rename, close, mkdir or allocate
//   RICOCHET_FAULT_AT     which of these calls fails, from 1 on; 0 or absent: none
//   RICOCHET_FAULT_LASTS  present: all later ones fail too (a full disk stays full)
//   RICOCHET_FAULT_SHORT  present: a write takes half of its bytes, and the next one fails
//   RICOCHET_FAULT_ERROR  the error number (ENOSPC by default; ENOMEM for allocate)
//   RICOCHET_FAULT_COUNT  file that receives the number of calls when the program ends
//
// Calls count from the first sigaction on: the program installs its signal handlers as soon as it runs, and what the
// loader and static objects do before is not the program's to survive. Reads, standard streams and files opened for
// reading are not concerned.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<bool> running{false};
std::atomic<long> calls{0};
std::atomic<bool> short_write_done{false};

struct Plan {
  const char* call = getenv("RICOCHET_FAULT_CALL");
  long at = NumberOf("RICOCHET_FAULT_AT");
  bool lasts = getenv("RICOCHET_FAULT_LASTS") != nullptr;
  bool short_write = getenv("RICOCHET_FAULT_SHORT") != nullptr;
  int error = static_cast<int>(NumberOf("RICOCHET_FAULT_ERROR"));
  const char* count = getenv("RICOCHET_FAULT_COUNT");

  static long NumberOf(const char* name) {
    const char* text = getenv(name);
    return text ? atol(text) : 0;
  }
};

const Plan& ThePlan() {
  static const Plan plan;
  return plan;
}

/// Whether this call is the one that fails; errno is then set.
bool Fails(const char* name, int default_error) {
  if (!running.load(std::memory_order_relaxed)) return false;
  const Plan& plan = ThePlan();
  if (!plan.call || strcmp(plan.call, name) != 0) return false;
  const long number = calls.fetch_add(1) + 1;
  if (plan.at == 0 || number < plan.at || (number > plan.at && !plan.lasts)) return false;
  errno = plan.error != 0 ? plan.error : default_error;
  return true;
}

/// How many bytes of a write pass; -1: it fails.
ssize_t Passes(const char* name, size_t size) {
  if (short_write_done.exchange(false)) {
    errno = ENOSPC;
    return -1;
  }
  if (!Fails(name, ENOSPC)) return static_cast<ssize_t>(size);
  if (!ThePlan().short_write || size < 2) return -1;
  short_write_done = true;
  return static_cast<ssize_t>(size / 2);
}

template <class Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((destructor)) void WriteCount() {
  running = false;
  const char* file = ThePlan().count;
  if (!file) return;
  if (FILE* out = fopen(file, "w")) {
    fprintf(out, "%ld\n", calls.load());
    fclose(out);
  }
}

}  // namespace

extern "C" {

int sigaction(int signal, const struct sigaction* action, struct sigaction* old) noexcept {
  static auto* const next = Next<decltype(sigaction)>("sigaction");
  ThePlan();
  running = true;
  return next(signal, action, old);
}

int open(const char* file, int flags, ...) {
  static auto* const next = Next<int(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = static_cast<mode_t>(va_arg(arguments, int));
  va_end(arguments);
  if ((flags & (O_WRONLY | O_RDWR)) != 0 && Fails("open", EACCES)) return -1;
  return next(file, flags, mode);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  static auto* const next = Next<decltype(write)>("write");
  if (fd <= STDERR_FILENO) return next(fd, bytes, size);
  const ssize_t passes = Passes("write", size);
  return passes < 0 ? -1 : next(fd, bytes, static_cast<size_t>(passes));
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  static auto* const next = Next<decltype(pwrite)>("pwrite");
  const ssize_t passes = Passes("pwrite", size);
  return passes < 0 ? -1 : next(fd, bytes, static_cast<size_t>(passes), offset);
}

int ftruncate(int fd, off_t length) noexcept {
  static auto* const next = Next<decltype(ftruncate)>("ftruncate");
  return Fails("ftruncate", ENOSPC) ? -1 : next(fd, length);
}

int fsync(int fd) {
  static auto* const next = Next<decltype(fsync)>("fsync");
  return Fails("fsync", EIO) ? -1 : next(fd);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  static auto* const next = Next<decltype(linkat)>("linkat");
  return Fails("linkat", ENOSPC) ? -1 : next(from_folder, from, to_folder, to, flags);
}

int rename(const char* from, const char* to) noexcept {
  static auto* const next = Next<decltype(rename)>("rename");
  return Fails("rename", EACCES) ? -1 : next(from, to);
}

int mkdir(const char* folder, mode_t mode) noexcept {
  static auto* const next = Next<decltype(mkdir)>("mkdir");
  return Fails("mkdir", EACCES) ? -1 : next(folder, mode);
}

/// The bytes are on their way, so a close that fails has still closed.
int close(int fd) {
  static auto* const next = Next<decltype(close)>("close");
  const bool writable = fd > STDERR_FILENO && (fcntl(fd, F_GETFL) & (O_WRONLY | O_RDWR)) != 0;
  const bool fails = writable && Fails("close", EIO);
  const int error = errno;
  const int status = next(fd);
  if (!fails) return status;
  errno = error;
  return -1;
}

// The C library finds these before its own; its names for them reach the real ones without a look-up that would allocate.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) noexcept { return Fails("allocate", ENOMEM) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) noexcept {
  return Fails("allocate", ENOMEM) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) noexcept {
  return Fails("allocate", ENOMEM) ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return Fails("allocate", ENOMEM) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) noexcept {
  if (Fails("allocate", ENOMEM)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}

}  // extern "C"
