//===- MachineLimits.cpp - what a processor can do at best -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/MachineLimits.h"

#include "weft/Support/Format.h"
#include "weft/Support/InputFile.h"
#include "weft/Support/Json.h"
#include "weft/Support/JsonReader.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace weft;

size_t MachineLimits::levelOf(double bytes) const {
  size_t level = 0;
  while (level + 1 < reads.size() && *reads[level].bytes < bytes)
    ++level;
  return level;
}

std::string MachineLimits::levelName(size_t level) const {
  return level + 1 == reads.size() ? "memory" : "L" + std::to_string(level + 1);
}

//===----------------------------------------------------------------------------------------===//
// Prediction
//===----------------------------------------------------------------------------------------===//

static constexpr std::pair<Unit, llvm::StringLiteral> unitNames[] = {
    {Unit::Elements, "elements"},
    {Unit::F32, "f32"},
    {Unit::BF16, "bf16"},
    {Unit::Int8, "int8"},
};

llvm::StringRef weft::unitName(Unit unit) {
  return llvm::find_if(unitNames, [&](const auto &name) { return name.first == unit; })->second;
}

std::optional<Unit> weft::findUnit(llvm::StringRef name) {
  for (const auto &[unit, known] : unitNames)
    if (known == name)
      return unit;
  return std::nullopt;
}

static double rateOf(const MachineLimits &machine, Unit unit) {
  switch (unit) {
  case Unit::Elements:
    return machine.f32 / 2;
  case Unit::F32:
    return machine.f32;
  case Unit::BF16:
    return machine.bf16;
  case Unit::Int8:
    return machine.int8;
  }
  llvm_unreachable("unknown unit");
}

Prediction weft::predictTime(const MachineLimits &machine, const KernelWork &work,
                             double allWeights) {
  double arithmetic = 1e-9 * work.flops * work.passes / rateOf(machine, work.unit);
  double functions = 1e-9 * work.functions / machine.exponentials;
  double others = work.bytes - work.weights;
  size_t weightsLevel = machine.levelOf(allWeights), othersLevel = machine.levelOf(others);
  double weightsTime = 1e-9 * work.weights / machine.reads[weightsLevel].rate;
  double othersTime = 1e-9 * others / machine.reads[othersLevel].rate;
  if (weightsTime + othersTime > arithmetic + functions)
    return {weightsTime + othersTime,
            machine.levelName(weightsTime > othersTime ? weightsLevel : othersLevel)};
  return {arithmetic + functions, functions > arithmetic ? "exp" : unitName(work.unit).str()};
}

MachineLimits weft::getTypicalLimits(int64_t lanes, bool tiles, bool codeDots) {
  // Two instructions a cycle at 2.7 GHz; an exponential is 15 of them.
  MachineLimits limits;
  limits.f32 = 10.8 * double(lanes);
  limits.bf16 = tiles ? 16 * limits.f32 : limits.f32;
  limits.int8 = tiles ? 32 * limits.f32 : codeDots ? 4 * limits.f32 : limits.f32;
  limits.exponentials = limits.f32 / 30;
  limits.reads = {{double(48 << 10), 20.0 * double(lanes)},
                  {double(2 << 20), 8.0 * double(lanes)},
                  {double(32 << 20), 26},
                  {std::nullopt, 15}};
  return limits;
}

//===----------------------------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------------------------===//

static double readRate(const JsonReader &value) {
  double rate = value.number();
  if (!value.failed() && !(rate > 0 && std::isfinite(rate)))
    value.fail("is no rate above 0");
  return rate;
}

static void readLevels(const JsonReader &value, MachineLimits &into) {
  std::vector<JsonReader> levels = value.elements();
  if (levels.empty())
    value.fail("names no level");
  for (const JsonReader &level : levels) {
    level.onlyMembers({"bytes", "rate"});
    MachineLimits::Level &read = into.reads.emplace_back();
    read.rate = readRate(level["rate"]);
    bool isMemory = into.reads.size() == levels.size();
    if (isMemory != level["bytes"].isNull())
      level.fail(isMemory ? "is the last level, memory, and has 'bytes'" : "has no 'bytes'");
    if (isMemory || value.failed())
      continue;
    read.bytes = level["bytes"].number();
    double before = into.reads.size() > 1 ? *into.reads[into.reads.size() - 2].bytes : 0;
    if (!value.failed() && !(*read.bytes > before))
      level["bytes"].fail("is not more than the level before has");
  }
}

llvm::Expected<MachineLimits> weft::readLimits(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = readInputFile(path);
  if (!text)
    return text.takeError();
  llvm::Expected<llvm::json::Value> value = parseJson((*text)->getBuffer(), path);
  if (!value)
    return value.takeError();
  JsonReader::File file{path.str(), ""};
  JsonReader root(&*value, file);
  root.onlyMembers({"f32", "bf16", "int8", "exp", "reads"});
  MachineLimits limits;
  limits.origin = path.str();
  limits.f32 = readRate(root["f32"]);
  limits.bf16 = readRate(root["bf16"]);
  limits.int8 = readRate(root["int8"]);
  limits.exponentials = readRate(root["exp"]);
  readLevels(root["reads"], limits);
  if (llvm::Error error = file.takeError())
    return std::move(error);
  return limits;
}

void weft::printLimits(const MachineLimits &machine, llvm::raw_ostream &os) {
  print(os,
        "{{\n  \"f32\": {:.1f},\n  \"bf16\": {:.1f},\n  \"int8\": {:.1f},\n  \"exp\": {:.2f},\n",
        machine.f32, machine.bf16, machine.int8, machine.exponentials);
  os << "  \"reads\": [";
  for (const MachineLimits::Level &level : machine.reads) {
    os << (&level == &machine.reads.front() ? "\n    {" : ",\n    {");
    if (level.bytes)
      print(os, "\"bytes\": {:.0f}, ", *level.bytes);
    print(os, "\"rate\": {:.1f}}}", level.rate);
  }
  os << "\n  ]\n}\n";
}

std::string weft::limitsText(const MachineLimits &machine) {
  return fmt::format("{}: {:.0f} GFLOP/s in f32, {:.0f} in bf16, {:.0f} in int8, "
                     "{:.1f} G exponentials/s, memory {:.1f} GB/s",
                     machine.origin, machine.f32, machine.bf16, machine.int8, machine.exponentials,
                     machine.reads.back().rate);
}
