//===- DiscardableAttrs.h - typed access to the attributes weft.NAME ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What each of them means and where it stands is listed in WeftDiscardableAttrs.td, from which ODS
// makes the names and types that are used here. The dialect verifies them (DiscardableAttrs.cpp),
// so what is read has its type.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_DISCARDABLEATTRS_H
#define WEFT_DIALECT_WEFT_IR_DISCARDABLEATTRS_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft::attrs {

/// An attribute of ops, arguments and results. `Helper` is the class that ODS makes of its line.
template <typename Helper> class Discardable {
public:
  using Type = decltype(std::declval<Helper &>().getAttr(nullptr));
  static constexpr llvm::StringLiteral name = Helper::getNameStr();

  /// Null where it is missing.
  static Type get(mlir::Operation *op) {
    return llvm::dyn_cast_or_null<Type>(op->getDiscardableAttr(name));
  }
  static Type getArg(mlir::func::FuncOp function, unsigned i) {
    return function.getArgAttrOfType<Type>(i, name);
  }
  static Type getResult(mlir::func::FuncOp function, unsigned i) {
    return function.getResultAttrOfType<Type>(i, name);
  }
  static bool isOn(mlir::Operation *op) { return bool(get(op)); }

  /// The value of a number, or `otherwise` where it is missing.
  static int64_t getInt(mlir::Operation *op, int64_t otherwise = 0) {
    Type attribute = get(op);
    return attribute ? attribute.getInt() : otherwise;
  }
  /// The value of a string, empty where it is missing.
  static llvm::StringRef getText(mlir::Operation *op) { return textOf(get(op)); }
  static llvm::StringRef getArgText(mlir::func::FuncOp function, unsigned i) {
    return textOf(getArg(function, i));
  }
  static llvm::StringRef getResultText(mlir::func::FuncOp function, unsigned i) {
    return textOf(getResult(function, i));
  }

  /// The value is an attribute of the type, or what the type is made of: a number, a string, the
  /// parameters of an attribute of the dialect; nothing for a unit attribute.
  template <typename... Values> static void set(mlir::Operation *op, const Values &...values) {
    op->setDiscardableAttr(name, make(op->getContext(), values...));
  }
  template <typename... Values>
  static void setArg(mlir::func::FuncOp function, unsigned i, const Values &...values) {
    function.setArgAttr(i, name, make(function.getContext(), values...));
  }
  template <typename... Values>
  static void setResult(mlir::func::FuncOp function, unsigned i, const Values &...values) {
    function.setResultAttr(i, name, make(function.getContext(), values...));
  }
  /// For dictionaries of the attributes of an argument or result.
  template <typename... Values>
  static mlir::NamedAttribute named(mlir::MLIRContext *context, const Values &...values) {
    return {mlir::StringAttr::get(context, name), make(context, values...)};
  }
  static void remove(mlir::Operation *op) { op->removeDiscardableAttr(name); }
  static void removeArg(mlir::func::FuncOp function, unsigned i) {
    function.removeArgAttr(i, name);
  }

private:
  static llvm::StringRef textOf(Type attribute) {
    return attribute ? attribute.getValue() : llvm::StringRef();
  }

  template <typename... Values>
  static Type make(mlir::MLIRContext *context, const Values &...values) {
    if constexpr ((std::is_convertible_v<Values, Type> && ... && (sizeof...(Values) == 1)))
      return (values, ...);
    else if constexpr (std::is_same_v<Type, mlir::IntegerAttr>)
      return mlir::IntegerAttr::get(mlir::IntegerType::get(context, 64), values...);
    else
      return Type::get(context, values...);
  }
};

using Arena = Discardable<WeftDialect::ArenaAttrHelper>;
using Batch = Discardable<WeftDialect::BatchAttrHelper>;
using Bounds = Discardable<WeftDialect::BoundsAttrHelper>;
using Checkpoint = Discardable<WeftDialect::CheckpointAttrHelper>;
using Computed = Discardable<WeftDialect::ComputedAttrHelper>;
using Constant = Discardable<WeftDialect::ConstantAttrHelper>;
using Default = Discardable<WeftDialect::DefaultAttrHelper>;
using DefaultOffset = Discardable<WeftDialect::DefaultOffsetAttrHelper>;
using Derives = Discardable<WeftDialect::DerivesAttrHelper>;
using Entry = Discardable<WeftDialect::EntryAttrHelper>;
using Fingerprint = Discardable<WeftDialect::FingerprintAttrHelper>;
using Flops = Discardable<WeftDialect::FlopsAttrHelper>;
using FlopCount = Discardable<WeftDialect::FlopCountAttrHelper>;
using Folded = Discardable<WeftDialect::FoldedAttrHelper>;
using Generate = Discardable<WeftDialect::GenerateAttrHelper>;
using Given = Discardable<WeftDialect::GivenAttrHelper>;
using IndexBound = Discardable<WeftDialect::IndexBoundAttrHelper>;
using Kernel = Discardable<WeftDialect::KernelAttrHelper>;
using Label = Discardable<WeftDialect::LabelAttrHelper>;
using Lane = Discardable<WeftDialect::LaneAttrHelper>;
using Last = Discardable<WeftDialect::LastAttrHelper>;
using Location = Discardable<WeftDialect::LocationAttrHelper>;
using Lowering = Discardable<WeftDialect::LoweringAttrHelper>;
using Model = Discardable<WeftDialect::ModelAttrHelper>;
using Name = Discardable<WeftDialect::NameAttrHelper>;
using Output = Discardable<WeftDialect::OutputAttrHelper>;
using Parameters = Discardable<WeftDialect::ParametersAttrHelper>;
using Parts = Discardable<WeftDialect::PartsAttrHelper>;
using Rounded = Discardable<WeftDialect::RoundedAttrHelper>;
using Scratch = Discardable<WeftDialect::ScratchAttrHelper>;
using Stage = Discardable<WeftDialect::StageAttrHelper>;
using Start = Discardable<WeftDialect::StartAttrHelper>;
using State = Discardable<WeftDialect::StateAttrHelper>;
using StateBytes = Discardable<WeftDialect::StateBytesAttrHelper>;
using StateOffset = Discardable<WeftDialect::StateOffsetAttrHelper>;
using Step = Discardable<WeftDialect::StepAttrHelper>;
using Symbols = Discardable<WeftDialect::SymbolsAttrHelper>;
using UnfusedReason = Discardable<WeftDialect::UnfusedReasonAttrHelper>;
using WeightsBytes = Discardable<WeftDialect::WeightsBytesAttrHelper>;
using Window = Discardable<WeftDialect::WindowAttrHelper>;
using Work = Discardable<WeftDialect::WorkAttrHelper>;

} // namespace weft::attrs

namespace weft {

/// Whether one of the entries generates. Not whether a step was derived: its rows have the same
/// bits without one, as in a batch.
bool generates(mlir::ModuleOp module);

/// The dimension that counts the examples of a batch of a fixed size.
inline constexpr llvm::StringLiteral kFixedBatch = "batch";

/// That of the module's batch, of whatever size.
llvm::StringRef getBatchDim(mlir::ModuleOp module);

} // namespace weft

#endif
