//===- CompiledModule.cpp - compiled code, called with the interpreter's tensors ------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledModule.h"

#include "StagePipelines.h"
#include "Weights.h"
#include "weft/Support/Elements.h"
#include "weft/Support/TemporaryFile.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace weft;

/// The bytes of the weights file.
static Expected<std::unique_ptr<MemoryBuffer>> packInMemory(const WeightsFile &file,
                                                            const Checkpoint &checkpoint) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  if (Error e = packWeights(os, file, checkpoint))
    return std::move(e);
  // Kernels may rely on the alignment of a mapped file.
  auto aligned = WritableMemoryBuffer::getNewUninitMemBuffer(bytes.size(), "weights", Align(64));
  memcpy(aligned->getBufferStart(), bytes.data(), bytes.size());
  return std::move(aligned);
}

/// Writes the library; its weights.
static Expected<std::unique_ptr<MemoryBuffer>> build(mlir::ModuleOp module,
                                                     const CompileOptions &options,
                                                     const TargetBackend &target,
                                                     const Checkpoint *checkpoint, StringRef path) {
  std::unique_ptr<MemoryBuffer> weights;
  for (Stage stage : {Stage::Kernels, Stage::Loops, Stage::LLVMDialect}) {
    if (failed(runStage(module, stage, options, target)))
      return createStringError("stage '" + stageInfo(stage).name +
                               "' failed while verifying the compiled code");
    if (stage == Stage::Kernels && checkpoint)
      if (Error e = packInMemory(describeWeights(module), *checkpoint).moveInto(weights))
        return std::move(e);
  }
  LLVMContext context;
  CodeOptions code = getCodeOptions(options);
  std::unique_ptr<llvm::Module> translated = target.translate(module, context, code);
  if (!translated)
    return createStringError("the LLVM dialect was not translated");
  if (Error e = linkSharedLibrary(*translated, target, code, EmbeddedWeights(), path))
    return std::move(e);
  return std::move(weights);
}

static Expected<std::unique_ptr<CompiledModel>> compileAndLoad(mlir::ModuleOp fused,
                                                               const CompileOptions &options,
                                                               const TargetBackend &target,
                                                               const Checkpoint *checkpoint) {
  Expected<TemporaryFile> file = TemporaryFile::inSystemFolder("so");
  if (!file)
    return file.takeError();
  CompileOptions apart = options; // the weights are in memory
  apart.embedWeights = false;
  Expected<std::unique_ptr<MemoryBuffer>> weights =
      build(fused, apart, target, checkpoint, file->path());
  if (!weights)
    return weights.takeError();
  return CompiledModel::load(file->path(), std::move(*weights));
}

Expected<std::unique_ptr<CompiledModule>> CompiledModule::compile(mlir::ModuleOp fused,
                                                                  const CompileOptions &options,
                                                                  const TargetBackend &target,
                                                                  const Checkpoint &checkpoint) {
  Expected<std::unique_ptr<CompiledModel>> model =
      compileAndLoad(fused, options, target, &checkpoint);
  if (!model)
    return model.takeError();
  return std::unique_ptr<CompiledModule>(new CompiledModule(std::move(*model)));
}

Expected<std::unique_ptr<CompiledModule>> CompiledModule::compile(mlir::ModuleOp fused,
                                                                  const CompileOptions &options,
                                                                  const TargetBackend &target) {
  Expected<std::unique_ptr<CompiledModel>> model = compileAndLoad(fused, options, target, nullptr);
  if (!model)
    return model.takeError();
  return std::unique_ptr<CompiledModule>(new CompiledModule(std::move(*model)));
}

Error CompiledModule::call(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) {
  Expected<const weft_entry_info *> entry = model->findEntry("");
  return entry ? model->run(**entry, {}, inputs, outputs) : entry.takeError();
}

//===----------------------------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------------------------===//

/// What the code reads of an input: nothing, if it is left out.
static AlignedBuffer pack(const weft_tensor_info &info, const TensorRef &given) {
  if (!given)
    return {};
  const Tensor &tensor = *given;
  const ElementTypeInfo &elements = elementsOf(info);
  AlignedBuffer bytes(elements.bytes() * tensor.size());
  for (int64_t i = 0, e = tensor.size(); i != e; ++i)
    if (elements.isReal())
      storeReal(elements.type, bytes.data(), i, tensor.reals[i]);
    else
      storeInt(elements.type, bytes.data(), i, tensor.integers[i]);
  return bytes;
}

