//===- CompiledModel.cpp - compiled code, loaded to be called -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledModel.h"

#include "StagePipelines.h"
#include "Weights.h"
#include "weft/Support/TemporaryFile.h"
#include "weft/Support/TensorSize.h"
#include "weft/Target/TargetBackend.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AlignOf.h"

#include <dlfcn.h>

using namespace llvm;
using namespace weft;

CompiledModel::~CompiledModel() {
  if (library)
    dlclose(library);
}

Error CompiledModel::loadWeights(const WeightsFile &file, const Checkpoint &checkpoint) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  if (Error e = packWeights(os, file, checkpoint))
    return e;
  // Kernels may rely on the alignment of a mapped file.
  auto aligned = WritableMemoryBuffer::getNewUninitMemBuffer(bytes.size(), "weights", Align(64));
  memcpy(aligned->getBufferStart(), bytes.data(), bytes.size());
  weights = std::move(aligned);
  return Error::success();
}

Error CompiledModel::build(mlir::ModuleOp module, const CompileOptions &options,
                           const TargetBackend &target, const Checkpoint &checkpoint,
                           StringRef path) {
  for (Stage stage : {Stage::Kernels, Stage::Loops, Stage::LLVMDialect}) {
    mlir::PassManager pm(module.getContext());
    buildStage(pm, stage, options, target);
    if (failed(pm.run(module)))
      return createStringError("stage '" + stageInfo(stage).name +
                               "' failed while verifying the compiled code");
    if (stage == Stage::Kernels)
      if (Error e = loadWeights(describeWeights(module), checkpoint))
        return e;
  }
  LLVMContext context;
  CodeOptions code = getCodeOptions(options);
  std::unique_ptr<llvm::Module> translated = target.translate(module, context, code);
  if (!translated)
    return createStringError("the LLVM dialect was not translated");
  LinkOptions link;
  link.runtimeLibrary = findRuntimeLibrary();
  return linkSharedLibrary(*translated, target, code, link, path);
}

Error CompiledModel::load(StringRef path) {
  // The threads of OpenMP, which the library brings along, live until the program ends: so must it.
  library = dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return createStringError(Twine("cannot load the compiled code: ") + dlerror());
  auto getInfo = reinterpret_cast<weft_get_info_function>(dlsym(library, WEFT_GET_INFO_NAME));
  if (!getInfo)
    return createStringError("the compiled code has no " WEFT_GET_INFO_NAME);
  info = getInfo();
  return Error::success();
}

Expected<std::unique_ptr<CompiledModel>> CompiledModel::compile(mlir::ModuleOp fused,
                                                                const CompileOptions &options,
                                                                const TargetBackend &target,
                                                                const Checkpoint &checkpoint) {
  std::unique_ptr<CompiledModel> model(new CompiledModel);
  Expected<TemporaryFile> file = TemporaryFile::inSystemFolder("so");
  if (!file)
    return file.takeError();
  if (Error e = model->build(fused, options, target, checkpoint, file->path()))
    return std::move(e);
  if (Error e = model->load(file->path()))
    return std::move(e);
  return model;
}

//===----------------------------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------------------------===//

namespace {
/// The bytes of a tensor, with the alignment that entries may rely on.
using Bytes = std::vector<std::aligned_storage_t<64, 64>>;
} // namespace

static SmallVector<int64_t> shapeOf(const weft_tensor_info &tensor, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> shape;
  for (int32_t i = 0; i < tensor.rank; ++i)
    shape.push_back(tensor.symbols[i] >= 0 ? sizes[tensor.symbols[i]] : tensor.dims[i]);
  return shape;
}

static int64_t bytesOf(const weft_tensor_info &tensor, ArrayRef<int64_t> shape) {
  return *tensorBytes(tensor.dtype == WEFT_BOOL ? 8 : 32, shape); // the interpreter has such, too
}

/// What the code reads of an input: nothing, if it is left out.
static Bytes pack(const weft_tensor_info &info, const TensorRef &given) {
  if (!given)
    return {};
  const Tensor &tensor = *given;
  Bytes bytes(divideCeil(bytesOf(info, tensor.shape()), 64));
  for (int64_t i = 0, e = tensor.size(); i != e; ++i)
    if (info.dtype == WEFT_F32)
      reinterpret_cast<float *>(bytes.data())[i] = float(tensor.reals[i]);
    else if (info.dtype == WEFT_I32)
      reinterpret_cast<int32_t *>(bytes.data())[i] = int32_t(tensor.integers[i]);
    else
      reinterpret_cast<uint8_t *>(bytes.data())[i] = tensor.integers[i] != 0;
  return bytes;
}

