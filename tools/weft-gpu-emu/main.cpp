//===- main.cpp - runs programs on an emulated GPU, checks PTX ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RunProgram.h"
#include "weft/Emulator/Machine.h"
#include "weft/Support/CommandLine.h"
#include "weft/Support/ExitStatus.h"
#include "weft/Support/InputFile.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;
namespace cl = llvm::cl;

static const char *const details =
    "  weft-gpu-emu [--seeds=N] -- PROGRAM ...   run a program that uses a CUDA driver\n"
    "  weft-gpu-emu --check FILE.ptx             say what the emulator does not know in a PTX "
    "text\n"
    "\nPROGRAM must open the driver that $WEFT_CUDA_DRIVER names, as compiled models do.\n";

// More would take days.
static constexpr unsigned mostSeeds = 10000;

namespace {

struct Flags {
  cl::OptionCategory category{"weft-gpu-emu options"};
  cl::opt<std::string> check{"check", cl::value_desc("FILE"), cl::desc("Check a PTX text"),
                             cl::cat(category)};
  cl::opt<unsigned> seeds{"seeds", cl::value_desc("N"), cl::init(1),
                          cl::desc("Run PROGRAM N times, with its threads in other orders, and "
                                   "compare what it reads from the GPU (default 1)"),
                          cl::cat(category)};
};

} // namespace

static int check(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = readInputFile(path);
  if (!text) {
    llvm::errs() << llvm::toString(text.takeError()) << "\n";
    return ExitError;
  }
  std::vector<std::string> problems = emulator::Machine::check((*text)->getBuffer(), path);
  for (const std::string &problem : problems)
    llvm::errs() << problem << "\n";
  return problems.empty() ? ExitSuccess : ExitError;
}

static int usage(const char *problem) {
  llvm::errs() << "weft-gpu-emu: error: " << problem << "\n";
  return ExitUsage;
}

int main(int argc, char **argv) {
  InitTool init(argc, argv, "weft-gpu-emu");
  // What stands behind "--" is the program's own.
  char **end = argv + argc, **dashes = std::find(argv, end, llvm::StringRef("--"));
  std::vector<std::string> program(dashes == end ? end : dashes + 1, end);
  removeForeignOptions();
  Flags flags;
  ToolHelp help{"an emulated GPU: every access is checked, races and deadlocks are found", details};
  help.statuses = {"done", "an error", "wrong usage",
                   "results depend on the order of threads; or the status of PROGRAM"};
  if (!parseFlags(int(dashes - argv), argv, help))
    return ExitUsage;
  bool checks = flags.check.getNumOccurrences() > 0;
  if (checks == !program.empty())
    return usage("either --check FILE or -- PROGRAM is expected");
  if (flags.seeds < 1 || flags.seeds > mostSeeds)
    return usage("--seeds takes a number from 1 to 10000");
  return checks ? check(flags.check) : runProgram(program, flags.seeds);
}
