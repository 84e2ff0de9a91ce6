//===- CText.cpp - scalar loops as C -------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CText.h"

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace {
class Writer {
public:
  explicit Writer(llvm::raw_ostream &os) : os(os) {}
  LogicalResult write(func::FuncOp function);

private:
  StringRef name(Value value);
  std::string typeOf(Type type);
  LogicalResult writeBlock(Block &block);
  LogicalResult writeOp(Operation &op);
  LogicalResult writeConstant(arith::ConstantOp op);
  LogicalResult writeFor(scf::ForOp loop);
  LogicalResult writeIf(scf::IfOp op);
  void assignYields(Block &block, ValueRange targets);
  /// Begins `T x = `.
  llvm::raw_ostream &define(Value value) {
    return os << typeOf(value.getType()) << " " << name(value) << " = ";
  }

  llvm::raw_ostream &os;
  llvm::DenseMap<Value, std::string> names;
};
} // namespace

StringRef Writer::name(Value value) {
  std::string &known = names[value];
  if (known.empty())
    known = "v" + std::to_string(names.size());
  return known;
}

std::string Writer::typeOf(Type type) {
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case<IndexType>([](auto) { return "int64_t"; })
      .Case<Float32Type>([](auto) { return "float"; })
      .Case<LLVM::LLVMPointerType, MemRefType>([](auto) { return "char *"; })
      .Case<IntegerType>([](IntegerType integer) {
        return "int" + std::to_string(std::max(8u, integer.getWidth())) + "_t";
      })
      .Default([](Type) { return "void"; });
}

/// The operator of a binary op in C; empty for others.
static StringRef operatorOf(Operation &op) {
  return llvm::TypeSwitch<Operation *, StringRef>(&op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return "+"; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return "-"; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return "*"; })
      .Case<arith::DivFOp, arith::DivUIOp, arith::DivSIOp>([](auto) { return "/"; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return "%"; })
      .Case<arith::AndIOp>([](auto) { return "&"; })
      .Case<arith::OrIOp>([](auto) { return "|"; })
      .Case<arith::XOrIOp>([](auto) { return "^"; })
      .Case<arith::ShLIOp>([](auto) { return "<<"; })
      .Case<arith::CmpFOp>([](arith::CmpFOp compare) {
        switch (compare.getPredicate()) {
        case arith::CmpFPredicate::OEQ:
          return "==";
        case arith::CmpFPredicate::OGT:
          return ">";
        case arith::CmpFPredicate::OLT:
          return "<";
        default:
          return "";
        }
      })
      .Case<arith::CmpIOp>([](arith::CmpIOp compare) {
        switch (compare.getPredicate()) {
        case arith::CmpIPredicate::eq:
          return "==";
        case arith::CmpIPredicate::ne:
          return "!=";
        case arith::CmpIPredicate::slt:
        case arith::CmpIPredicate::ult:
          return "<";
        case arith::CmpIPredicate::sle:
          return "<=";
        case arith::CmpIPredicate::sgt:
          return ">";
        case arith::CmpIPredicate::sge:
          return ">=";
        default:
          return "";
        }
      })
      .Default([](Operation *) { return ""; });
}

static StringRef functionOf(Operation &op) {
  return llvm::TypeSwitch<Operation *, StringRef>(&op)
      .Case<math::ExpOp>([](auto) { return "expf"; })
      .Case<math::LogOp>([](auto) { return "logf"; })
      .Case<arith::MaxNumFOp>([](auto) { return "fmaxf"; })
      .Case<arith::MinNumFOp>([](auto) { return "fminf"; })
      .Default([](Operation *) { return ""; });
}

/// Comparisons without a sign, on values that have one in C.
static StringRef castOf(Operation &op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  return compare && compare.getPredicate() == arith::CmpIPredicate::ult ? "(uint64_t)" : "";
}

LogicalResult Writer::writeConstant(arith::ConstantOp op) {
  if (auto real = dyn_cast<FloatAttr>(op.getValue())) {
    APFloat value = real.getValue();
    define(op);
    if (value.isInfinity())
      os << (value.isNegative() ? "-INFINITY" : "INFINITY");
    else if (value.isNaN())
      os << "NAN";
    else
      os << llvm::format("%.9ef", value.convertToDouble());
    os << ";\n";
    return success();
  }
  define(op) << cast<IntegerAttr>(op.getValue()).getValue().getSExtValue() << ";\n";
  return success();
}

