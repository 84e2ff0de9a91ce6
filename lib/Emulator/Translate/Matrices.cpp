//===- Matrices.cpp - ldmatrix, stmatrix, movmatrix and mma ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Runtime.h"
#include "Translate/Emitter.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

static bool takeAligned(Emitter &e) {
  bool sync = e.modifiers.take("sync"), aligned = e.modifiers.take("aligned");
  if (!sync || !aligned)
    e.fail(".sync.aligned is missing");
  return sync && aligned;
}

// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {a, b, c, d}, [row]; stmatrix the other way round
static void emitRows(Emitter &e) {
  bool loads = e.instruction.opcode == "ldmatrix";
  if (!takeAligned(e))
    return;
  unsigned matrices = e.modifiers.choose<unsigned>({{"x1", 1}, {"x2", 2}, {"x4", 4}}).value_or(0);
  bool transposed = e.modifiers.take("trans");
  bool shared = e.modifiers.take("shared") || e.modifiers.take("shared::cta");
  bool known = e.modifiers.take("m8n8") && e.modifiers.take("b16") && shared && matrices > 0;
  if (!known)
    return e.fail("only .m8n8 of .b16 in shared memory is known");
  if (!e.expect(2))
    return;
  const ptx::Operand &vector = e.operand(loads ? 0 : 1);
  if (!isVector(vector, matrices))
    return e.fail("a register for each matrix is expected");
  Value *memory = loads ? e.scratch(matrices) : e.spill(vector);
  e.call(loads ? "load_matrices" : "store_matrices", e.builder.getVoidTy(),
         {e.thread(), e.address(e.operand(loads ? 1 : 0)), e.number(matrices), e.number(transposed),
          memory, e.line()});
  if (loads)
    e.fill(vector, memory);
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a
static void emitTransposition(Emitter &e) {
  if (!takeAligned(e))
    return;
  if (!e.modifiers.take("m8n8") || !e.modifiers.take("trans") || !e.modifiers.take("b16"))
    return e.fail("only .m8n8.trans.b16 is known");
  if (e.expect(2))
    e.write(0,
            e.call("transpose_matrix", e.builder.getInt32Ty(),
                   {e.thread(), e.read(1, kWord), e.line()}),
            kWord);
}

namespace {

/// A shape of mma, with how many registers a lane has of A and B.
struct Shape {
  llvm::StringLiteral name, typeA, typeB;
  MatrixType code;
  unsigned k, a, b;
};

} // namespace

static constexpr Shape shapes[] = {
    {"m16n8k32", "u8", "s8", MatrixType::Bytes, 32, 4, 2},
    {"m16n8k16", "f16", "f16", MatrixType::Half, 16, 4, 2},
    {"m16n8k16", "bf16", "bf16", MatrixType::BFloat, 16, 4, 2},
    {"m16n8k8", "f16", "f16", MatrixType::Half, 8, 2, 1},
    {"m16n8k8", "bf16", "bf16", MatrixType::BFloat, 8, 2, 1},
    {"m16n8k8", "tf32", "tf32", MatrixType::TFloat, 8, 4, 2},
    {"m16n8k4", "tf32", "tf32", MatrixType::TFloat, 4, 2, 1},
};

static const Shape *takeShape(Emitter &e) {
  ptx::Type d = e.takeType(), a = e.takeType(), b = e.takeType(), c = e.takeType();
  for (const Shape &shape : shapes) {
    llvm::StringRef sum = shape.code == MatrixType::Bytes ? "s32" : "f32";
    bool isShape = e.modifiers.has(shape.name) && ptx::nameOf(a) == shape.typeA &&
                   ptx::nameOf(b) == shape.typeB && ptx::nameOf(c) == sum && c == d;
    if (!isShape)
      continue;
    e.modifiers.take(shape.name);
    return &shape;
  }
  e.fail("such a product of matrices is not known");
  return nullptr;
}

// mma.sync.aligned.SHAPE.row.col.S.T.U.S {d}, {a}, {b}, {c}
static void emitProduct(Emitter &e) {
  if (!takeAligned(e))
    return;
  bool layouts = e.modifiers.take("row") && e.modifiers.take("col");
  const Shape *shape = takeShape(e);
  if (!shape || !e.expect(4))
    return;
  bool sizes = isVector(e.operand(0), 4) && isVector(e.operand(1), shape->a) &&
               isVector(e.operand(2), shape->b) && isVector(e.operand(3), 4);
  if (!layouts || !sizes)
    return e.fail(".row.col and vectors of the shape's sizes are expected");
  Value *result = e.scratch(4);
  e.call("multiply_matrices", e.builder.getVoidTy(),
         {e.thread(), e.number(shape->k), e.code(shape->code), e.spill(e.operand(1)),
          e.spill(e.operand(2)), e.spill(e.operand(3)), result, e.line()});
  e.fill(e.operand(0), result);
}

llvm::ArrayRef<InstructionRow> weft::emulator::matrixInstructions() {
  static const InstructionRow rows[] = {
      {"ldmatrix", emitRows},
      {"stmatrix", emitRows},
      {"mma", emitProduct},
      {"movmatrix", emitTransposition},
  };
  return rows;
}
