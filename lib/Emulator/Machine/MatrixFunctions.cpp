//===- MatrixFunctions.cpp - what a warp does with matrices ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Where an element is among the lanes and registers is written down from PTX ISA 9.7.14: in the
// manual's words, lane = 4 * group + member.
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Memory.h"
#include "Machine/Numbers.h"
#include "Machine/Runtime.h"

#include "llvm/ADT/bit.h"

#include <cstring>

using namespace weft::emulator;

static constexpr uint32_t wholeWarp = 0xffffffff;

namespace {

/// A row of eight elements of 16 bits for each of the lanes that have one, and the registers.
struct RowPayload {
  uint8_t *row;
  uint32_t *registers;
};

struct ProductPayload {
  const uint32_t *a, *b, *c;
  uint32_t *d;
};

} // namespace

static uint8_t *checkRow(Thread &thread, uint64_t address, uint32_t matrices, AccessKind kind,
                         uint32_t line) {
  if (thread.registers.lane >= 8 * matrices)
    return nullptr;
  return checkAccess(thread, {address, 16, weft::ptx::Space::Shared, kind, line});
}

// The two places of a lane's register in matrix `m`: row and element.
static uint8_t *findElement(const LanePayloads &lanes, uint32_t m, uint32_t lane, uint32_t half,
                            bool transposed) {
  uint32_t row = lane / 4, element = lane % 4 * 2 + half;
  if (transposed)
    std::swap(row, element);
  return static_cast<RowPayload *>(lanes[8 * m + row])->row + 2 * element;
}

static void loadMatrices(Thread *thread, uint64_t address, uint32_t matrices, uint32_t transposed,
                         uint32_t *results, uint32_t line) {
  RowPayload own{checkRow(*thread, address, matrices, AccessKind::Read, line), results};
  thread->block->meetings.meet(
      *thread, wholeWarp, "ldmatrix", true, line, &own, [&](const LanePayloads &lanes) {
        for (uint32_t lane = 0; lane < 32; ++lane)
          for (uint32_t m = 0; m < matrices; ++m) {
            uint16_t halves[2];
            for (uint32_t half = 0; half < 2; ++half)
              std::memcpy(&halves[half], findElement(lanes, m, lane, half, transposed), 2);
            static_cast<RowPayload *>(lanes[lane])->registers[m] = halves[0] | uint32_t(halves[1])
                                                                                   << 16;
          }
      });
}

static void storeMatrices(Thread *thread, uint64_t address, uint32_t matrices, uint32_t transposed,
                          uint32_t *values, uint32_t line) {
  RowPayload own{checkRow(*thread, address, matrices, AccessKind::Write, line), values};
  thread->block->meetings.meet(
      *thread, wholeWarp, "stmatrix", true, line, &own, [&](const LanePayloads &lanes) {
        for (uint32_t lane = 0; lane < 32; ++lane)
          for (uint32_t m = 0; m < matrices; ++m)
            for (uint32_t half = 0; half < 2; ++half) {
              uint32_t word = static_cast<RowPayload *>(lanes[lane])->registers[m];
              uint16_t value = uint16_t(word >> (16 * half));
              std::memcpy(findElement(lanes, m, lane, half, transposed), &value, 2);
            }
      });
}

// The lane has two elements of a row: of the transposed matrix they are in two rows.
static uint32_t transposeMatrix(Thread *thread, uint32_t word, uint32_t line) {
  thread->block->meetings.meet(
      *thread, wholeWarp, "movmatrix", true, line, &word, [](const LanePayloads &lanes) {
        uint32_t results[32] = {};
        for (uint32_t i = 0; i < 64; ++i) {
          uint32_t row = i / 8, column = i % 8;
          uint32_t from = *static_cast<uint32_t *>(lanes[4 * column + row / 2]);
          results[4 * row + column / 2] |= (from >> (16 * (row % 2)) & 0xffff)
                                           << (16 * (column % 2));
        }
        for (uint32_t lane = 0; lane < 32; ++lane)
          *static_cast<uint32_t *>(lanes[lane]) = results[lane];
      });
  return word;
}

// Elements that share a register.
static constexpr uint32_t countTogether(MatrixType type) {
  return type == MatrixType::TFloat ? 1 : type == MatrixType::Bytes ? 4 : 2;
}

