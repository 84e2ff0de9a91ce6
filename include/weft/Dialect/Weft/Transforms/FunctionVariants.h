//===- FunctionVariants.h - private versions of functions ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A derivation gives a function another meaning for some of its calls: one more index on these
// arguments, rows of those, gradients of others. Each kind of call gets a private function of its
// own next to the one it comes from, made when the first such call is met and shared by all others.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_FUNCTIONVARIANTS_H
#define WEFT_DIALECT_WEFT_TRANSFORMS_FUNCTIONVARIANTS_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/SymbolTable.h"

#include <map>
#include <memory>

namespace weft {

/// The versions of the functions of a module that one derivation makes. `Key` says what a kind of
/// call is, and is ordered; `Variant` is what the derivation knows of a version, and has a member
/// `function`.
template <typename Key, typename Variant> class FunctionVariants {
public:
  /// The versions are called like their sources and `suffix`; the later ones of one source get a
  /// number behind.
  FunctionVariants(mlir::ModuleOp module, llvm::StringRef suffix)
      : module(module), suffix(suffix) {}

  /// The version of `source` for `key`. `make` turns an empty private function into a new one:
  /// `void make(Variant &)`. It may ask for versions of other functions, not for its own.
  template <typename Make> Variant &get(mlir::func::FuncOp source, const Key &key, Make make) {
    std::unique_ptr<Variant> &place = variants[{source.getOperation(), key}];
    if (place)
      return *place;
    place = std::make_unique<Variant>();
    Variant &variant = *place; // the map may grow meanwhile
    variant.function = createFunction(source);
    make(variant);
    return variant;
  }

private:
  mlir::func::FuncOp createFunction(mlir::func::FuncOp source) {
    auto function =
        mlir::func::FuncOp::create(source.getLoc(), (source.getSymName() + suffix).str(),
                                   mlir::FunctionType::get(source.getContext(), {}, {}));
    function.setPrivate();
    // Others may have added functions since the last one.
    mlir::SymbolTable(module).insert(function, std::next(mlir::Block::iterator(source)));
    return function;
  }

  mlir::ModuleOp module;
  std::string suffix;
  std::map<std::pair<mlir::Operation *, Key>, std::unique_ptr<Variant>> variants;
};

} // namespace weft

#endif // WEFT_DIALECT_WEFT_TRANSFORMS_FUNCTIONVARIANTS_H
