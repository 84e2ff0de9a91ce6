//===- PartValues.cpp - neighbours in a weight ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PartValues.h"

#include "weft/Support/CodeTable.h"

using namespace llvm;
using namespace weft;

namespace {
class PartValues : public TensorValues {
public:
  PartValues(StoredWeight weight, int64_t start, int64_t count)
      : weight(std::move(weight)), start(start), count(count) {}

  void read(int64_t first, MutableArrayRef<float> out) override {
    weight.readReals(start + first, out);
    noteFailure();
  }
  Expected<std::vector<double>> interpret() override {
    std::vector<float> reals(size_t(count), 0.0f);
    read(0, reals);
    if (!problem.empty())
      return createStringError(problem);
    return std::vector<double>(reals.begin(), reals.end());
  }
  StringRef failure() const override { return problem; }
  uint64_t storedBytes() const override {
    return uint64_t(double(weight.storedBytes()) * double(count) / double(weight.count()));
  }
  std::optional<StoredCodes> findCodes() override {
    std::optional<StoredCodes> codes = weight.findCodes();
    return codes && start % getSpan(*codes) == 0 ? codes : std::nullopt;
  }
  void readCodes(CodesPart part, int64_t first, MutableArrayRef<float> out) override {
    StoredCodes codes = *weight.findCodes();
    bool isOuter = part == CodesPart::OuterScales || part == CodesPart::OuterShifts;
    int64_t elements = part == CodesPart::Codes ? 1 : isOuter ? getSpan(codes) : codes.group;
    weight.readCodes(part, start / elements + first, out);
    noteFailure();
  }

private:
  /// The elements that share all that codes share.
  static int64_t getSpan(const StoredCodes &codes) {
    return codes.group * std::max<int64_t>(infoOf(codes.table).span, 1);
  }
  void noteFailure() {
    if (Error error = weight.checkValues())
      problem = toString(std::move(error));
  }

  StoredWeight weight;
  int64_t start, count;
  std::string problem;
};
} // namespace

std::shared_ptr<TensorValues> weft::takePart(StoredWeight weight, int64_t first, int64_t count) {
  return std::make_shared<PartValues>(std::move(weight), first, count);
}
