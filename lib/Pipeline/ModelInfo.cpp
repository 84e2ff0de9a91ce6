//===- ModelInfo.cpp - what a model is, and what becomes of it ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ModelInfo.h"

#include "DescribedModel.h"
#include "weft/Runner/Describe.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace weft;

CheckpointInfo weft::describeCheckpoint(const Checkpoint &checkpoint) {
  CheckpointInfo info;
  info.path = checkpoint.path().str();
  for (StringRef path : checkpoint.filePaths())
    info.files.push_back(sys::path::filename(path).str());
  for (const StoredTensor *tensor : checkpoint.tensors()) {
    TypeCount &count = info.types[tensor->storedAs().str()];
    ++count.tensors;
    count.elements += tensor->numbers();
    count.bytes += int64_t(tensor->bytes.size());
    count.isBlocks = !tensor->format.empty();
  }
  return info;
}

int64_t weft::getScratchBytes(const MemoryReport &memory) {
  int64_t largest = 0;
  for (const ArenaReport &arena : memory.arenas)
    if (arena.entry)
      largest = std::max(largest, arena.bytes);
  return largest;
}

int64_t weft::getStateBytes(const MemoryReport &memory) {
  int64_t largest = 0;
  for (const StateReport &state : memory.states)
    largest = std::max(largest, state.bytes);
  return largest;
}

static TypeCount sumOf(const TypeCounts &types) {
  TypeCount sum;
  for (const auto &[type, count] : types) {
    sum.tensors += count.tensors;
    sum.elements += count.elements;
    sum.bytes += count.bytes;
  }
  return sum;
}

/// Whether the report says why it is as it is: an attention, or what could have been one.
static bool isTold(const FusedFormula &formula) {
  return formula.streams || !formula.reason.empty();
}

//===----------------------------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------------------------===//

