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
      : name(std::move(name)), data(const_cast<T *>(data)), shape(std::move(shape)),
        isHeldBy(&holds<T>), typeName(nameOf<T>()) {}

  /// A container of neighbouring elements, which has as many as the shape says.
  template <typename C> static View of(std::string name, C &elements, Shape shape) {
    if (countOf(shape) != std::int64_t(elements.size()))
      throw Error(WEFT_ERROR_ARGUMENT, "tensor '" + name + "' has " +
                                           std::to_string(elements.size()) +
                                           " elements, its shape is " + textOf(shape));
    return View(std::move(name), elements.data(), std::move(shape));
  }

  std::string name;
  void *data;
  Shape shape;
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
  Tensor(const weft_tensor_info &declared, Shape shape, void *memory)
      : info(&declared), extents(std::move(shape)), memory(memory) {}

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

namespace detail {

/// Finds the tensors of a call among those that are given, and the values of symbols by their
/// shapes.
class Binder {
public:
  explicit Binder(const weft_model_info &info)
      : sizes(std::size_t(info.symbol_count)), info(&info), sources(sizes.size()) {}

  /// The value of a symbol that is known before, and from where.
  void setSize(std::int32_t symbol, std::int64_t value, const char *source) {
    sizes[std::size_t(symbol)] = value;
    sources[std::size_t(symbol)] = source;
  }
  bool isKnown(std::int32_t symbol) const { return !sources[std::size_t(symbol)].empty(); }

  /// The pointers of the declared tensors, in their order; null for what is left out and may be.
  template <typename T>
  std::vector<void *> bind(const char *kind, const weft_tensor_info *declared, std::int32_t count,
                           const std::vector<T> &given);
  /// The shape of a tensor whose symbols must be known.
  Shape shapeOf(const weft_tensor_info &tensor) const;

  std::vector<std::int64_t> sizes; ///< of all symbols of the model

private:
  [[noreturn]] static void fail(const std::string &sentence, int code = WEFT_ERROR_ARGUMENT) {
    throw Error(code, sentence);
  }
  void check(const char *kind, const weft_tensor_info &declared, const View &view);
  void readSymbol(const std::string &tensor, std::int32_t symbol, std::int64_t extent);
  std::string declaredShape(const weft_tensor_info &tensor) const;

  const weft_model_info *info;
  std::vector<std::string> sources; ///< for each symbol: which tensor gave its value
};

inline std::string Binder::declaredShape(const weft_tensor_info &tensor) const {
  std::string text = "[";
  for (std::int32_t i = 0; i < tensor.rank; ++i)
    text += (i ? ", " : "") + (tensor.symbols[i] >= 0
                                   ? std::string(info->symbols[tensor.symbols[i]].name)
                                   : std::to_string(tensor.dims[i]));
  return text + "]";
}

inline void Binder::readSymbol(const std::string &tensor, std::int32_t symbol,
                               std::int64_t extent) {
  const weft_symbol_info &declared = info->symbols[symbol];
  std::string value = std::string(declared.name) + " = ";
  if (extent < 1 || extent > declared.bound)
    fail(tensor + " has " + value + std::to_string(extent) + ", the model takes 1 to " +
             std::to_string(declared.bound),
         WEFT_ERROR_LENGTH);
  if (isKnown(symbol) && sizes[std::size_t(symbol)] != extent)
    fail(tensor + " has " + value + std::to_string(extent) + ", but " +
         sources[std::size_t(symbol)] + " has " + value +
         std::to_string(sizes[std::size_t(symbol)]));
  if (!isKnown(symbol))
    setSize(symbol, extent, tensor.c_str());
}

inline void Binder::check(const char *kind, const weft_tensor_info &declared, const View &view) {
  std::string tensor = std::string(kind) + " '" + view.name + "'";
  if (!view.isHeldBy(declared.dtype))
    fail(tensor + " is given as " + view.typeName + ", the model has " +
         nameOfType(declared.dtype));
  bool fits = view.shape.size() == std::size_t(declared.rank);
  for (std::int32_t i = 0; fits && i < declared.rank; ++i)
    fits = declared.symbols[i] >= 0 || declared.dims[i] == view.shape[std::size_t(i)];
  if (!fits)
    fail(tensor + " has shape " + textOf(view.shape) + ", the model declares " +
         declaredShape(declared));
  for (std::int32_t i = 0; i < declared.rank; ++i)
    if (declared.symbols[i] >= 0)
      readSymbol(tensor, declared.symbols[i], view.shape[std::size_t(i)]);
  if (!view.data)
    fail(tensor + " is a null pointer");
}

template <typename T>
std::vector<void *> Binder::bind(const char *kind, const weft_tensor_info *declared,
                                 std::int32_t count, const std::vector<T> &given) {
  std::vector<void *> pointers(std::size_t(count), nullptr);
  std::vector<bool> found(std::size_t(count), false);
  for (const View &view : given) {
    std::int32_t i = 0;
    std::string names;
    for (; i < count && view.name != declared[i].name; ++i)
      names += (i ? ", " : "") + std::string(declared[i].name);
    if (i == count)
      fail(std::string("the model has no ") + kind + " '" + view.name + "'; it has: " + names);
    if (found[std::size_t(i)])
      fail(std::string(kind) + " '" + view.name + "' is given twice");
    check(kind, declared[i], view);
    found[std::size_t(i)] = true;
    pointers[std::size_t(i)] = view.data;
  }
  for (std::int32_t i = 0; i < count; ++i)
    if (!found[std::size_t(i)] && !declared[i].optional)
      fail(std::string(kind) + " '" + declared[i].name + "' is missing; the model needs it");
  return pointers;
}

inline Shape Binder::shapeOf(const weft_tensor_info &tensor) const {
  Shape shape;
  for (std::int32_t i = 0; i < tensor.rank; ++i) {
    std::int32_t symbol = tensor.symbols[i];
    if (symbol >= 0 && !isKnown(symbol))
      fail(std::string("no given input tells the value of ") + info->symbols[symbol].name +
           ", needed by '" + tensor.name + "'");
    shape.push_back(symbol >= 0 ? sizes[std::size_t(symbol)] : tensor.dims[i]);
  }
  return shape;
}

} // namespace detail
} // namespace weft

#endif // WEFT_RUNTIME_WEFT_TENSOR_HPP
