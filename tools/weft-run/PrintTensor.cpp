//===- PrintTensor.cpp - a tensor as a person reads it --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PrintTensor.h"
#include "weft/Support/Format.h"

using namespace weft;

namespace {

class TensorPrinter {
public:
  TensorPrinter(const StoredTensor &tensor, llvm::raw_ostream &os)
      : tensor(tensor), os(os), all(tensor.count() <= 64) {
    visit(0, 0, [this](int64_t element) { width = std::max(width, textOf(element).size()); });
  }

  // The elements from `element` on, of dimensions `dim` and behind.
  void printFrom(size_t dim, int64_t element) {
    if (dim == tensor.shape.size())
      return print(os, "{:>{}}", textOf(element), width);
    bool isRow = dim + 1 == tensor.shape.size();
    std::string between = isRow ? ", " : ",\n" + std::string(dim + 1, ' ');
    print(os, "[");
    for (int64_t i = 0; i < tensor.shape[dim]; i = next(dim, i)) {
      print(os, "{}", i ? between : "");
      if (skipsTo(dim, i))
        print(os, "...{}", between);
      printFrom(dim + 1, element + i * stride(dim));
    }
    print(os, "]");
  }

private:
  static constexpr int64_t edge = 3;

  bool isCut(size_t dim) const { return !all && tensor.shape[dim] > 2 * edge; }
  // The next index that is shown, and whether some before this one are not.
  int64_t next(size_t dim, int64_t i) const {
    return isCut(dim) && i == edge - 1 ? tensor.shape[dim] - edge : i + 1;
  }
  bool skipsTo(size_t dim, int64_t i) const { return isCut(dim) && i == tensor.shape[dim] - edge; }

  int64_t stride(size_t dim) const {
    int64_t result = 1;
    for (size_t d = dim + 1; d < tensor.shape.size(); ++d)
      result *= tensor.shape[d];
    return result;
  }
  template <typename F> void visit(size_t dim, int64_t element, F use) const {
    if (dim == tensor.shape.size())
      return use(element);
    for (int64_t i = 0; i < tensor.shape[dim]; i = next(dim, i))
      visit(dim + 1, element + i * stride(dim), use);
  }
  std::string textOf(int64_t element) const {
    return infoOf(tensor.type).isReal() ? fmt::format("{:.5g}", realAt(tensor, element))
                                        : fmt::format("{}", intAt(tensor, element));
  }

  const StoredTensor &tensor;
  llvm::raw_ostream &os;
  bool all;
  size_t width = 0; // of the longest element that is shown
};

} // namespace

void weft::printTensor(const StoredTensor &tensor, llvm::raw_ostream &os) {
  print(os, "{}: {} {}\n", tensor.name, infoOf(tensor.type).fileName, shapeString(tensor.shape));
  TensorPrinter(tensor, os).printFrom(0, 0);
  print(os, "\n");
}
