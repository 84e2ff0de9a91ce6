//===- weft_binder.hpp - finds the tensors of a call ----------------------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Include weft.hpp.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_WEFT_BINDER_HPP
#define WEFT_RUNTIME_WEFT_BINDER_HPP

#include "weft/Runtime/weft_tensor.hpp"

namespace weft {
namespace detail {

/// Finds the tensors of a call among those that are given, and the values of symbols by their
/// shapes.
class Binder {
public:
  explicit Binder(const weft_model_info &model)
      : sizes(std::size_t(model.symbol_count)), info(&model), sources(sizes.size()) {}

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
  std::string tensor = std::string(kind) + " '" + view.called + "'";
  if (!view.isHeldBy(declared.dtype))
    fail(tensor + " is given as " + view.typeName + ", the model has " +
         nameOfType(declared.dtype));
  bool fits = view.extents.size() == std::size_t(declared.rank);
  for (std::int32_t i = 0; fits && i < declared.rank; ++i)
    fits = declared.symbols[i] >= 0 || declared.dims[i] == view.extents[std::size_t(i)];
  if (!fits)
    fail(tensor + " has shape " + textOf(view.extents) + ", the model declares " +
         declaredShape(declared));
  for (std::int32_t i = 0; i < declared.rank; ++i)
    if (declared.symbols[i] >= 0)
      readSymbol(tensor, declared.symbols[i], view.extents[std::size_t(i)]);
  if (!view.memory)
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
    for (; i < count && view.called != declared[i].name; ++i)
      names += (i ? ", " : "") + std::string(declared[i].name);
    if (i == count)
      fail(std::string("the model has no ") + kind + " '" + view.called + "'; it has: " + names);
    if (found[std::size_t(i)])
      fail(std::string(kind) + " '" + view.called + "' is given twice");
    check(kind, declared[i], view);
    found[std::size_t(i)] = true;
    pointers[std::size_t(i)] = view.memory;
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

#endif // WEFT_RUNTIME_WEFT_BINDER_HPP