void Writer::assignYields(Block &block, ValueRange targets) {
  // All are read before the first is written.
  ValueRange values = block.getTerminator()->getOperands();
  for (auto [value, target] : llvm::zip(values, targets))
    os << typeOf(value.getType()) << " next_" << name(target) << " = " << name(value) << ";\n";
  for (Value target : targets)
    os << name(target) << " = next_" << name(target) << ";\n";
}

LogicalResult Writer::writeFor(scf::ForOp loop) {
  // Results and carried values are one variable.
  for (auto [result, carried, initial] :
       llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs(), loop.getInitArgs())) {
    names[carried] = name(result).str();
    define(result) << name(initial) << ";\n";
  }
  StringRef i = name(loop.getInductionVar());
  os << "for (int64_t " << i << " = " << name(loop.getLowerBound()) << "; " << i << " < "
     << name(loop.getUpperBound()) << "; " << i << " += " << name(loop.getStep()) << ") {\n";
  if (failed(writeBlock(*loop.getBody())))
    return failure();
  assignYields(*loop.getBody(), loop.getResults());
  os << "}\n";
  return success();
}

LogicalResult Writer::writeIf(scf::IfOp op) {
  for (Value result : op.getResults())
    os << typeOf(result.getType()) << " " << name(result) << ";\n";
  os << "if (" << name(op.getCondition()) << ") {\n";
  if (failed(writeBlock(*op.thenBlock())))
    return failure();
  assignYields(*op.thenBlock(), op.getResults());
  if (op.elseBlock()) {
    os << "} else {\n";
    if (failed(writeBlock(*op.elseBlock())))
      return failure();
    assignYields(*op.elseBlock(), op.getResults());
  }
  os << "}\n";
  return success();
}

LogicalResult Writer::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(writeOp(op)))
      return failure();
  return success();
}

LogicalResult Writer::writeOp(Operation &op) {
  auto operand = [&](unsigned i) { return name(op.getOperand(i)); };
  if (StringRef sign = operatorOf(op); !sign.empty()) {
    StringRef cast = castOf(op);
    define(op.getResult(0)) << cast << operand(0) << " " << sign << " " << cast << operand(1)
                            << ";\n";
    return success();
  }
  if (StringRef function = functionOf(op); !function.empty()) {
    define(op.getResult(0)) << function << "(" << operand(0);
    if (op.getNumOperands() == 2)
      os << ", " << operand(1);
    os << ");\n";
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return writeConstant(constant);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return writeFor(loop);
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return writeIf(choice);
  if (isa<arith::IndexCastOp, arith::SIToFPOp, weft::AddressOp>(op)) {
    define(op.getResult(0)) << operand(0) << ";\n";
  } else if (isa<arith::BitcastOp>(op)) {
    define(op.getResult(0)) << "((union { " << typeOf(op.getOperand(0).getType()) << " from; "
                            << typeOf(op.getResult(0).getType()) << " to; }){" << operand(0)
                            << "}).to;\n";
  } else if (isa<arith::SelectOp>(op)) {
    define(op.getResult(0)) << operand(0) << " ? " << operand(1) << " : " << operand(2) << ";\n";
  } else if (auto address = dyn_cast<LLVM::GEPOp>(op); address && op.getNumOperands() == 2) {
    define(address) << "(char *)((" << typeOf(address.getElemType()) << " *)" << operand(0) << " + "
                    << operand(1) << ");\n";
  } else if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    define(load) << "*(" << typeOf(load.getType()) << " *)" << operand(0) << ";\n";
  } else if (isa<LLVM::StoreOp>(op)) {
    os << "*(" << typeOf(op.getOperand(0).getType()) << " *)" << operand(1) << " = " << operand(0)
       << ";\n";
  } else if (isa<LLVM::AtomicCmpXchgOp>(op)) {
    os << "__sync_val_compare_and_swap((" << typeOf(op.getOperand(1).getType()) << " *)"
       << operand(0) << ", " << operand(1) << ", " << operand(2) << ");\n";
  } else {
    return op.emitError("has no C text");
  }
  return success();
}

LogicalResult Writer::write(func::FuncOp function) {
  os << "void " << function.getName() << "(";
  llvm::interleaveComma(function.getArguments(), os, [&](Value argument) {
    os << typeOf(argument.getType()) << " " << name(argument);
  });
  os << ") {\n";
  if (failed(writeBlock(function.front())))
    return failure();
  os << "}\n";
  return success();
}

LogicalResult weft::test::writeC(func::FuncOp function, llvm::raw_ostream &os) {
  return Writer(os).write(function);
}
