//===- Interrupts.cpp - What SIGINT, SIGTERM and SIGHUP may interrupt -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/Interrupts.h"
#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace llvm;

static constexpr int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

// Read by a signal handler: names that are never freed.
static std::atomic<const char *> folders[8];
static std::atomic<unsigned> numFolders;

// LLVM's handler has removed the files, put this one back and raised the signal again.
static void removeFolders(int signal) {
  for (unsigned i = std::size(folders); i-- > 0;)
    if (const char *folder = folders[i])
      rmdir(folder);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void weft::removeFolderOnInterrupt(StringRef path) {
  unsigned i = numFolders++;
  if (i < std::size(folders))
    folders[i] = strdup(path.str().c_str());
}

weft::InterruptHandlers::InterruptHandlers() {
  for (auto [signal, isIgnored] : zip(interrupts, ignored))
    isIgnored = std::signal(signal, removeFolders) == SIG_IGN;
}

void weft::InterruptHandlers::finish() {
  for (auto [signal, isIgnored] : zip(interrupts, ignored))
    if (isIgnored)
      std::signal(signal, SIG_IGN);
}

// The signals that would end the program. One that is ignored stays so: waiting would receive it.
static sigset_t interruptSet() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : interrupts) {
    struct sigaction current;
    if (sigaction(signal, nullptr, &current) == 0 && current.sa_handler != SIG_IGN)
      sigaddset(&set, signal);
  }
  return set;
}

weft::HoldInterrupts::HoldInterrupts() {
  sigset_t set = interruptSet();
  pthread_sigmask(SIG_BLOCK, &set, &old);
}

weft::HoldInterrupts::~HoldInterrupts() { pthread_sigmask(SIG_SETMASK, &old, nullptr); }

// Starts the program in a process group of its own. Returns 0 or an error number.
static int start(StringRef path, ArrayRef<std::string> arguments, StringRef log,
                 const sigset_t &mask, pid_t &child) {
  SmallVector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  std::string logPath = log.str();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, logPath.c_str(), O_WRONLY | O_TRUNC | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &mask);
  int code = posix_spawn(&child, path.str().c_str(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return code;
}

// Waits for the child; an interruption ends its whole group, and acts when all of it has ended.
static int waitFor(pid_t child) {
  sigset_t set = interruptSet();
  sigaddset(&set, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const timespec tick = {0, 10'000'000}; // another thread may have taken the SIGCHLD
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    siginfo_t info;
    if (sigtimedwait(&set, &info, &tick) < 0 || info.si_signo == SIGCHLD)
      continue;
    kill(-child, SIGTERM);
    waitpid(child, &status, 0);
    for (int tries = 0; tries < 100 && kill(-child, 0) == 0; ++tries)
      nanosleep(&tick, nullptr); // grandchildren
    raise(info.si_signo);        // still held back
    break;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Expected<int> weft::runProgram(StringRef path, ArrayRef<std::string> arguments, StringRef log) {
  HoldInterrupts hold;
  std::signal(SIGCHLD, SIG_DFL); // ignored, it would take the exit status along
  pid_t child;
  if (int code = start(path, arguments, log, hold.before(), child))
    return createStringError(path + ": cannot run: " + std::strerror(code));
  return waitFor(child);
}
