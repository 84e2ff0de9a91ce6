//===- Numbers.h - conversions and functions as the PTX manual has them ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What compiled code calls where LLVM IR has no instruction with the same result everywhere.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_NUMBERS_H
#define WEFT_LIB_EMULATOR_MACHINE_NUMBERS_H

#include <cstdint>

namespace weft::emulator {

/// Ties go to even numbers, of Away to those that are farther from 0.
enum class Rounding : uint32_t { Nearest, Zero, Down, Up, Away };

/// The reals that are stored in fewer bits than a float has.
enum class SmallReal : uint32_t { Half, BFloat, TFloat };

/// To the nearest of the type, ties to even (or as said); NaN becomes 0x7fff, of tf32 0x7fffffff.
uint32_t roundSmall(double value, SmallReal type, Rounding rounding);
float halfToFloat(uint16_t bits);
/// a * b + c of numbers of 16 bits, rounded once.
uint32_t fmaSmall(uint32_t a, uint32_t b, uint32_t c, SmallReal type);

float roundToFloat(double value, Rounding rounding);
/// Of a 64-bit integer, signed or not.
float integerToFloat(uint64_t bits, bool isSigned, Rounding rounding);
double integerToDouble(uint64_t bits, bool isSigned, Rounding rounding);

/// An integral value as an integer of so many bits, clamped; a NaN is 0, of 64 bits (of either
/// side) the integer with the highest bit alone.
uint64_t realToInteger(double value, uint32_t bits, bool isSigned, bool nanIsHighBit);

uint64_t extractField(uint64_t value, uint32_t position, uint32_t length, uint32_t bits,
                      bool isSigned);
uint64_t insertField(uint64_t field, uint64_t into, uint32_t position, uint32_t length,
                     uint32_t bits);
/// `mode`: 0 by the selector's nibbles, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector, uint32_t mode);
/// The sum of products of bytes; bits 0 and 1 of `isSigned` are of a and b.
uint32_t dotBytes(uint32_t a, uint32_t b, uint32_t c, uint32_t isSigned);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_NUMBERS_H
