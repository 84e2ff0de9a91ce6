//===- Compare.cpp - results and what is expected of them -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Compare.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace weft;

namespace {

// Which elements of a tensor count: all, or those at positions that a mask does not leave out.
class Compared {
public:
  Compared(const StoredTensor &tensor, const StoredTensor *mask) {
    if (!mask || tensor.shape.size() < mask->shape.size() ||
        llvm::ArrayRef(tensor.shape).take_front(mask->shape.size()) != llvm::ArrayRef(mask->shape))
      return;
    positions = mask;
    elements = mask->count() ? tensor.count() / mask->count() : 1;
  }
  bool operator()(int64_t i) const { return !positions || realAt(*positions, i / elements) != 0; }

private:
  const StoredTensor *positions = nullptr;
  int64_t elements = 1; // at each position
};

} // namespace

static double largestMagnitude(const StoredTensor &tensor, const Compared &compared) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.count(); ++i)
    if (double value = std::abs(realAt(tensor, i)); compared(i) && std::isfinite(value))
      largest = std::max(largest, value);
  return largest;
}

bool weft::compare(const StoredTensor &got, const StoredTensor &expected, Tolerance tolerance,
                   const StoredTensor *mask, llvm::raw_ostream &os) {
  print(os, "{}: ", got.name);
  if (got.shape != expected.shape) {
    print(os, "MISMATCH: shape is {}, expected {}\n", shapeString(got.shape),
          shapeString(expected.shape));
    return false;
  }
  Compared compared(expected, mask);
  double allowed =
      isRealType(got.type)
          ? tolerance.relative * largestMagnitude(expected, compared) + tolerance.absolute
          : 0;
  double worst = 0;
  int64_t place = 0, wrong = 0;
  for (int64_t i = 0; i < got.count(); ++i) {
    if (!compared(i))
      continue;
    double value = realAt(got, i), wanted = realAt(expected, i);
    // Infinities of one sign agree; anything with NaN does not.
    double difference = value == wanted ? 0 : std::abs(value - wanted);
    if (std::isnan(difference))
      difference = std::numeric_limits<double>::infinity();
    wrong += difference > allowed;
    if (difference > worst) {
      worst = difference;
      place = i;
    }
  }
  if (wrong)
    print(os, "MISMATCH: {} of {} elements; ", wrong, got.count());
  print(os, "largest difference {:.3g}", worst);
  if (worst > 0)
    print(os, " at {} (got {:.9g}, expected {:.9g})", positionText(got.shape, place),
          realAt(got, place), realAt(expected, place));
  print(os, ", allowed {:.3g}\n", allowed);
  return wrong == 0;
}

//===----------------------------------------------------------------------------------------===//
// The tensors of a file
//===----------------------------------------------------------------------------------------===//

llvm::Expected<std::optional<SafeTensorsFile>> weft::openFile(llvm::StringRef path) {
  std::optional<SafeTensorsFile> file;
  if (path.empty())
    return std::move(file);
  llvm::Expected<SafeTensorsFile> opened = SafeTensorsFile::open(path);
  if (!opened)
    return opened.takeError();
  file.emplace(std::move(*opened));
  return std::move(file);
}

void weft::leaveOut(ExpectedTensors &expected,
                    llvm::function_ref<const char *(const StoredTensor &)> reason) {
  llvm::erase_if(expected, [&](const StoredTensor *tensor) {
    const char *why = reason(*tensor);
    if (why)
      llvm::errs() << "weft-run: note: expected '" << tensor->name << "' is not compared: " << why
                   << "\n";
    return why != nullptr;
  });
}

static ExpectedTensors allTensors(const SafeTensorsFile &file) {
  return ExpectedTensors(llvm::make_pointer_range(file.tensors()));
}

ExpectedTensors weft::expectedOfCall(const Model &model, const SafeTensorsFile &file) {
  ExpectedTensors expected = allTensors(file);
  leaveOut(expected, [&](const StoredTensor &tensor) {
    bool generated = model.info().generate_entry >= 0 &&
                     (tensor.name == "generated_ids" || tensor.name == "step_logits");
    return generated ? "it belongs to --generate" : nullptr;
  });
  return expected;
}

ExpectedTensors weft::expectedOfGeneration(const Model &model, const SafeTensorsFile &file) {
  const weft_entry_info &entry = model.entries()[model.info().generate_entry];
  ExpectedTensors expected = allTensors(file);
  leaveOut(expected, [&](const StoredTensor &tensor) {
    return findTensor(outputsOf(entry), tensor.name) ? "it belongs to a run without --generate"
                                                     : nullptr;
  });
  return expected;
}

llvm::Expected<bool> weft::compareAll(llvm::ArrayRef<OwnedTensor> results,
                                      llvm::ArrayRef<const StoredTensor *> expected,
                                      Tolerance tolerance, const StoredTensor *mask) {
  bool agree = true;
  for (const StoredTensor *wanted : expected) {
    const OwnedTensor *result = llvm::find_if(
        results, [&](const OwnedTensor &candidate) { return candidate.name == wanted->name; });
    if (result == results.end()) {
      std::vector<std::string> names;
      for (const OwnedTensor &candidate : results)
        names.push_back(candidate.name);
      return fail("the model has no output '" + wanted->name + "'; it has: " + joinNames(names));
    }
    agree &= compare(result->view(), *wanted, tolerance, mask, llvm::outs());
  }
  if (expected.empty())
    return fail("nothing to compare with: the file of expected values has no result of this run");
  return agree;
}