namespace {

/// The inputs of a call.
struct PackedInputs {
  std::vector<AlignedBuffer> buffers;
  SmallVector<const void *> pointers;

  void add(const weft_tensor_info &info, const TensorRef &given) {
    pointers.push_back(buffers.emplace_back(pack(info, given)).data());
  }
};

} // namespace

static TensorRef unpack(const weft_tensor_info &info, ArrayRef<int64_t> sizes,
                        const AlignedBuffer &bytes) {
  const ElementTypeInfo &elements = elementsOf(info);
  auto tensor = std::make_shared<Tensor>(elements.kind, shapeOf(info, sizes));
  for (int64_t i = 0, e = tensor->size(); i != e; ++i)
    if (elements.isReal())
      tensor->reals[i] = loadReal(elements.type, bytes.data(), i);
    else
      tensor->integers[i] = loadInt(elements.type, bytes.data(), i);
  return tensor;
}

//===----------------------------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------------------------===//

Expected<std::vector<TensorRef>> CompiledModule::call(StringRef name,
                                                      const StringMap<int64_t> &symbols,
                                                      ArrayRef<TensorRef> inputs) {
  Expected<const weft_entry_info *> entry = model->findEntry(name);
  if (!entry)
    return entry.takeError();
  SmallVector<int64_t> sizes = sizesOf(symbols);
  PackedInputs packed;
  for (auto [info, input] : zip_equal(inputsOf(**entry), inputs))
    packed.add(info, input);
  std::vector<AlignedBuffer> buffers;
  SmallVector<void *> pointers;
  for (const weft_tensor_info &output : outputsOf(**entry))
    pointers.push_back(buffers.emplace_back(bytesOf(output, sizes)).data());
  if (Error e = model->run(**entry, sizes, packed.pointers, pointers))
    return std::move(e);
  std::vector<TensorRef> results;
  for (auto [output, buffer] : zip_equal(outputsOf(**entry), buffers))
    results.push_back(unpack(output, sizes, buffer));
  return results;
}

SmallVector<int64_t> CompiledModule::sizesOf(const StringMap<int64_t> &symbols) const {
  SmallVector<int64_t> sizes;
  for (const weft_symbol_info &symbol : symbolsOf(model->info()))
    sizes.push_back(symbols.lookup(symbol.name));
  return sizes;
}

Expected<const weft_step_info *> CompiledModule::findStep(StringRef name) const {
  Expected<const weft_entry_info *> entry = model->findEntry(name);
  if (!entry)
    return entry.takeError();
  if (const weft_step_info *step = stepOf(model->info(), **entry))
    return step;
  return createStringError("the compiled code has no step of '" + name + "'");
}

Error CompiledModule::begin(StringRef entry, const StringMap<int64_t> &symbols,
                            const StringMap<TensorRef> &inputs) {
  Expected<const weft_step_info *> step = findStep(entry);
  if (!step)
    return step.takeError();
  state = AlignedBuffer((*step)->state_bytes);
  PackedInputs packed;
  for (const weft_tensor_info &input :
       ArrayRef((*step)->start_inputs, (*step)->start_input_count)) {
    auto found = inputs.find(input.name);
    if (found == inputs.end())
      return createStringError(Twine("the entry has no input '") + input.name + "'");
    packed.add(input, found->second);
  }
  return model->start(**step, state, sizesOf(symbols), packed.pointers);
}

Expected<TensorRef> CompiledModule::advance(StringRef entry, const StringMap<int64_t> &symbols,
                                            ArrayRef<TensorRef> inputs, bool last) {
  Expected<const weft_step_info *> step = findStep(entry);
  if (!step)
    return step.takeError();
  SmallVector<int64_t> sizes = sizesOf(symbols);
  PackedInputs packed;
  for (auto [info, input] : zip_equal(ArrayRef((*step)->inputs, (*step)->input_count), inputs))
    packed.add(info, input);
  const weft_tensor_info &output = (last ? (*step)->last_outputs : (*step)->outputs)[0];
  AlignedBuffer result(bytesOf(output, sizes));
  if (Error e = model->advance(**step, state, sizes, packed.pointers, {result.data()}, last))
    return std::move(e);
  return unpack(output, sizes, result);
}
