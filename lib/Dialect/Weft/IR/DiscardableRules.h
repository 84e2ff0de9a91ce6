//===- DiscardableRules.h - what the attributes weft.NAME may say ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Names, types and places are in WeftDiscardableAttrs.td; these are the rules for values. A rule
// looks at one op alone: passes on functions run at the same time, so what ties several functions
// together is left to the contracts of the stages (VerifySequences.cpp).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_IR_DISCARDABLERULES_H
#define WEFT_LIB_DIALECT_WEFT_IR_DISCARDABLERULES_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Where an attribute stands: an op, or an argument or result of a function.
struct Site {
  mlir::Operation *op;
  unsigned places;
  unsigned position = 0;

  bool isArgument() const { return places & WeftDialect::OnArgument; }
  bool isValue() const { return places & (WeftDialect::OnArgument | WeftDialect::OnResult); }
  mlir::func::FuncOp getFunction() const { return llvm::cast<mlir::func::FuncOp>(op); }
  /// The type of the argument or result, if it is a tensor or buffer.
  mlir::ShapedType getType() const {
    llvm::ArrayRef<mlir::Type> types =
        isArgument() ? getFunction().getArgumentTypes() : getFunction().getResultTypes();
    return llvm::dyn_cast<mlir::ShapedType>(types[position]);
  }
  /// Another attribute of the same op, argument or result.
  template <typename Other> typename Other::Type get() const {
    return !isValue()     ? Other::get(op)
           : isArgument() ? Other::getArg(getFunction(), position)
                          : Other::getResult(getFunction(), position);
  }
  mlir::InFlightDiagnostic emitError() const {
    mlir::InFlightDiagnostic error = op->emitError();
    if (isValue())
      error << (isArgument() ? "argument " : "result ") << position << " of '"
            << getFunction().getName() << "': ";
    return error;
  }
};

/// What is expected where `value` breaks the rule of the attribute `name`; otherwise nothing. The
/// value has the attribute's type, and stands where it may stand.
std::string expectedInstead(llvm::StringRef name, const Site &site, mlir::Attribute value);

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_IR_DISCARDABLERULES_H
