//===- TileFunctions.h - products of tiles in tile registers --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_TILEFUNCTIONS_H
#define WEFT_LIB_CODEGEN_CPU_TILEFUNCTIONS_H

#include "weft/Codegen/CPU/Units.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace weft {

/// What becomes of the ops of tiles where there is AMX. Between `begin_tiles` and `end_tiles` the
/// eight tile registers have their whole shape, 16 rows of 64 bytes. Three functions multiply, of
/// bf16, of their parts and of codes:
///   void weft.tiles.whole(ptr sums, ptr rows, i64 stride, ptr panel, i64 steps, i1 fresh,
///                         ptr ahead, i64 portions)
///     32 rows, with these shapes; a step are 64 bytes of each row
///   void weft.tiles.half(the same)
///     16 rows
///   void weft.tiles.part(the same, i64 count, i64 bytes)
///     `count` rows, in steps of `bytes` bytes: it sets the shapes, and the whole ones again
/// Where sums are held the instructions stand where the ops do.
class TileFunctions {
public:
  explicit TileFunctions(mlir::ModuleOp module) : module(module) {}

  /// Each writes what an op says in front of it.
  void begin(cpu::BeginTilesOp op);
  void end(cpu::EndTilesOp op);
  void multiply(cpu::TileProductOp op);
  void loadSums(cpu::LoadSumsOp op);
  void storeSums(cpu::StoreSumsOp op);

private:
  void multiplyHeld(cpu::TileProductOp op);
  enum class Extent { Whole, Half, Part };
  mlir::LLVM::LLVMFuncOp getFunction(Extent extent, cpu::TileProductOp op);
  mlir::LLVM::GlobalOp getWholeShapes();

  mlir::ModuleOp module;
  std::map<std::string, mlir::LLVM::LLVMFuncOp> functions;
  mlir::LLVM::GlobalOp wholeShapes;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_TILEFUNCTIONS_H
