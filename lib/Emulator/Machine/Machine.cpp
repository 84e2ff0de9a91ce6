//===- Machine.cpp - a GPU that is none -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Emulator/Machine.h"
#include "Machine/LoadedModule.h"
#include "weft/Emulator/PtxParser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace weft;
using namespace weft::emulator;

// What no GPU of today has more of (CUDA programming guide, technical specifications).
static constexpr uint32_t mostThreads = 1024, mostSharedBytes = 227 << 10;
// Of a processor, of a thread, and in how many at once a warp's threads get them.
static constexpr uint32_t processorRegisters = 65536, mostRegisters = 256, registerPortion = 8;
// Far more than is run in a day, few enough to be put in any order.
static constexpr uint64_t mostBlocks = uint64_t(1) << 26;
static constexpr Dimensions largestBlock = {1024, 1024, 64};
static constexpr Dimensions largestGrid = {0x7fffffff, 65535, 65535};

struct Machine::State {
  State(const MachineOptions &options, std::unique_ptr<Jit> jit)
      : options(options), memory(options.memoryBytes), block(memory), jit(std::move(jit)) {}

  MachineOptions options;
  DeviceMemory memory;
  Block block;
  std::unique_ptr<Jit> jit;
  std::map<uint32_t, LoadedModule> modules;
  uint32_t loaded = 0, launches = 0;
};

Machine::Machine(std::unique_ptr<State> state) : state(std::move(state)) {}
Machine::~Machine() = default;

llvm::Expected<std::unique_ptr<Machine>> Machine::create(const MachineOptions &options) {
  llvm::Expected<std::unique_ptr<Jit>> jit = Jit::create(options.objects);
  if (!jit)
    return jit.takeError();
  return std::unique_ptr<Machine>(new Machine(std::make_unique<State>(options, std::move(*jit))));
}

// Functions that no kernel calls are looked at too.
static std::vector<std::string> findProblems(const ptx::Module &module) {
  llvm::StringMap<uint64_t> addresses;
  for (const ptx::Variable &variable : module.variables)
    if (variable.space != ptx::Space::Shared)
      addresses[variable.name] = kGlobalWindow;
  std::vector<std::string> problems;
  for (const ptx::Function &function : module.functions) {
    if (!function.isDefined)
      continue;
    llvm::Expected<Translation> translation = translate(module, function, addresses);
    if (!translation) {
      problems.push_back(
          (llvm::Twine(function.line) + ": error: " + llvm::toString(translation.takeError()))
              .str());
      continue;
    }
    for (const std::string &problem : translation->problems)
      if (!llvm::is_contained(problems, problem))
        problems.push_back(problem);
  }
  return problems;
}

std::vector<std::string> Machine::check(llvm::StringRef text, llvm::StringRef name) {
  llvm::Expected<ptx::Module> module = ptx::parse(text, name);
  if (!module)
    return {llvm::toString(module.takeError())};
  std::vector<std::string> problems = findProblems(*module);
  for (std::string &problem : problems)
    problem = name.str() + ":" + problem;
  return problems;
}

llvm::Expected<uint32_t> Machine::load(llvm::StringRef text, llvm::StringRef name) {
  llvm::Expected<ptx::Module> source = ptx::parse(text, name);
  if (!source)
    return source.takeError();
  uint32_t handle = ++state->loaded;
  LoadedModule &module = state->modules[handle];
  module.name = name.str();
  module.source = std::move(*source);
  if (llvm::Error error = module.placeVariables(state->memory)) {
    unload(handle);
    return std::move(error);
  }
  return handle;
}

bool Machine::unload(uint32_t handle) {
  auto found = state->modules.find(handle);
  if (found == state->modules.end())
    return false;
  found->second.releaseVariables(state->memory);
  state->modules.erase(found);
  return true;
}

std::string Machine::target(uint32_t handle) const {
  auto found = state->modules.find(handle);
  return found == state->modules.end() ? "" : found->second.source.target;
}

llvm::Expected<Kernel *> Machine::findKernel(uint32_t handle, llvm::StringRef name) {
  auto found = state->modules.find(handle);
  if (found == state->modules.end())
    return llvm::createStringError("no such module");
  return found->second.findKernel(*state->jit, name);
}

const KernelInfo &Machine::info(const Kernel &kernel) const { return kernel.info; }

std::optional<std::pair<uint64_t, uint64_t>> Machine::findVariable(uint32_t handle,
                                                                   llvm::StringRef name) const {
  auto module = state->modules.find(handle);
  if (module == state->modules.end())
    return std::nullopt;
  auto found = module->second.addresses.find(name);
  if (found == module->second.addresses.end())
    return std::nullopt;
  return std::pair(found->second, state->memory.find(found->second, 1)->bytes);
}

