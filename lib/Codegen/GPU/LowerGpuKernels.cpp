//===- LowerGpuKernels.cpp - write every kernel as functions of device and host -------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// 1. For every kernel the forms in which it is launched are collected: with which symbols, on which
//    slots of caches.
// 2. For every form two functions are written (ThreadTasks); the launches of that form get the
//    host's, and caches for their slots.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "ThreadTasks.h"

#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Target/PTX.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace weft {
#define GEN_PASS_DEF_LOWERGPUKERNELS
#include "weft/Codegen/GPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// As a name of PTX, where letters, digits and underscores are allowed.
static std::string getDeviceName(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  return llvm::isAlpha(result.front()) ? result : "k_" + result;
}

/// What the launch says beside its buffers.
static LaunchForm getForm(LaunchOp launch) {
  LaunchForm form{launch.getSizes(), {}};
  for (Value buffer : launch->getOperands()) {
    LaunchForm::Place &place = form.places.emplace_back();
    if (auto slot = buffer.getDefiningOp<SlotOp>())
      place = {cast<MemRefType>(slot.getCache().getType()), slot.getRowBytes(),
               slot.getLengthAttr(), slot.getCountAttr()};
  }
  return form;
}

/// Of a kernel that nothing launches.
static LaunchForm getPlainForm(func::FuncOp kernel) {
  ArrayAttr symbols = Builder(kernel.getContext()).getStrArrayAttr(getKernelSymbols(kernel));
  return {symbols, SmallVector<LaunchForm::Place>(kernel.getNumArguments())};
}

namespace {

struct LowerGpuKernelsPass : weft::impl::LowerGpuKernelsBase<LowerGpuKernelsPass> {
  using LowerGpuKernelsBase::LowerGpuKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>()) {
      names.insert(function.getName());
      if (attrs::Kernel::isOn(function))
        kernels.push_back(function);
    }
    module.walk([&](LaunchOp launch) { launches[launch.getKernel()].push_back(launch); });
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    device = gpu::GPUModuleOp::create(b, module.getLoc(), getDeviceModule());
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
    for (func::FuncOp kernel : kernels)
      if (failed(lower(kernel)))
        return signalPassFailure();
    module.walk([](SlotOp slot) {
      if (slot->use_empty())
        slot.erase();
    });
  }

