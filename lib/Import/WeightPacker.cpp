//===- WeightPacker.cpp - From a checkpoint to the weights file -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/WeightPacker.h"

#include "KeptCodes.h"
#include "Packer.h"

using namespace llvm;

namespace weft {

/// Writes the contents with `write` for each weight; the weights' order is that of their offsets.
static Error writeFile(raw_ostream &os, const WeightsFile &file, PackingProgress progress,
                       function_ref<Error(Packer &, size_t)> write) {
  Packer packer(os, progress);
  packer.header(file);
  for (size_t i = 0; i < file.weights.size(); ++i) {
    packer.seek(file.weights[i].offset);
    if (Error error = write(packer, i))
      return error;
  }
  packer.seek(file.totalBytes());
  return Error::success();
}

/// A number too large for the type of the weight would silently become infinite.
static Error checkReals(ArrayRef<PackedWeight> weights, ArrayRef<StoredWeight> found,
                        StringRef path) {
  for (auto [weight, stored] : zip_equal(weights, found))
    for (const StoredTensor *tensor : stored.parts)
      if (int64_t i = tensor->values ? -1
                                     : findBeyond(weight.source.type, tensor->type,
                                                  tensor->bytes.data(), tensor->count());
          i >= 0)
        return createStringError(path + ": error: tensor '" + tensor->name + "': element " +
                                 Twine(i) + " is too large for a " +
                                 Twine(infoOf(weight.source.type).bits) + "-bit real");
  return Error::success();
}

static Expected<std::vector<StoredWeight>> findWeights(const WeightsFile &file,
                                                       const Checkpoint &checkpoint) {
  std::vector<WeightRequest> requests;
  requests.reserve(file.weights.size());
  for (const PackedWeight &weight : file.weights)
    requests.push_back(weight.source);
  return checkpoint.match(requests, [&](size_t i) { return bool(file.weights[i].fill); });
}

Error checkWeights(const WeightsFile &file, const Checkpoint &checkpoint) {
  return findWeights(file, checkpoint).takeError();
}

Error packWeights(raw_ostream &os, const WeightsFile &file, const Checkpoint &checkpoint,
                  PackingProgress progress) {
  auto tensors = findWeights(file, checkpoint);
  if (!tensors)
    return tensors.takeError();
  if (Error error = checkReals(file.weights, *tensors, checkpoint.path()))
    return error;
  return writeFile(os, file, progress, [&](Packer &packer, size_t i) -> Error {
    const PackedWeight &weight = file.weights[i];
    const StoredWeight &stored = (*tensors)[i];
    if (!stored && weight.coded)
      return packer.coded(
          weight,
          [&](int64_t, MutableArrayRef<float> out) {
            std::fill(out.begin(), out.end(), float(*weight.fill));
          },
          checkpoint.path());
    if (!stored)
      return packer.fill(weight), Error::success();
    if (!infoOf(weight.source.type).isReal())
      return packer.integers(weight, stored, checkpoint.path());
    auto read = [&](int64_t first, MutableArrayRef<float> out) { stored.readReals(first, out); };
    if (isScaled(weight) && isKept(weight.coded->format, stored)) {
      if (!packer.kept(weight, stored))
        return refuseInfinite(weight, checkpoint.path());
    } else if (weight.coded) {
      if (Error error = packer.coded(weight, read, checkpoint.path()))
        return error;
    } else {
      packer.reals(weight, read);
    }
    if (Error error = stored.checkValues())
      return createStringError(checkpoint.path() + ": error: " + toString(std::move(error)));
    return Error::success();
  });
}

} // namespace weft