// An element of 16 bits is half of a register; of tf32 the lower 13 bits do not count.
template <MatrixType type>
static double readFactor(const uint32_t *registers, uint32_t i, bool isA) {
  if (type == MatrixType::TFloat)
    return llvm::bit_cast<float>(registers[i] & 0xffffe000);
  if (type == MatrixType::Bytes) {
    uint8_t byte = uint8_t(registers[i / 4] >> (8 * (i % 4)));
    return isA ? double(byte) : double(int8_t(byte));
  }
  uint16_t bits = uint16_t(registers[i / 2] >> (16 * (i % 2)));
  return type == MatrixType::Half ? halfToFloat(bits) : llvm::bit_cast<float>(uint32_t(bits) << 16);
}

namespace {

/// The factors of m16n8: A is 16 by k, B is k by 8.
struct Factors {
  double a[16][32], b[32][8];
};

} // namespace

template <MatrixType type>
static void gatherFactors(const LanePayloads &lanes, uint32_t k, Factors &factors) {
  // Those of a register are neighbouring columns (of A) or rows (of B).
  constexpr uint32_t pair = countTogether(type);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    auto *own = static_cast<ProductPayload *>(lanes[lane]);
    uint32_t group = lane / 4, member = lane % 4;
    for (uint32_t i = 0; i < k / 2; ++i) {
      uint32_t row = group + 8 * (i / pair % 2);
      uint32_t column = member * pair + i % pair + 4 * pair * (i / (2 * pair));
      factors.a[row][column] = readFactor<type>(own->a, i, /*isA=*/true);
    }
    for (uint32_t i = 0; i < k / 4; ++i) {
      uint32_t row = member * pair + i % pair + 4 * pair * (i / pair);
      factors.b[row][group] = readFactor<type>(own->b, i, /*isA=*/false);
    }
  }
}

// Sums of reals are rounded once, which is at least as good as what GPUs do. Those of a row are
// computed side by side.
template <MatrixType type> static void multiply(const LanePayloads &lanes, uint32_t k) {
  constexpr bool isWhole = type == MatrixType::Bytes;
  Factors factors;
  gatherFactors<type>(lanes, k, factors);
  for (uint32_t row = 0; row < 16; ++row) {
    // Four lanes have the row, two columns each.
    auto payload = [&](uint32_t column) {
      return static_cast<ProductPayload *>(lanes[row % 8 * 4 + column / 2]);
    };
    auto element = [&](uint32_t column) { return row / 8 * 2 + column % 2; };
    double sums[8];
    for (uint32_t column = 0; column < 8; ++column) {
      uint32_t bits = payload(column)->c[element(column)];
      sums[column] = isWhole ? double(int32_t(bits)) : llvm::bit_cast<float>(bits);
    }
    for (uint32_t inner = 0; inner < k; ++inner)
      for (uint32_t column = 0; column < 8; ++column)
        sums[column] += factors.a[row][inner] * factors.b[inner][column];
    for (uint32_t column = 0; column < 8; ++column) {
      double sum = sums[column];
      uint32_t &result = payload(column)->d[element(column)];
      if (isWhole) // what is too large goes around
        result = uint32_t(int64_t(sum));
      else
        result = sum != sum ? 0x7fffffff : llvm::bit_cast<uint32_t>(float(sum));
    }
  }
}

static void multiply(const LanePayloads &lanes, uint32_t k, MatrixType type) {
  switch (type) {
  case MatrixType::Half:
    return multiply<MatrixType::Half>(lanes, k);
  case MatrixType::BFloat:
    return multiply<MatrixType::BFloat>(lanes, k);
  case MatrixType::TFloat:
    return multiply<MatrixType::TFloat>(lanes, k);
  case MatrixType::Bytes:
    return multiply<MatrixType::Bytes>(lanes, k);
  }
}

static void multiplyMatrices(Thread *thread, uint32_t k, uint32_t type, const uint32_t *a,
                             const uint32_t *b, const uint32_t *c, uint32_t *d, uint32_t line) {
  ProductPayload own{a, b, c, d};
  thread->block->meetings.meet(
      *thread, wholeWarp, "mma.sync", true, line, &own,
      [&](const LanePayloads &lanes) { multiply(lanes, k, MatrixType(type)); });
}

llvm::ArrayRef<RuntimeFunction> weft::emulator::matrixFunctions() {
  static const RuntimeFunction functions[] = {
      {"load_matrices", loadMatrices, true},
      {"store_matrices", storeMatrices, true},
      {"multiply_matrices", multiplyMatrices, true},
      {"transpose_matrix", transposeMatrix, true},
  };
  return functions;
}
