//===- ExpectedTensors.cpp - results and what is expected of them ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ExpectedTensors.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

// One line: the largest difference, where it is, and what is allowed.
static void printComparison(const StoredTensor &got, const StoredTensor &expected,
                            const Comparison &result, llvm::raw_ostream &os) {
  print(os, "{}: ", got.name);
  if (!result.sameShape)
    return print(os, "MISMATCH: shape is {}, expected {}\n", shapeString(got.shape),
                 shapeString(expected.shape));
  if (result.wrong)
    print(os, "MISMATCH: {} of {} elements; ", result.wrong, got.count());
  print(os, "largest difference {:.3g}", result.worst);
  if (result.worst > 0)
    print(os, " at {} (got {:.9g}, expected {:.9g})", positionText(got.shape, result.place),
          realAt(got, result.place), realAt(expected, result.place));
  print(os, ", allowed {:.3g}\n", result.allowed);
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

ExpectedTensors weft::expectedOfCall(const CompiledModel &model, const SafeTensorsFile &file) {
  ExpectedTensors expected = allTensors(file);
  leaveOut(expected, [&](const StoredTensor &tensor) {
    bool generated = model.info().generate_entry >= 0 &&
                     (tensor.name == "generated_ids" || tensor.name == "step_logits");
    return generated ? "it belongs to --generate" : nullptr;
  });
  return expected;
}

ExpectedTensors weft::expectedOfGeneration(const CompiledModel &model,
                                           const SafeTensorsFile &file) {
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
  bool agree = true, isEmpty = mask != nullptr;
  for (const StoredTensor *wanted : expected) {
    const OwnedTensor *result = llvm::find_if(
        results, [&](const OwnedTensor &candidate) { return candidate.name == wanted->name; });
    if (result == results.end()) {
      std::vector<std::string> names;
      for (const OwnedTensor &candidate : results)
        names.push_back(candidate.name);
      return llvm::createStringError("the model has no output '" + wanted->name +
                                     "'; it has: " + joinNames(names));
    }
    Comparison comparison = compare(result->view(), *wanted, tolerance, mask);
    printComparison(result->view(), *wanted, comparison, llvm::outs());
    agree &= comparison.agrees();
    isEmpty &= comparison.sameShape && comparison.compared == 0;
  }
  if (expected.empty())
    return llvm::createStringError(
        "nothing to compare with: the file of expected values has no result of this run");
  if (isEmpty)
    return llvm::createStringError("nothing to compare: '" + mask->name + "' is 0 everywhere");
  return agree;
}
