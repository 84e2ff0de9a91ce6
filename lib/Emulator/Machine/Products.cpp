//===- Products.cpp - the numbers of a warpgroup's product ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Where an element is among threads and registers is written down from PTX ISA 9.7.15.5: warp w has
// the rows from 16 w on, as in mma of 16 rows. Sums are rounded once, which is at least as good as
// what GPUs do.
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Layout.h"
#include "Machine/Numbers.h"
#include "Machine/Warpgroup.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace weft::emulator;

uint32_t ProductForm::elementBytes() const {
  if (a == FactorType::TFloat)
    return 4;
  return a == FactorType::Half || a == FactorType::BFloat ? 2 : 1;
}

// Four bits of exponent and three of fraction, no infinities, one NaN.
static double decodeE4M3(uint32_t bits) {
  uint32_t exponent = bits >> 3 & 15, fraction = bits & 7;
  double value = (bits & 0x7f) == 0x7f ? std::numeric_limits<double>::quiet_NaN()
                 : exponent == 0       ? std::ldexp(fraction, -9)
                                       : std::ldexp(fraction + 8, int(exponent) - 10);
  return bits & 0x80 ? -value : value;
}

static double decodeFactor(uint32_t bits, FactorType type) {
  switch (type) {
  case FactorType::Half:
    return halfToFloat(uint16_t(bits));
  case FactorType::BFloat:
    return llvm::bit_cast<float>(bits << 16);
  case FactorType::TFloat: // the lower 13 bits do not count
    return llvm::bit_cast<float>(bits & 0xffffe000);
  case FactorType::E4M3:
    return decodeE4M3(bits);
  case FactorType::E5M2: // the upper half of an f16
    return halfToFloat(uint16_t(bits << 8));
  case FactorType::Signed8:
    return int8_t(bits);
  case FactorType::Unsigned8:
    return uint8_t(bits);
  }
  return 0;
}

namespace {

class Multiplier {
public:
  Multiplier(const Product &product, const uint8_t *shared)
      : product(product), form(product.form), shared(shared), bytes(form.elementBytes()),
        k(form.k()), a(64 * k), b(k * form.n), sums(form.n) {}

  void run() {
    if (form.has(RegistersA))
      gatherA();
    else
      load(product.a, 64, form.a, form.has(TransposedA), form.has(NegatedA),
           [&](uint32_t row, uint32_t i) -> double & { return a[row * k + i]; });
    load(product.b, form.n, form.b, form.has(TransposedB), form.has(NegatedB),
         [&](uint32_t row, uint32_t i) -> double & { return b[i * form.n + row]; });
    for (uint32_t row = 0; row < 64; ++row)
      computeRow(row);
  }

private:
  template <typename Place>
  void load(const SharedMatrix &matrix, uint32_t rows, FactorType type, bool transposed,
            bool negated, Place place) {
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t i = 0; i < k; ++i) {
        uint32_t bits = 0;
        std::memcpy(&bits, shared + (matrix.find(row, i, bytes, transposed) - kSharedStart), bytes);
        double value = decodeFactor(bits, type);
        place(row, i) = negated ? -value : value;
      }
  }

  // Register r of a thread has elements of one row; their columns lie side by side.
  void gatherA() {
    uint32_t elements = 4 / bytes;
    for (uint32_t t = 0; t < kGroupThreads; ++t)
      for (uint32_t r = 0; r < 4; ++r)
        for (uint32_t i = 0; i < elements; ++i) {
          uint32_t row = t / 32 * 16 + t % 32 / 4 + 8 * (r % 2);
          uint32_t column = t % 4 * elements + i + 4 * elements * (r / 2);
          uint32_t word = *product.requests[t].factor(r).value >> (8 * bytes * i);
          uint32_t bits = bytes == 4 ? word : word & ((1u << (8 * bytes)) - 1);
          double value = decodeFactor(bits, form.a);
          a[row * k + column] = form.has(NegatedA) ? -value : value;
        }
  }

  void computeRow(uint32_t row) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (uint32_t i = 0; i < k; ++i)
      for (uint32_t column = 0; column < form.n; ++column)
        sums[column] += a[row * k + i] * b[i * form.n + column];
    // Four threads have the row, eight columns apart from each other's next ones.
    for (uint32_t column = 0; column < form.n; ++column) {
      uint32_t t = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
      uint32_t element = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
      add(product.requests[t], element, sums[column]);
    }
  }

  void add(const ProductRequest &request, uint32_t element, double sum) {
    if (form.sum == SumType::Half) {
      uint32_t &word = *request.sum(element / 2).value, shift = element % 2 * 16;
      double old = product.adds ? halfToFloat(uint16_t(word >> shift)) : 0;
      word = (word & ~(0xffffu << shift)) |
             roundSmall(old + sum, SmallReal::Half, Rounding::Nearest) << shift;
      return;
    }
    uint32_t &word = *request.sum(element).value;
    if (form.sum == SumType::Integer) {
      double whole = (product.adds ? double(int32_t(word)) : 0) + sum;
      word = form.has(Saturated) ? uint32_t(realToInteger(whole, 32, true, false))
                                 : uint32_t(int64_t(whole));
      return;
    }
    double whole = (product.adds ? double(llvm::bit_cast<float>(word)) : 0) + sum;
    word = whole != whole ? 0x7fffffff : llvm::bit_cast<uint32_t>(float(whole));
  }

  const Product &product;
  const ProductForm &form;
  const uint8_t *shared;
  uint32_t bytes, k;
  std::vector<double> a, b, sums;
};

} // namespace

void weft::emulator::compute(Product &product, const uint8_t *shared) {
  Multiplier(product, shared).run();
  product.isComputed = true;
}