static TensorRef unpack(const weft_tensor_info &info, ArrayRef<int64_t> shape, const Bytes &bytes) {
  auto kind = info.dtype == WEFT_F32   ? Tensor::Kind::Real
              : info.dtype == WEFT_I32 ? Tensor::Kind::Int
                                       : Tensor::Kind::Bool;
  auto tensor = std::make_shared<Tensor>(kind, shape);
  for (int64_t i = 0, e = tensor->size(); i != e; ++i)
    if (info.dtype == WEFT_F32)
      tensor->reals[i] = reinterpret_cast<const float *>(bytes.data())[i];
    else if (info.dtype == WEFT_I32)
      tensor->integers[i] = reinterpret_cast<const int32_t *>(bytes.data())[i];
    else
      tensor->integers[i] = reinterpret_cast<const uint8_t *>(bytes.data())[i];
  return tensor;
}

Expected<std::vector<TensorRef>> CompiledModel::call(StringRef name,
                                                     const StringMap<int64_t> &symbols,
                                                     ArrayRef<TensorRef> inputs) const {
  ArrayRef entries(info->entries, info->entry_count);
  const auto *entry = find_if(entries, [&](const auto &e) { return name == e.name; });
  if (entry == entries.end() || entry->input_count != int32_t(inputs.size()))
    return createStringError("the compiled code has no such entry '" + name + "'");
  SmallVector<int64_t> sizes = sizesOf(symbols);
  std::vector<Bytes> buffers;
  SmallVector<void *> in, out;
  for (auto [i, input] : enumerate(inputs)) {
    Bytes &buffer = buffers.emplace_back(pack(entry->inputs[i], input));
    in.push_back(input ? buffer.data() : nullptr);
  }
  ArrayRef outputs(entry->outputs, entry->output_count);
  for (const weft_tensor_info &output : outputs)
    out.push_back(
        buffers.emplace_back(divideCeil(bytesOf(output, shapeOf(output, sizes)), 64)).data());
  Bytes scratch(divideCeil(entry->scratch_bytes, 64));
  int code = entry->call(weights ? weights->getBufferStart() : nullptr, scratch.data(),
                         sizes.data(), in.data(), out.data());
  if (code != WEFT_OK)
    return createStringError("the compiled code returned error " + Twine(code));
  std::vector<TensorRef> results;
  for (auto [i, output] : enumerate(outputs))
    results.push_back(unpack(output, shapeOf(output, sizes), buffers[inputs.size() + i]));
  return results;
}

SmallVector<int64_t> CompiledModel::sizesOf(const StringMap<int64_t> &symbols) const {
  SmallVector<int64_t> sizes;
  for (const weft_symbol_info &symbol : ArrayRef(info->symbols, info->symbol_count))
    sizes.push_back(symbols.lookup(symbol.name));
  return sizes;
}

Expected<const weft_step_info *> CompiledModel::findStep(StringRef entry) const {
  for (const weft_step_info &step : ArrayRef(info->steps, info->step_count))
    if (entry == info->entries[step.entry].name)
      return &step;
  return createStringError("the compiled code has no step of '" + entry + "'");
}

Error CompiledModel::begin(StringRef entry, const StringMap<int64_t> &symbols,
                           const StringMap<TensorRef> &inputs) {
  Expected<const weft_step_info *> step = findStep(entry);
  if (!step)
    return step.takeError();
  state.assign(divideCeil((*step)->state_bytes, 64), {});
  std::vector<Bytes> buffers;
  SmallVector<void *> in;
  for (const weft_tensor_info &input :
       ArrayRef((*step)->start_inputs, (*step)->start_input_count)) {
    auto found = inputs.find(input.name);
    if (found == inputs.end())
      return createStringError(Twine("the entry has no input '") + input.name + "'");
    Bytes &buffer = buffers.emplace_back(pack(input, found->second));
    in.push_back(found->second ? buffer.data() : nullptr);
  }
  Bytes scratch(divideCeil((*step)->scratch_bytes, 64));
  int code = (*step)->start(weights ? weights->getBufferStart() : nullptr, state.data(),
                            scratch.data(), sizesOf(symbols).data(), in.data(), nullptr);
  return code == WEFT_OK ? Error::success()
                         : createStringError("the compiled start returned error " + Twine(code));
}

Expected<TensorRef> CompiledModel::advance(StringRef entry, const StringMap<int64_t> &symbols,
                                           ArrayRef<TensorRef> inputs) {
  Expected<const weft_step_info *> step = findStep(entry);
  if (!step)
    return step.takeError();
  SmallVector<int64_t> sizes = sizesOf(symbols);
  std::vector<Bytes> buffers;
  SmallVector<void *> in;
  for (auto [i, input] : enumerate(inputs)) {
    Bytes &buffer = buffers.emplace_back(pack((*step)->inputs[i], input));
    in.push_back(input ? buffer.data() : nullptr);
  }
  const weft_tensor_info &output = (*step)->outputs[0];
  Bytes result(divideCeil(bytesOf(output, shapeOf(output, sizes)), 64));
  void *out = result.data();
  Bytes scratch(divideCeil((*step)->scratch_bytes, 64));
  int code = (*step)->call(weights ? weights->getBufferStart() : nullptr, state.data(),
                           scratch.data(), sizes.data(), in.data(), &out);
  if (code != WEFT_OK)
    return createStringError("the compiled step returned error " + Twine(code));
  return unpack(output, shapeOf(output, sizes), result);
}
