//===- ResolveProcessor.cpp - from --march to the facts of a processor ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ProcessorFeatures.h"
#include "weft/Codegen/CPU/Processor.h"
#include "weft/Support/NearestName.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <unistd.h>

using namespace llvm;
using namespace weft;

static Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

// The extensions that tell one x86-64 level from the one below, as the System V ABI lists them.
static constexpr StringLiteral level2[] = {"cx16", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"};
static constexpr StringLiteral level3[] = {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt"};
static constexpr StringLiteral level4[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq",
                                           "avx512vl"};

// This machine, by its features alone: its highest level. What a level lacks is not used, so that
// the code also runs on every other machine of the level.
static std::string nativeProcessor(const Triple &triple) {
  if (triple.getArch() != Triple::x86_64)
    return sys::getHostCPUName().str();
  StringMap<bool> features = sys::getHostCPUFeatures();
  auto has = [&](ArrayRef<StringLiteral> names) {
    return all_of(names, [&](StringRef name) { return features.lookup(name); });
  };
  if (!has(level2))
    return "x86-64";
  if (!has(level3))
    return "x86-64-v2";
  return has(level4) ? "x86-64-v4" : "x86-64-v3";
}

static bool isAMD(StringRef cpu, bool native) {
  if (native)
    return sys::detail::x86::getVendorSignature() ==
           sys::detail::x86::VendorSignatures::AUTHENTIC_AMD;
  return cpu.starts_with("znver");
}

/// Whether the system lets this process use tiles: Linux wants to be asked, and may refuse.
static bool mayUseTiles() {
#if defined(__linux__) && defined(__x86_64__)
  return syscall(kArchPrctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

// The units of this machine are used although its level has none: code for it says what it needs.
static void readUnits(const MCSubtargetInfo &subtarget, bool native, Processor &processor) {
  StringMap<bool> features = native ? sys::getHostCPUFeatures() : StringMap<bool>();
  auto has = [&](StringRef feature) {
    return native ? features.lookup(feature) : subtarget.checkFeatures(("+" + feature).str());
  };
  processor.fetchRows = isAMD(processor.machine.cpu, native) ? 2 : 1;
  processor.looksUp = processor.vectorWidth >= 8 && has("avx2");
  if (has(processor.vectorWidth == 16 ? "avx512vnni" : "avxvnni"))
    processor.codeDots = UnitUse::Native;
  processor.multipliesWords = has(processor.vectorWidth == 16  ? "avx512bw"
                                  : processor.vectorWidth == 8 ? "avx2"
                                                               : "sse2");
  bool multipliesBytes = has(processor.vectorWidth == 4 ? "ssse3" : "sse2");
  if (processor.multipliesWords && multipliesBytes && processor.codeDots == UnitUse::None)
    processor.words = UnitUse::Native;
  if (processor.vectorWidth != 16)
    return;
  bool hasTiles = has("amx-tile") && has("amx-bf16") && has("amx-int8");
  if (hasTiles && (!native || mayUseTiles()))
    processor.tiles = UnitUse::Native;
  processor.rounds = has("avx512bf16");
  processor.scales = has("avx512dq") && has("avx512vl");
  // On an Intel core a dot of pairs takes as long as the four multiply-adds and more; AMD's are
  // twice as fast.
  if (processor.rounds && isAMD(processor.machine.cpu, native))
    processor.dots = UnitUse::Native;
}

static void readCache(Processor &processor) {
#ifdef _SC_LEVEL2_CACHE_SIZE
  if (int64_t bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
    processor.l2Bytes = bytes;
#endif
}

/// Of the features that code is compiled for, those that can be asked for: of an AArch64 machine
/// only where the system is Linux, which lets a process read what elsewhere ends it. No instruction
/// of tiles is written unless an emitter asks for it.
static void readFeatures(const Triple &triple, const MCSubtargetInfo &subtarget,
                         Processor &processor) {
  if (triple.isAArch64() && !triple.isOSLinux())
    return;
  for (const ProcessorFeature &feature : getProcessorFeatures())
    if (!feature.isOfTiles() && feature.isOfAArch64() == triple.isAArch64() &&
        subtarget.checkFeatures(("+" + feature.name).str()))
      processor.features.push_back(feature.name.str());
}

static bool isSupported(const Triple &triple) {
  bool known = triple.getArch() == Triple::x86_64 || triple.getArch() == Triple::aarch64;
  return known && !triple.isX32() && triple.getEnvironment() != Triple::GNUILP32;
}

// An error that says what --march may be; `hint` is what was meant, or empty.
static Error badProcessor(StringRef name, const Triple &triple, StringRef problem,
                          StringRef hint = "") {
  bool levels = triple.getArch() == Triple::x86_64;
  return fail("--march=" + name + ": " + problem + hint + (hint.empty() ? "; native" : " Native") +
              (levels ? ", x86-64, x86-64-v2, x86-64-v3, x86-64-v4" : "") +
              " and the names of clang's -mcpu are known");
}

static std::string nearestProcessor(StringRef name, const MCSubtargetInfo &any) {
  SmallVector<StringRef> names;
  for (const SubtargetSubTypeKV &processor : any.getAllProcessorDescriptions())
    names.push_back(processor.Key);
  return suggestion(name, names);
}

static void readVectors(const Triple &triple, const MCSubtargetInfo &subtarget,
                        Processor &processor) {
  auto has = [&](const char *feature) { return subtarget.checkFeatures(feature); };
  if (triple.getArch() == Triple::x86_64) {
    bool wide = has("+avx512f") && has("+avx512vl");
    processor.vectorWidth = wide ? 16 : has("+avx") ? 8 : 4;
    processor.numVectorRegisters = wide ? 32 : 16;
  } else if (triple.isAArch64()) {
    processor.vectorWidth = has("+neon") ? 4 : 1;
    processor.numVectorRegisters = 32;
  }
}

Expected<Processor> weft::resolveProcessor(StringRef tripleName, StringRef march) {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers(); // the check of the processor is assembly

  Triple host(sys::getProcessTriple());
  Triple triple(tripleName.empty() ? host.str() : Triple::normalize(tripleName));
  bool isHost = triple.getArch() == host.getArch();
  std::string message;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target || !isSupported(triple))
    return fail("--triple=" + (tripleName.empty() ? host.str() : tripleName.str()) +
                ": no such target; x86_64 and aarch64 (64 bits, little-endian) are supported, for "
                "example aarch64-linux-gnu");

  Processor processor;
  Machine &machine = processor.machine;
  machine.triple = triple.str();
  bool native = march == "native" || (march.empty() && isHost);
  if (native && !isHost)
    return fail("--march=native: this machine is no '" + triple.getArchName() +
                "'; name a processor");
  if (native) {
    machine.cpu = nativeProcessor(triple);
    readCache(processor);
  } else if (!march.empty()) {
    machine.cpu = march.str();
  } else {
    machine.cpu = triple.getArch() == Triple::x86_64 ? "x86-64" : "generic";
  }
  // Kernels ask for the width they want; without this LLVM would halve it on some processors.
  if (triple.getArch() == Triple::x86_64)
    machine.features = "-prefer-256-bit";

  // LLVM prints every processor it knows when it is given an unknown one: ask before.
  std::unique_ptr<MCSubtargetInfo> any(target->createMCSubtargetInfo(triple, "", ""));
  if (!any->isCPUStringValid(machine.cpu))
    return badProcessor(machine.cpu, triple,
                        ("no such processor for '" + triple.getArchName() + "'").str(),
                        nearestProcessor(machine.cpu, *any));
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, machine.cpu, machine.features));
  if (triple.getArch() == Triple::x86_64 && !subtarget->checkFeatures("+64bit"))
    return badProcessor(machine.cpu, triple, "a processor of 32 bits");
  readVectors(triple, *subtarget, processor);
  if (triple.getArch() == Triple::x86_64)
    readUnits(*subtarget, native, processor);
  readFeatures(triple, *subtarget, processor);
  return processor;
}