uint64_t Machine::allocate(uint64_t bytes) { return state->memory.allocate(bytes); }
bool Machine::release(uint64_t address) { return state->memory.release(address); }
uint64_t Machine::usedMemory() const { return state->memory.used(); }
uint64_t Machine::totalMemory() const { return state->memory.total(); }

uint8_t *Machine::translate(uint64_t address, uint64_t bytes) {
  Allocation *allocation = state->memory.find(address, bytes);
  return allocation ? allocation->host + (address - allocation->begin) : nullptr;
}

std::optional<std::pair<uint64_t, uint64_t>> Machine::findAllocation(uint64_t address) {
  Allocation *allocation = state->memory.find(address, 1);
  if (!allocation)
    return std::nullopt;
  return std::pair(allocation->begin, allocation->bytes);
}

// Each is below 2^31, the others below 2^16.
static uint64_t product(const Dimensions &sizes) {
  return uint64_t(sizes[0]) * sizes[1] * sizes[2];
}

// What is wrong with a launch, or nothing.
static std::string findBadLaunch(const Kernel &kernel, const Dimensions &grid,
                                 const Dimensions &threads, size_t parameters, uint64_t shared) {
  for (unsigned i = 0; i < 3; ++i)
    if (grid[i] == 0 || grid[i] > largestGrid[i] || threads[i] == 0 || threads[i] > largestBlock[i])
      return "no device has such a grid or block";
  if (product(grid) > mostBlocks)
    return "it has more blocks than are run here";
  uint64_t count = product(threads);
  if (count > mostThreads || count > kernel.info.maximumThreads)
    return ("a block of " + llvm::Twine(count) + " threads, but it may have " +
            llvm::Twine(kernel.info.maximumThreads))
        .str();
  if (kernel.source->threadsRequired && !llvm::equal(threads, kernel.source->maximumThreads))
    return "its .reqntid is another block";
  if (shared > mostSharedBytes)
    return (llvm::Twine(shared) + " bytes of shared memory are more than a block can have").str();
  if (parameters != kernel.info.parameters.size())
    return (llvm::Twine(parameters) + " parameters, but it has " +
            llvm::Twine(kernel.info.parameters.size()))
        .str();
  return "";
}

// What ptxas may use of a thread where a kernel changes it: the most of which so many blocks fit
// into a processor, in the portions in which warps get them.
static uint32_t startingRegisters(const ptx::Function &function, uint32_t maximumThreads) {
  if (function.mostRegisters > 0)
    return std::min(uint32_t(llvm::alignTo(function.mostRegisters, registerPortion)),
                    mostRegisters);
  uint64_t threads = uint64_t(maximumThreads) * std::max(function.leastBlocks, 1u);
  return uint32_t(std::min<uint64_t>(llvm::alignDown(processorRegisters / threads, registerPortion),
                                     mostRegisters));
}

static std::vector<uint64_t> orderBlocks(uint64_t count, uint64_t seed) {
  std::vector<uint64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (seed != 0)
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  return order;
}

std::optional<Fault> Machine::launch(Kernel &kernel, Dimensions grid, Dimensions threads,
                                     llvm::ArrayRef<const void *> parameters,
                                     uint32_t dynamicShared) {
  uint64_t shared = kernel.layout.sharedBytes + dynamicShared;
  std::string problem = findBadLaunch(kernel, grid, threads, parameters.size(), shared);
  if (!problem.empty())
    return Fault{FaultKind::Launch,
                 *kernel.module + ": error: launch of '" + kernel.info.name + "': " + problem};
  if (++state->launches == 1u << Epoch::launchBits) {
    state->memory.forgetAccesses();
    state->launches = 1;
  }
  Launch launch;
  launch.function = kernel.function;
  launch.meets = kernel.meets;
  launch.kernel = kernel.info.name;
  launch.module = *kernel.module;
  llvm::copy(grid, launch.grid);
  llvm::copy(threads, launch.threads);
  launch.sharedBytes = uint32_t(shared);
  launch.dynamicSharedBytes = dynamicShared;
  launch.parameters.resize(kernel.layout.parameterBytes);
  for (size_t i = 0; i < parameters.size(); ++i)
    std::memcpy(launch.parameters.data() + kernel.layout.parameters[i], parameters[i],
                kernel.info.parameters[i]);
  launch.registers = startingRegisters(*kernel.source, kernel.info.maximumThreads);
  launch.number = state->launches;
  launch.seed = state->options.seed;
  launch.mostSteps = state->options.mostSteps;
  launch.findRaces = state->options.findRaces;
  for (uint64_t block : orderBlocks(product(grid), state->options.seed))
    if (std::optional<Fault> fault = state->block.run(launch, block))
      return fault;
  return std::nullopt;
}
