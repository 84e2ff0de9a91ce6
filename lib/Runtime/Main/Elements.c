/*===- Elements.c - elements of all types in memory ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
// Files are little-endian, and so are the processors that models are compiled for.
//===----------------------------------------------------------------------------------------===*/

#include "Tensors.h"

#include "weft/Runtime/weft_model_info.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const ElementType elementTypes[TypeCount] = {
#define WEFT_FILE_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME)                               \
  {KIND, BITS, EXPONENT, FILE_NAME, ""},
#define WEFT_STORED_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME, TEXT_NAME, CODE, IR_TYPE)   \
  {KIND, BITS, EXPONENT, FILE_NAME, TEXT_NAME},
#include "weft/Support/ElementTypes.def"
};

int typeOfCode(int32_t code) {
#define WEFT_STORED_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME, TEXT_NAME, CODE, IR_TYPE)   \
  if (code == CODE)                                                                                \
    return Type##NAME;
#include "weft/Support/ElementTypes.def"
  return -1;
}

int bytesOfType(int type) { return elementTypes[type].bits / 8; }

/* What the bits of a small real stand for. */
static double decode(int exponent, int bits, uint32_t value) {
  int mantissa = bits - 1 - exponent, bias = (1 << (exponent - 1)) - 1;
  int power = (int)(value >> mantissa & ((1u << exponent) - 1));
  double part = (double)(value & ((1u << mantissa) - 1)) / (1u << mantissa);
  double sign = value >> (bits - 1) ? -1 : 1;
  if (power == (1 << exponent) - 1)
    return part > 0 ? copysign(NAN, sign) : sign * INFINITY;
  return sign * ldexp(power ? 1 + part : part, power ? power - bias : 1 - bias);
}

/* The bits of the nearest small real; of two as near the even one. */
static uint32_t encode(int exponent, int bits, double value) {
  int mantissa = bits - 1 - exponent, bias = (1 << (exponent - 1)) - 1;
  uint32_t sign = (uint32_t)(signbit(value) != 0) << (bits - 1);
  uint32_t infinity = ((1u << exponent) - 1) << mantissa;
  if (isnan(value))
    return sign | infinity | 1u << (mantissa - 1);
  if (isinf(value))
    return sign | infinity;
  int power = value == 0 ? 1 - bias : ilogb(value);
  if (power > bias)
    return sign | infinity;
  if (power < 1 - bias)
    power = 1 - bias;
  /* In units of the last bit; one that is rounded up to the next power carries into it. */
  double units = nearbyint(ldexp(fabs(value), mantissa - power));
  return sign | (((uint32_t)(power + bias - 1) << mantissa) + (uint32_t)units);
}

double loadReal(int type, const void *data, int64_t index) {
  const uint8_t *place = (const uint8_t *)data + index * bytesOfType(type);
  switch (type) {
#define WEFT_FILE_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME)                               \
  case Type##NAME: {                                                                               \
    CTYPE value;                                                                                   \
    memcpy(&value, place, sizeof value);                                                           \
    return KIND == Real && BITS < 32 ? decode(EXPONENT, BITS, (uint32_t)value) : (double)value;    \
  }
#define WEFT_STORED_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME, ...)                        \
  WEFT_FILE_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME)
#include "weft/Support/ElementTypes.def"
  }
  return 0;
}

int64_t loadInt(int type, const void *data, int64_t index) {
  const uint8_t *place = (const uint8_t *)data + index * bytesOfType(type);
  switch (type) {
#define WEFT_FILE_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME)                               \
  case Type##NAME: {                                                                               \
    CTYPE value;                                                                                   \
    memcpy(&value, place, sizeof value);                                                           \
    return KIND == Real ? 0 : KIND == Bool ? value != 0 : (int64_t)value;                          \
  }
#define WEFT_STORED_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME, ...)                        \
  WEFT_FILE_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME)
#include "weft/Support/ElementTypes.def"
  }
  return 0;
}

void storeReal(int type, void *data, int64_t index, double value) {
  const ElementType *elements = &elementTypes[type];
  uint8_t *place = (uint8_t *)data + index * bytesOfType(type);
  float single = (float)value;
  uint16_t half;
  switch (elements->bits) {
  case 64:
    memcpy(place, &value, sizeof value);
    break;
  case 32:
    memcpy(place, &single, sizeof single);
    break;
  default:
    half = (uint16_t)encode(elements->exponent, elements->bits, value);
    memcpy(place, &half, sizeof half);
  }
}

void storeInt(int type, void *data, int64_t index, int64_t value) {
  memcpy((uint8_t *)data + index * bytesOfType(type), &value, (size_t)bytesOfType(type));
}

const char *shapeText(int32_t rank, const int64_t *shape, char *text, size_t size) {
  size_t length = (size_t)snprintf(text, size, "[");
  for (int32_t i = 0; i < rank && length < size; ++i)
    length += (size_t)snprintf(text + length, size - length, "%s%lld", i ? ", " : "",
                               (long long)shape[i]);
  if (length < size)
    snprintf(text + length, size - length, "]");
  return text;
}
