//===- Contract.cpp - sums of products in float64 -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The loops run in the order in which memory is read best, so that a model of realistic size can
// be interpreted; sums are kept for the whole result at once, which makes every order right.
//
//===----------------------------------------------------------------------------------------===//

#include "Formula.h"

using namespace mlir;
using namespace weft;
using namespace weft::reference;

namespace {
/// Where the sums stand: row-major over the output indices, those of an element side by side.
struct Sums {
  explicit Sums(const Formula &f)
      : apart(cast<ContractOp>(f.op).getApartIndex()), number(cast<ContractOp>(f.op).getNumSums()),
        values(Tensor::Kind::Real, extents(f, number)) {}
  static ArrayRef<int64_t> outputExtents(const Formula &f) {
    return ArrayRef(f.extents).take_front(f.numOutputIndices);
  }
  static SmallVector<int64_t> extents(const Formula &f, int64_t number) {
    SmallVector<int64_t> all(outputExtents(f));
    all.push_back(number);
    return all;
  }
  int64_t stride(unsigned i) const {
    return i + 1 < values.shape().size() ? values.strides()[i] : i == apart;
  }
  int64_t offset(ArrayRef<int64_t> point) const {
    int64_t offset = apart ? point[*apart] : 0;
    for (unsigned i = 0; i + 1 < values.shape().size(); ++i)
      offset += point[i] * stride(i);
    return offset;
  }
  std::optional<unsigned> apart;
  int64_t number; ///< of an element
  Tensor values;
};
} // namespace

/// Which of the matrices a result is of, if data choose among them.
static std::optional<unsigned> findChosen(const Formula &f) {
  auto op = cast<ContractOp>(f.op);
  return op.getChosen() ? std::optional(op.getChosenIndex()) : std::nullopt;
}

/// What the elements at the formula's point choose.
static int64_t getChoice(const Formula &f, unsigned chosen) {
  int64_t choice = f.inputs[ContractOp::kChoice].load(f.point).integer;
  return choice >= 0 && choice < f.extents[chosen] ? choice : 0;
}

/// The index whose steps move least in memory is the innermost; one that moves unevenly, or by
/// which a matrix is chosen, is computed outside.
static SmallVector<unsigned> loopOrder(const Formula &f, const Sums &sums) {
  std::optional<unsigned> chosen = findChosen(f);
  auto chooses = [&](unsigned i) {
    return chosen && (i == *chosen || f.inputs[ContractOp::kChoice].access.uses(i));
  };
  auto distance = [&](unsigned i) {
    std::optional<int64_t> a = f.inputs[0].access.stride(i), b = f.inputs[1].access.stride(i);
    if (!a || !b || chooses(i))
      return INT64_MAX;
    return std::abs(*a) + std::abs(*b) + sums.stride(i);
  };
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, f.extents.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::make_pair(distance(b), a) < std::make_pair(distance(a), b);
  });
  return order;
}

/// Integers are exact in float64, and so are their sums.
template <typename Lhs, typename Rhs>
static void addLine(double *sums, int64_t sumStride, const Lhs *a, int64_t aStride, const Rhs *b,
                    int64_t bStride, int64_t n) {
  if (sumStride == 0) {
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i)
      sum += double(a[i * aStride]) * double(b[i * bStride]);
    *sums += sum;
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    sums[i * sumStride] += double(a[i * aStride]) * double(b[i * bStride]);
}

template <typename Lhs, typename Rhs>
static void addProducts(Formula &f, const std::vector<Lhs> &lhsElements,
                        const std::vector<Rhs> &rhsElements, Sums &sums) {
  SmallVector<unsigned> order = loopOrder(f, sums);
  std::optional<unsigned> chosen = findChosen(f);
  const Input &lhs = f.inputs[0], &rhs = f.inputs[1];
  const Lhs *a = lhsElements.data();
  const Rhs *b = rhsElements.data();
  unsigned inner = order.empty() ? 0 : order.back();
  std::optional<int64_t> aStride, bStride;
  if (!order.empty()) {
    aStride = lhs.access.stride(inner);
    bStride = rhs.access.stride(inner);
  }
  bool isLine = aStride && bStride;
  SmallVector<int64_t> extents, ordered(order.size());
  for (unsigned i : order)
    extents.push_back(f.extents[i]);
  int64_t length = isLine ? std::exchange(extents.back(), std::min<int64_t>(1, extents.back())) : 1;
  forEachPoint(extents, 0, ordered, [&] {
    for (auto [i, value] : llvm::zip(order, ordered))
      f.point[i] = value;
    if (chosen && f.point[*chosen] != getChoice(f, *chosen))
      return;
    addLine(&sums.values.reals[sums.offset(f.point)], isLine ? sums.stride(inner) : 0,
            a + lhs.access.offset(f.point), aStride.value_or(0), b + rhs.access.offset(f.point),
            bStride.value_or(0), length);
  });
}

llvm::Error weft::reference::evaluate(ContractOp op, Formula &f, const Environment &environment) {
  if (f.inputs.size() < 2)
    return errorAt(op, "a contraction needs two factors");
  auto epilogue = ScalarProgram::compile(op.getEpilogue(), f.extents.size(), environment);
  if (!epilogue)
    return epilogue.takeError();
  Sums sums(f);
  const Tensor &lhs = *f.inputs[0].tensor, &rhs = *f.inputs[1].tensor;
  bool isReal = lhs.isReal() || rhs.isReal();
  if (lhs.isReal() && rhs.isReal())
    addProducts(f, lhs.reals, rhs.reals, sums);
  else if (lhs.isReal())
    addProducts(f, lhs.reals, rhs.integers, sums);
  else if (rhs.isReal())
    addProducts(f, lhs.integers, rhs.reals, sums);
  else
    addProducts(f, lhs.integers, rhs.integers, sums);
  double scale = op.getScale().convertToDouble();
  std::optional<unsigned> chosen = findChosen(f);
  llvm::fill(f.point, 0);
  forEachPoint(Sums::outputExtents(f), 0, f.point, [&] {
    Scalar value;
    if (chosen)
      f.point[*chosen] = getChoice(f, *chosen);
    const double *sum = &sums.values.reals[sums.offset(f.point)];
    auto getSum = [&](int64_t number) {
      Scalar value;
      if (isReal)
        value.real = scale * sum[number];
      else
        value.integer = int64_t(sum[number]);
      return value;
    };
    if (op.getEpilogue().empty()) {
      value = getSum(0);
    } else {
      f.loadArguments(*epilogue, op.getFirstElementInput(), /*argument=*/unsigned(sums.number));
      for (int64_t i = 0; i != sums.number; ++i)
        epilogue->argument(unsigned(i)) = getSum(i);
      epilogue->run();
      value = epilogue->result();
    }
    f.store(value);
  });
  return llvm::Error::success();
}