static std::string countText(int64_t count, StringRef what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

static void printTypes(const TypeCounts &types, raw_ostream &os) {
  for (const auto &[type, count] : types) {
    print(os, "  {}: {}, {} numbers, {}", type, countText(count.tensors, "tensor"), count.elements,
          sizeText(count.bytes));
    if (count.isBlocks && count.elements)
      print(os, ", {:.4g} bits each", 8.0 * double(count.bytes) / double(count.elements));
    os << "\n";
  }
}

static void printCheckpoint(const CheckpointInfo &checkpoint, raw_ostream &os) {
  TypeCount all = sumOf(checkpoint.types);
  print(os, "checkpoint {}: {}, {} numbers, {} in {}\n", checkpoint.path,
        countText(all.tensors, "tensor"), all.elements, sizeText(all.bytes),
        checkpoint.files.size() == 1 ? checkpoint.files.front()
                                     : countText(int64_t(checkpoint.files.size()), "file"));
  printTypes(checkpoint.types, os);
}

static void printFusions(const ModelInfo &info, raw_ostream &os) {
  if (!info.isFused)
    os << "attention: nothing is fused without optimisation (-O0)\n";
  for (const FunctionFusions &fusions : info.fusions)
    for (const FusedFormula &formula : fusions.formulas)
      if (isTold(formula))
        print(os, "attention {} of {} {}: {}{}{} ({})\n", formula.name,
              fusions.entry ? "entry" : "layer", fusions.function, formula.form,
              formula.reason.empty() ? "" : "; ", formula.reason, formula.place);
}

/// "T = 64, S = 16"
static std::string sizesText(const ModelInfo &info) {
  return join(map_range(info.sizes,
                        [](const SymbolDescription &size) {
                          return size.name + " = " + std::to_string(size.bound);
                        }),
              ", ");
}

static void printMemoryUse(const ModelInfo &info, raw_ostream &os) {
  TypeCount all = sumOf(info.stored);
  print(os, "weights: {}, {} numbers, {}\n", countText(all.tensors, "tensor"), all.elements,
        sizeText(all.bytes));
  printTypes(info.stored, os);
  std::string sizes = sizesText(info);
  print(os, "memory{}{}: weights {}, scratch {}, state {}, peak {}\n", sizes.empty() ? "" : " at ",
        sizes, sizeText(info.memory.weightsBytes), sizeText(getScratchBytes(info.memory)),
        sizeText(getStateBytes(info.memory)), sizeText(info.memory.peakBytes));
}

void weft::printInfo(const ModelInfo &info, raw_ostream &os) {
  if (!info.modelType.empty())
    print(os, "type {}\n", info.modelType);
  print(os, "text {}{}{}\n", info.text, info.isLibraryText ? " of the library" : "",
        info.modelClass.empty() ? "" : ", model " + info.modelClass);
  if (info.checkpoint)
    printCheckpoint(*info.checkpoint, os);
  else
    os << "no checkpoint\n";
  describe(DescribedModel(info.interface).info(), os);
  if (!info.batch.empty())
    print(os, "batch {}\n", info.batch);
  printFusions(info, os);
  for (const std::string &remark : info.remarks)
    print(os, "no step: {}\n", remark);
  printMemoryUse(info, os);
}

//===----------------------------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------------------------===//

/// Paths and names of files may be any bytes.
static json::Value textOf(StringRef text) {
  return text.empty() ? json::Value(nullptr) : json::Value(json::fixUTF8(text));
}

static json::Object typesAsJson(const TypeCounts &types) {
  json::Object object;
  for (const auto &[type, count] : types)
    object[type] = json::Object{
        {"tensors", count.tensors}, {"elements", count.elements}, {"bytes", count.bytes}};
  return object;
}

static json::Value checkpointAsJson(const std::optional<CheckpointInfo> &checkpoint) {
  if (!checkpoint)
    return nullptr;
  json::Array files;
  for (const std::string &file : checkpoint->files)
    files.push_back(textOf(file));
  return json::Object{{"path", textOf(checkpoint->path)},
                      {"files", std::move(files)},
                      {"types", typesAsJson(checkpoint->types)}};
}

static json::Array fusionsAsJson(const ModelInfo &info) {
  json::Array list;
  for (const FunctionFusions &fusions : info.fusions)
    for (const FusedFormula &formula : fusions.formulas)
      if (isTold(formula))
        list.push_back(json::Object{{"function", fusions.function},
                                    {"entry", fusions.entry},
                                    {"name", formula.name},
                                    {"place", json::fixUTF8(formula.place)},
                                    {"streams", formula.streams},
                                    {"form", formula.form},
                                    {"reason", textOf(formula.reason)}});
  return list;
}

static json::Object memoryAsJson(const ModelInfo &info) {
  json::Object sizes;
  for (const SymbolDescription &size : info.sizes)
    sizes[size.name] = size.bound;
  return json::Object{{"sizes", std::move(sizes)},
                      {"weights_bytes", info.memory.weightsBytes},
                      {"scratch_bytes", getScratchBytes(info.memory)},
                      {"state_bytes", getStateBytes(info.memory)},
                      {"peak_bytes", info.memory.peakBytes}};
}

json::Object weft::infoAsJson(const ModelInfo &info) {
  json::Array remarks;
  for (const std::string &remark : info.remarks)
    remarks.push_back(json::fixUTF8(remark));
  return json::Object{{"model_type", textOf(info.modelType)},
                      {"class", textOf(info.modelClass)},
                      {"text", textOf(info.text)},
                      {"library", info.isLibraryText},
                      {"checkpoint", checkpointAsJson(info.checkpoint)},
                      {"model", describeAsJson(DescribedModel(info.interface).info())},
                      {"weights", typesAsJson(info.stored)},
                      {"attention", fusionsAsJson(info)},
                      {"no_step", std::move(remarks)},
                      {"batch", textOf(info.batch)},
                      {"memory", memoryAsJson(info)}};
}
