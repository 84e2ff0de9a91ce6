//===- Chunks.cpp - runs an entry piece by piece, some positions a call ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Execute.h"
#include "weft/Runner/Sequence.h"
#include "weft/Support/TensorPart.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <random>

using namespace weft;

// Of a tensor of a call: what belongs to positions [first, first + count). `sizes` are those of the
// whole run.
static TensorPart partOf(const Sequence &sequence, const weft_tensor_info &declared,
                         llvm::ArrayRef<int64_t> sizes, int64_t first, int64_t count) {
  llvm::SmallVector<int64_t> values(sizes);
  values[sequence.countSymbol] = sizes[sequence.lengthSymbol];
  llvm::SmallVector<TensorPart::Dim> dims;
  for (int32_t symbol : llvm::ArrayRef(declared.symbols, declared.rank))
    dims.push_back(symbol == sequence.countSymbol    ? TensorPart::Dim::New
                   : symbol == sequence.lengthSymbol ? TensorPart::Dim::Seen
                                                     : TensorPart::Dim::Whole);
  return {dims, shapeOf(declared, values), first, count};
}

namespace {

// One example, fed piece by piece.
class ChunkedRun {
public:
  ChunkedRun(Sequence &sequence, llvm::ArrayRef<int64_t> sizes, const Chunks &chunks)
      : sequence(sequence), sizes(sizes), chunks(chunks), random(chunks.seed) {}

  // `results`: where each output of a call goes; null: nowhere.
  llvm::Error run(llvm::ArrayRef<const void *> given, llvm::ArrayRef<uint8_t *> results);

private:
  int64_t nextCount(int64_t left) {
    int64_t count = chunks.sizes.empty() ? 1 + int64_t(random() % 7)
                                         : chunks.sizes[calls % chunks.sizes.size()];
    ++calls;
    return std::min({count, left, sequence.mostPositions});
  }
  llvm::Error runChunk(llvm::ArrayRef<const void *> given, llvm::ArrayRef<uint8_t *> results,
                       int64_t first, int64_t count);

  Sequence &sequence;
  llvm::ArrayRef<int64_t> sizes;
  const Chunks &chunks;
  std::mt19937 random;
  size_t calls = 0;
};

} // namespace

llvm::Error ChunkedRun::runChunk(llvm::ArrayRef<const void *> given,
                                 llvm::ArrayRef<uint8_t *> results, int64_t first, int64_t count) {
  llvm::SmallVector<int64_t> values(sizes);
  values[sequence.countSymbol] = count;
  std::vector<AlignedBuffer> pieces, outputs;
  std::vector<const void *> inputs = sequence.pick(given);
  for (auto [declared, input] : llvm::zip_equal(sequence.inputs, inputs)) {
    if (!input)
      continue;
    TensorPart part = partOf(sequence, declared, sizes, first, count);
    int64_t bytes = elementsOf(declared).bytes();
    AlignedBuffer &piece = pieces.emplace_back(part.size() * bytes);
    auto *whole = static_cast<const uint8_t *>(input);
    part.forEach([&](int64_t from, int64_t to) {
      std::memcpy(piece.data() + to * bytes, whole + from * bytes, size_t(bytes));
    });
    input = piece.data();
  }
  for (const weft_tensor_info &output : sequence.outputs)
    outputs.emplace_back(bytesOf(output, values));
  if (llvm::Error error = sequence.advance(values, inputs, outputs))
    return error;
  for (auto [declared, output, result] : llvm::zip_equal(sequence.outputs, outputs, results)) {
    if (!result || dimsOf(declared, sequence.countSymbol) == 0)
      continue;
    int64_t bytes = elementsOf(declared).bytes();
    partOf(sequence, declared, sizes, first, count)
        .forEach([&, to = result, from = output.data()](int64_t whole, int64_t piece) {
          std::memcpy(to + whole * bytes, from + piece * bytes, size_t(bytes));
        });
  }
  return llvm::Error::success();
}

llvm::Error ChunkedRun::run(llvm::ArrayRef<const void *> given, llvm::ArrayRef<uint8_t *> results) {
  if (llvm::Error error = sequence.begin(sizes, given))
    return error;
  int64_t length = sizes[sequence.lengthSymbol];
  for (int64_t first = 0; first < length;) {
    int64_t count = nextCount(length - first);
    if (llvm::Error error = runChunk(given, results, first, count))
      return error;
    first += count;
  }
  for (auto [index, result] : llvm::enumerate(results))
    if (const AlignedBuffer *state = sequence.stateOf(int32_t(index)); state && result)
      std::memcpy(result, state->data(), size_t(state->size()));
  return llvm::Error::success();
}

// A table of pairs of positions has no part for a call that sees its own positions only.
static llvm::Error checkInputs(const Sequence &sequence, llvm::ArrayRef<const void *> given) {
  for (auto [declared, input] : llvm::zip_equal(sequence.inputs, sequence.pick(given)))
    if (input && dimsOf(declared, sequence.countSymbol) > 1)
      return llvm::createStringError(
          "--chunks: input '" + llvm::StringRef(declared.name) +
          "' has the positions in two dimensions, of which a piece would see its own only");
  return llvm::Error::success();
}

llvm::Expected<std::vector<OwnedTensor>> weft::executeInChunks(CompiledModel &model,
                                                               const weft_entry_info &entry,
                                                               const Binding &binding,
                                                               const Chunks &chunks) {
  std::unique_ptr<Sequence> sequence = Sequence::create(model, entry, binding.sizes);
  if (!sequence)
    return llvm::createStringError(
        "entry '" + llvm::StringRef(entry.name) +
        "' has no step: --chunks needs a model that generates, does not look ahead and "
        "is compiled without --no-step");
  if (llvm::Error error = checkInputs(*sequence, binding.pointers(entry, 0)))
    return std::move(error);
  std::vector<OwnedTensor> results;
  llvm::SmallVector<std::optional<size_t>> places; // of each output of a call, in the results
  for (auto [index, output] : llvm::enumerate(sequence->outputs)) {
    places.emplace_back();
    if (dimsOf(output, sequence->countSymbol) != 1 && !sequence->stateOf(int32_t(index)))
      continue;
    places.back() = results.size();
    results.push_back(makeResult(entry.outputs[sequence->wholeOf(int32_t(index))], binding));
  }
  int64_t examples = binding.examples();
  for (int64_t example = 0; example < examples; ++example) {
    llvm::SmallVector<uint8_t *> pointers;
    for (std::optional<size_t> place : places) {
      AlignedBuffer *whole = place ? &results[*place].data : nullptr;
      pointers.push_back(whole ? whole->data() + whole->size() / examples * example : nullptr);
    }
    ChunkedRun run(*sequence, binding.sizes, chunks);
    if (llvm::Error error = run.run(binding.pointers(entry, example), pointers))
      return std::move(error);
  }
  return std::move(results);
}
