//===- Chunks.cpp - runs an entry by its step, some positions a call ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Execute.h"

#include <cstring>
#include <random>

using namespace weft;

namespace {

// The part of a tensor that belongs to some positions: from `start`, `extent` of each dimension.
struct Part {
  llvm::SmallVector<int64_t> shape, start, extent;
  int64_t bytes; // of an element

  int64_t count() const {
    int64_t result = 1;
    for (int64_t e : extent)
      result *= e;
    return result;
  }
  // Calls `visit(offset in the tensor, offset in the part)` for every element, in bytes.
  template <typename Visit> void forEach(Visit visit) const {
    llvm::SmallVector<int64_t> at(extent.size(), 0);
    for (int64_t i = 0, n = count(); i != n; ++i) {
      int64_t offset = 0, rest = i;
      for (size_t d = extent.size(); d-- > 0; rest /= extent[d])
        at[d] = rest % extent[d];
      for (size_t d = 0; d != extent.size(); ++d)
        offset = offset * shape[d] + start[d] + at[d];
      visit(offset * bytes, i * bytes);
    }
  }
};

} // namespace

// `declared` is the step's tensor; `sizes` are those of the whole run.
static Part partOf(const weft_step_info &step, const weft_tensor_info &declared,
                   llvm::ArrayRef<int64_t> sizes, int64_t first, int64_t count) {
  Part part;
  part.bytes = elementBytes(declared.dtype);
  for (int32_t d = 0; d != declared.rank; ++d) {
    int32_t symbol = declared.symbols[d];
    bool isRows = symbol == step.count_symbol, isSeen = symbol == step.length_symbol;
    int64_t whole = isRows        ? sizes[step.length_symbol]
                    : symbol >= 0 ? sizes[symbol]
                                  : declared.dims[d];
    part.shape.push_back(whole);
    part.start.push_back(isRows ? first : 0);
    part.extent.push_back(isRows ? count : isSeen ? first + count : whole);
  }
  return part;
}

namespace {

// One example, fed piece by piece.
class ChunkedRun {
public:
  ChunkedRun(Model &model, const weft_step_info &step, llvm::ArrayRef<int64_t> sizes,
             const Chunks &chunks)
      : model(model), step(step), sizes(sizes), chunks(chunks), random(chunks.seed),
        state(step.state_bytes) {}

  llvm::Error run(const weft_entry_info &entry, llvm::ArrayRef<const void *> given, char *output);

private:
  int64_t nextCount(int64_t left) {
    int64_t count = chunks.sizes.empty() ? 1 + int64_t(random() % 7)
                                         : chunks.sizes[calls % chunks.sizes.size()];
    ++calls;
    return std::min(count, left);
  }
  llvm::Error runChunk(llvm::ArrayRef<const void *> given, char *output, int64_t first,
                       int64_t count);

  Model &model;
  const weft_step_info &step;
  llvm::ArrayRef<int64_t> sizes;
  const Chunks &chunks;
  std::mt19937 random;
  size_t calls = 0;
  Buffer state;
};

} // namespace

llvm::Error ChunkedRun::runChunk(llvm::ArrayRef<const void *> given, char *output, int64_t first,
                                 int64_t count) {
  std::vector<Buffer> pieces;
  std::vector<const void *> inputs;
  for (int32_t i = 0; i != step.input_count; ++i) {
    if (!given[i]) {
      inputs.push_back(nullptr);
      continue;
    }
    Part part = partOf(step, step.inputs[i], sizes, first, count);
    Buffer &piece = pieces.emplace_back(part.count() * part.bytes);
    part.forEach([&](int64_t from, int64_t to) {
      std::memcpy(piece.data() + to, static_cast<const char *>(given[i]) + from, part.bytes);
    });
    inputs.push_back(piece.data());
  }
  Part part = partOf(step, step.outputs[0], sizes, first, count);
  Buffer result(part.count() * part.bytes);
  llvm::SmallVector<int64_t> values(sizes);
  values[step.count_symbol] = count;
  if (llvm::Error error = model.advance(step, state, values, inputs, result.data()))
    return error;
  part.forEach([&](int64_t to, int64_t from) {
    std::memcpy(output + to, result.data() + from, part.bytes);
  });
  return llvm::Error::success();
}

llvm::Error ChunkedRun::run(const weft_entry_info &entry, llvm::ArrayRef<const void *> given,
                            char *output) {
  if (llvm::Error error = model.start(step, state, sizes, model.startInputs(step, entry, given)))
    return error;
  std::vector<const void *> inputs = model.stepInputs(step, entry, given);
  int64_t length = sizes[step.length_symbol];
  for (int64_t first = 0; first < length;) {
    int64_t count = nextCount(length - first);
    if (llvm::Error error = runChunk(inputs, output, first, count))
      return error;
    first += count;
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<OwnedTensor>> weft::executeInChunks(Model &model,
                                                               const weft_entry_info &entry,
                                                               const Binding &binding,
                                                               const Chunks &chunks) {
  const weft_step_info *step = model.findStep(entry);
  if (!step)
    return fail("entry '" + llvm::StringRef(entry.name) +
                "' has no step: --chunks needs a model that generates, compiled with --step");
  const weft_tensor_info &output = step->outputs[0];
  Part whole = partOf(*step, output, binding.sizes, 0, binding.sizes[step->length_symbol]);
  int64_t bytes = whole.count() * whole.bytes;
  OwnedTensor result;
  result.name = output.name;
  result.type = TensorType::F32;
  result.shape.assign(whole.extent.begin(), whole.extent.end());
  result.shape.insert(result.shape.begin(), binding.batch.begin(), binding.batch.end());
  result.data = Buffer(bytes * binding.examples());
  for (int64_t example = 0; example < binding.examples(); ++example) {
    char *place = reinterpret_cast<char *>(result.data.data()) + bytes * example;
    ChunkedRun run(model, *step, binding.sizes, chunks);
    if (llvm::Error error = run.run(entry, binding.pointers(entry, example), place))
      return std::move(error);
  }
  std::vector<OwnedTensor> results;
  results.push_back(std::move(result));
  return std::move(results);
}