private:
  /// Launches of a kernel in one form.
  struct Group {
    LaunchForm form;
    SmallVector<LaunchOp> launches;
  };

  SmallVector<Group> getGroups(func::FuncOp kernel) {
    SmallVector<Group> groups;
    for (LaunchOp launch : launches[kernel.getName()]) {
      LaunchForm form = getForm(launch);
      auto known = llvm::find_if(groups, [&](const Group &group) { return group.form == form; });
      if (known == groups.end())
        known = groups.insert(groups.end(), Group{form, {}});
      known->launches.push_back(launch);
    }
    if (groups.empty())
      groups.push_back({getPlainForm(kernel), {}});
    return groups;
  }

  /// What the kernel of one anchor can be.
  struct Emitters {
    SmallVector<KernelPart> parts;
    SmallVector<std::unique_ptr<TileEmitter>> tiles;
  };

  static FailureOr<Emitters> createEmitters(Operation *anchor) {
    Emitters emitters{createParts(anchor), {}};
    if (emitters.parts.empty())
      return failure();
    auto tiles = createTileEmitters(anchor);
    if (failed(tiles))
      return failure();
    emitters.tiles = std::move(*tiles);
    return emitters;
  }

  LogicalResult lower(func::FuncOp kernel) {
    SmallVector<Operation *> anchors = findAnchors(kernel);
    if (!kernel.getOps<LocalOp>().empty())
      return kernel.emitError("a device has no memory for what products make for each other "
                              "('weft.local')");
    SmallVector<Emitters> ofAnchors;
    for (Operation *anchor : anchors) {
      FailureOr<Emitters> emitters = createEmitters(anchor);
      if (failed(emitters))
        return failure();
      ofAnchors.push_back(std::move(*emitters));
    }
    if (anchors.empty())
      return failure();
    std::string original = kernel.getName().str();
    for (auto [i, group] : llvm::enumerate(getGroups(kernel))) {
      std::string name = i == 0 ? original : makeName(original, ".", names);
      ThreadTasks tasks(kernel, anchors, group.form);
      writeForm(tasks, name, ofAnchors);
      for (LaunchOp launch : group.launches)
        redirect(launch, name);
      ++(i == 0 ? numKernels : numForms);
    }
    kernel.erase();
    return success();
  }

  void writeForm(ThreadTasks &tasks, const std::string &name, ArrayRef<Emitters> ofAnchors) {
    SmallVector<SmallVector<KernelPart>> parts;
    for (const Emitters &emitters : ofAnchors)
      parts.push_back(emitters.parts);
    SmallVector<KernelPart> joined = joinParts(parts);
    SmallVector<ThreadTasks::Part> written = writeParts(tasks, name, joined);
    SmallVector<ThreadTasks::Alone> alone(ofAnchors.size());
    for (auto [emitters, one] : llvm::zip_equal(ofAnchors, alone))
      one.tiles = writeTiles(tasks, name, emitters.tiles);
    if (llvm::any_of(alone, [](const ThreadTasks::Alone &one) { return !one.tiles.empty(); }))
      for (auto [emitters, one] : llvm::zip_equal(ofAnchors, alone))
        if (one.tiles.empty())
          one.parts = writeParts(tasks, name, emitters.parts);
    tasks.writeLauncher(name, written, alone);
  }

  SmallVector<ThreadTasks::Part> writeParts(ThreadTasks &tasks, StringRef name,
                                            ArrayRef<KernelPart> parts) {
    SmallVector<ThreadTasks::Part> written;
    for (const KernelPart &part : parts) {
      std::string deviceName = makeName(getDeviceName(name) + part.suffix, "_", deviceNames);
      tasks.writeDevice(device, deviceName, *part.emitter);
      written.push_back({getReference(device, deviceName), part.emitter.get()});
    }
    return written;
  }

  SmallVector<ThreadTasks::Tiles> writeTiles(ThreadTasks &tasks, StringRef name,
                                             ArrayRef<std::unique_ptr<TileEmitter>> emitters) {
    SmallVector<ThreadTasks::Tiles> written;
    for (auto &emitter : emitters) {
      if (!tasks.canMap(*emitter))
        continue;
      StringRef suffix = written.empty() ? "" : "_narrow";
      std::string wanted = getDeviceName(name) + "_" + kTileChip.str() + suffix.str();
      std::string deviceName = makeName(wanted, "_", deviceNames);
      tasks.writeTiles(getTileDevice(), deviceName, *emitter);
      written.push_back({getReference(tileDevice, deviceName), emitter.get()});
    }
    return written;
  }

  SymbolRefAttr getReference(gpu::GPUModuleOp module, StringRef function) {
    auto inside = FlatSymbolRefAttr::get(&getContext(), function);
    return SymbolRefAttr::get(module.getSymNameAttr(), inside);
  }

  /// Behind the one of all chips.
  gpu::GPUModuleOp getTileDevice() {
    if (!tileDevice) {
      OpBuilder b(device->getContext());
      b.setInsertionPointAfter(device);
      tileDevice = gpu::GPUModuleOp::create(b, device.getLoc(), getDeviceModule(kTileChip));
    }
    return tileDevice;
  }

  /// The name, or with the first number behind it that makes it one that nothing has yet.
  static std::string makeName(const std::string &wanted, StringRef separator,
                              llvm::StringSet<> &known) {
    std::string name = wanted;
    for (unsigned number = 1; !known.insert(name).second; ++number)
      name = (wanted + separator + Twine(number)).str();
    return name;
  }

  static void redirect(LaunchOp launch, StringRef kernel) {
    launch.setKernel(kernel);
    for (OpOperand &operand : launch->getOpOperands())
      if (auto slot = operand.get().getDefiningOp<SlotOp>())
        operand.set(slot.getCache());
  }

  gpu::GPUModuleOp device, tileDevice; ///< for all chips, and what one has beside them
  llvm::StringSet<> names, deviceNames;
  llvm::StringMap<SmallVector<LaunchOp>> launches;
};

} // namespace
