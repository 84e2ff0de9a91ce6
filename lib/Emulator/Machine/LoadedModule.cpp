//===- LoadedModule.cpp - a PTX module in a machine -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/LoadedModule.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace weft;
using namespace weft::emulator;

static bool isInDeviceMemory(const ptx::Variable &variable) {
  return variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
}

// The first values of a variable: bytes, the addresses in them, zeros.
static llvm::Error initialise(const ptx::Variable &variable, uint8_t *host,
                              const llvm::StringMap<uint64_t> &addresses) {
  std::memset(host, 0, variable.bytes);
  llvm::copy(variable.initial, host);
  for (const auto &[place, name] : variable.addresses) {
    auto found = addresses.find(name);
    if (found == addresses.end())
      return llvm::createStringError(llvm::Twine(variable.line) + ": error: '" + variable.name +
                                     "' starts with the address of '" + name +
                                     "', which is no global variable");
    uint64_t address;
    std::memcpy(&address, host + place, 8);
    address += found->second;
    std::memcpy(host + place, &address, 8);
  }
  return llvm::Error::success();
}

llvm::Error LoadedModule::placeVariables(DeviceMemory &memory) {
  for (const ptx::Variable &variable : source.variables) {
    if (!isInDeviceMemory(variable))
      continue;
    uint64_t address = memory.allocate(std::max<uint64_t>(variable.bytes, 1),
                                       std::max<uint64_t>(variable.alignment, 256),
                                       variable.space == ptx::Space::Const);
    if (!address)
      return llvm::createStringError(name + ":" + llvm::Twine(variable.line) +
                                     ": error: no memory for '" + variable.name + "'");
    addresses[variable.name] = address;
  }
  for (const ptx::Variable &variable : source.variables) {
    if (!isInDeviceMemory(variable))
      continue;
    uint64_t address = addresses[variable.name];
    if (llvm::Error error = initialise(variable, memory.find(address, 1)->host, addresses))
      return llvm::createStringError(name + ":" + llvm::toString(std::move(error)));
  }
  return llvm::Error::success();
}

void LoadedModule::releaseVariables(DeviceMemory &memory) {
  for (const auto &entry : addresses)
    memory.release(entry.second);
  addresses.clear();
}

static KernelInfo describe(const ptx::Function &source, const KernelLayout &layout) {
  KernelInfo info;
  info.name = source.name;
  info.sharedBytes = uint32_t(layout.sharedBytes);
  for (const ptx::Variable &parameter : source.parameters())
    info.parameters.push_back(uint32_t(parameter.bytes));
  uint64_t most = 1;
  for (uint32_t threads : source.maximumThreads)
    most *= threads;
  if (most > 0)
    info.maximumThreads = uint32_t(std::min<uint64_t>(most, 1024));
  return info;
}

/// Whether griddepcontrol.wait comes before all branches and accesses but those of parameters.
static bool waitsForOthers(const ptx::Function &function) {
  for (const ptx::Instruction &instruction : function.body) {
    auto has = [&](llvm::StringRef modifier) {
      return llvm::is_contained(instruction.modifiers, modifier);
    };
    if (instruction.opcode == "griddepcontrol" && has("wait"))
      return !instruction.guard;
    static constexpr llvm::StringLiteral harmless[] = {"mov", "cvta", "cvt", "add", "mul",
                                                       "mad", "shl",  "shr", "and", "or"};
    bool isParameter = instruction.opcode == "ld" && has("param");
    if (!isParameter && !llvm::is_contained(harmless, instruction.opcode))
      return false;
  }
  return false;
}

llvm::Expected<Kernel *> LoadedModule::findKernel(Jit &jit, llvm::StringRef kernel) {
  if (auto found = kernels.find(kernel); found != kernels.end())
    return found->second.get();
  const ptx::Function *function = source.findFunction(kernel);
  if (!function || !function->isEntry || !function->isDefined)
    return llvm::createStringError(name + ": no kernel '" + kernel + "'");
  llvm::Expected<Translation> translation = translate(source, *function, addresses);
  if (!translation)
    return llvm::createStringError(name + ": error: " + llvm::toString(translation.takeError()));
  if (!translation->problems.empty())
    return llvm::createStringError(name + ":" + translation->problems.front());
  llvm::Expected<KernelFunction> code =
      jit.compile(std::move(translation->context), std::move(translation->code));
  if (!code)
    return code.takeError();
  auto result = std::make_unique<Kernel>();
  result->info = describe(*function, translation->layout);
  result->info.waitsForOthers = waitsForOthers(*function);
  result->source = function;
  result->module = &name;
  result->layout = std::move(translation->layout);
  result->function = *code;
  result->meets = translation->meets;
  return (kernels[kernel] = std::move(result)).get();
}
