//===- weft_tensor.hpp - tensors of a program, checked against a model's -----------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What weft.hpp passes to a model: inputs and outputs are views of memory of the program's own, of
// which name, type of elements and shape are compared with what the model declares before it is
// called. Include weft.hpp.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_WEFT_TENSOR_HPP
#define WEFT_RUNTIME_WEFT_TENSOR_HPP

#include "weft/Runtime/weft_model_info.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if !defined(__cpp_exceptions)
#error "weft.hpp reports errors as exceptions; without them use the C interface, weft_runtime.h"
#endif

namespace weft {

/// Everything that goes wrong: a code of weft_model_info.h and a sentence (`what()`) that names the
/// tensor, what was given and what is wanted.
class Error : public std::runtime_error {
public:
  Error(int code, const std::string &sentence) : std::runtime_error(sentence), error(code) {}
  int code() const noexcept { return error; }

private:
  int error;
};

/// Neighbouring elements of somebody else's.
template <typename T> class Span {
public:
  Span(T *data, std::size_t size) : first(data), count(size) {}
  T *data() const { return first; }
  std::size_t size() const { return count; }
  T *begin() const { return first; }
  T *end() const { return first + count; }
  T &operator[](std::size_t i) const { return first[i]; }

private:
  T *first;
  std::size_t count;
};

/// The extents of a tensor; of a scalar there are none.
using Shape = std::vector<std::int64_t>;

namespace detail {

/// The types of C++ that hold elements. Truth values may be bool or uint8_t; the bits of f16 and
/// bf16 are a uint16_t.
template <typename T> constexpr bool holds(std::int32_t dtype) {
  static_assert(std::is_same<T, float>::value || std::is_same<T, std::int32_t>::value ||
                    std::is_same<T, bool>::value || std::is_same<T, std::uint8_t>::value ||
                    std::is_same<T, std::int8_t>::value || std::is_same<T, std::uint16_t>::value,
                "elements are float, int32_t, bool, uint8_t, int8_t or uint16_t");
  return std::is_same<T, float>::value          ? dtype == WEFT_F32
         : std::is_same<T, std::int32_t>::value ? dtype == WEFT_I32
         : std::is_same<T, bool>::value         ? dtype == WEFT_BOOL
         : std::is_same<T, std::uint8_t>::value ? dtype == WEFT_BOOL || dtype == WEFT_U8
         : std::is_same<T, std::int8_t>::value  ? dtype == WEFT_I8
                                                : dtype == WEFT_F16 || dtype == WEFT_BF16;
}

template <typename T> constexpr const char *nameOf() {
  return std::is_same<T, float>::value          ? "float"
         : std::is_same<T, std::int32_t>::value ? "int32_t"
         : std::is_same<T, bool>::value         ? "bool"
         : std::is_same<T, std::uint8_t>::value ? "uint8_t"
         : std::is_same<T, std::int8_t>::value  ? "int8_t"
                                                : "uint16_t";
}

/// What a model's elements are in C++, and their bytes.
inline const char *nameOfType(std::int32_t dtype) {
  static const char *const names[] = {"float",           "int32_t", "bool",   "uint16_t (f16)",
                                      "uint16_t (bf16)", "int8_t",  "uint8_t"};
  return dtype >= 0 && dtype <= WEFT_U8 ? names[dtype] : "of a type that is not known here";
}
inline std::int64_t bytesOfType(std::int32_t dtype) {
  static const std::int64_t bytes[] = {4, 4, 1, 2, 2, 1, 1};
  return dtype >= 0 && dtype <= WEFT_U8 ? bytes[dtype] : 0;
}

/// The number of elements; -1 if it is beyond counting.
inline std::int64_t countOf(const Shape &shape) {
  std::int64_t count = 1;
  for (std::int64_t extent : shape) {
    if (extent < 0 || (extent > 0 && count > INT64_MAX / 8 / extent))
      return -1;
    count *= extent;
  }
  return count;
}

inline std::string textOf(const Shape &shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

/// A tensor that is given, of either direction.
struct View {
  template <typename T>
  View(std::string name, const T *data, Shape shape)
      : called(std::move(name)), memory(const_cast<T *>(data)), extents(std::move(shape)),
        isHeldBy(&holds<T>), typeName(nameOf<T>()) {}

  /// A container of neighbouring elements, which has as many as the shape says.
  template <typename C> static View of(std::string name, C &elements, Shape shape) {
    if (countOf(shape) != std::int64_t(elements.size()))
      throw Error(WEFT_ERROR_ARGUMENT, "tensor '" + name + "' has " +
                                           std::to_string(elements.size()) +
                                           " elements, its shape is " + textOf(shape));
    return View(std::move(name), elements.data(), std::move(shape));
  }

  std::string called;
  void *memory;
  Shape extents;
  bool (*isHeldBy)(std::int32_t dtype);
  const char *typeName;
};

} // namespace detail

/// An input by its name: elements that the model reads, dense and row-major. A vector, array or
/// Span alone is a tensor of one dimension. Nothing is copied: it must live until the call is done.
class Input : public detail::View {
public:
  template <typename T>
  Input(std::string name, const T *data, Shape shape)
      : View(std::move(name), data, std::move(shape)) {}
  template <typename C, typename = decltype(std::declval<const C &>().data())>
  Input(std::string name, const C &elements)
      : View(std::move(name), elements.data(), Shape{std::int64_t(elements.size())}) {}
  template <typename T, std::size_t N>
  Input(std::string name, const T (&elements)[N])
      : View(std::move(name), elements, Shape{std::int64_t(N)}) {}
  template <typename C, typename = decltype(std::declval<const C &>().data())>
  Input(std::string name, const C &elements, Shape shape)
      : View(View::of(std::move(name), elements, std::move(shape))) {}
};

/// An output by its name: memory that the model writes.
class Output : public detail::View {
public:
  template <typename T>
  Output(std::string name, T *data, Shape shape) : View(std::move(name), data, std::move(shape)) {
    static_assert(!std::is_const<T>::value, "an output is written");
  }
  template <typename C, typename = decltype(std::declval<C &>().data())>
  Output(std::string name, C &&elements)
      : Output(std::move(name), elements.data(), Shape{std::int64_t(elements.size())}) {}
  template <typename T, std::size_t N>
  Output(std::string name, T (&elements)[N])
      : Output(std::move(name), elements, Shape{std::int64_t(N)}) {}
  template <typename C, typename = decltype(std::declval<C &>().data())>
  Output(std::string name, C &&elements, Shape shape)
      : View(View::of(std::move(name), elements, std::move(shape))) {}
};

using Inputs = std::vector<Input>;
using Outputs = std::vector<Output>;

/// A result with memory of its own, aligned to 64 bytes.
class Tensor {
public:
  Tensor(const weft_tensor_info &declared, Shape shape, void *allocated)
      : info(&declared), extents(std::move(shape)), memory(allocated) {}

  const char *name() const { return info->name; }
  /// WEFT_F32, ...
  std::int32_t dtype() const { return info->dtype; }
  const Shape &shape() const { return extents; }
  std::int64_t size() const { return detail::countOf(extents); }
  void *data() { return memory.get(); }
  const void *data() const { return memory.get(); }
  /// The elements, of the type that they have.
  template <typename T> Span<const T> elements() const {
    if (!memory)
      throw Error(WEFT_ERROR_ARGUMENT, "the tensor was moved away");
    if (!detail::holds<T>(dtype()))
      throw Error(WEFT_ERROR_ARGUMENT, std::string("output '") + name() + "' has elements " +
                                           detail::nameOfType(dtype()) + ", not " +
                                           detail::nameOf<T>());
    return {static_cast<const T *>(data()), std::size_t(size())};
  }

private:
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  const weft_tensor_info *info;
  Shape extents;
  std::unique_ptr<void, Free> memory;
};

} // namespace weft

#endif // WEFT_RUNTIME_WEFT_TENSOR_HPP
