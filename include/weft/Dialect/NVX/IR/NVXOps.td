//===- NVXOps.td - what the threads of an NVIDIA GPU can do ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_NVX_IR_NVXOPS_TD
#define WEFT_DIALECT_NVX_IR_NVXOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NVX_Dialect : Dialect {
  let name = "nvx";
  let cppNamespace = "::weft::nvx";
  let summary = "instructions of NVIDIA's GPUs (stage `loops`)";
  let description = [{
    An op is one instruction of PTX, or one register that a thread can read, as emitters ask for it; `convert-nvx-to-llvm` has a
    pattern for each. What has an op in `arith`, `math` or `llvm` that LLVM makes the right instruction of has none here. Sections
    are those of NVIDIA's manual "PTX ISA".
  }];
}

class NVX_Op<string mnemonic, list<Trait> traits = []> : Op<NVX_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------------------------===//
// Where a thread is
//===----------------------------------------------------------------------------------------===//

class NVX_PositionOp<string mnemonic> : NVX_Op<mnemonic, [Pure]> {
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def NVX_ThreadIdOp : NVX_PositionOp<"thread_id"> {
  let summary = "the number of the thread in its block";
  let description = [{
    `0 <= result < threads of a block`, along the first dimension: grids have one. PTX ISA: Special Registers, `%tid`.

    Example: `%t = nvx.thread_id : i32`.
  }];
}

def NVX_BlockIdOp : NVX_PositionOp<"block_id"> {
  let summary = "the number of the thread's block in the grid";
  let description = [{
    `0 <= result < blocks of the grid`, along the first dimension. PTX ISA: Special Registers, `%ctaid`.

    Example: `%b = nvx.block_id : i32`.
  }];
}

//===----------------------------------------------------------------------------------------===//
// What threads do together
//===----------------------------------------------------------------------------------------===//

def NVX_ShuffleOp : NVX_Op<"shuffle", [SameOperandsAndResultType]> {
  let summary = "the value of another thread of the warp";
  let description = [{
    `result = operand of the thread whose lane is this one's xor distance`. All 32 threads of a warp must be there. PTX ISA: Data
    Movement and Conversion Instructions, `shfl.sync.bfly.b32`.

    Example: `%y = nvx.shuffle %x xor 16 : f32`.
  }];
  let arguments = (ins AnyTypeOf<[F32, I32]>:$operand, ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<31>]>:$distance);
  let results = (outs AnyTypeOf<[F32, I32]>:$result);
  let assemblyFormat = "$operand `xor` $distance attr-dict `:` type($operand)";
}

def NVX_BarrierOp : NVX_Op<"barrier"> {
  let summary = "wait for all threads of the block";
  let description = [{
    What any thread of the block wrote before it is seen by all of them after it. PTX ISA: Parallel Synchronization and Communication
    Instructions, `bar.sync 0`.

    Example: `nvx.barrier`.
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------------------------===//

class NVX_FunctionOp<string mnemonic> : NVX_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins F32:$operand);
  let results = (outs F32:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def NVX_Ex2Op : NVX_FunctionOp<"ex2"> {
  let summary = "a power of two, nearly";
  let description = [{
    `result = 2^operand`, within 2^-22 of it. A subnormal operand counts as 0, a result below the smallest normal number is 0;
    2^-inf is 0, 2^+inf is +inf, NaN stays NaN. PTX ISA: Floating Point Instructions, `ex2.approx.ftz.f32`.

    Example: `%y = nvx.ex2 %x : f32`.
  }];
}

def NVX_RsqrtOp : NVX_FunctionOp<"rsqrt"> {
  let summary = "one divided by a square root, nearly";
  let description = [{
    `result = 1 / sqrt(operand)`, within 2^-22.9 of it. A subnormal operand counts as 0, of which it is an infinity of the same
    sign; of negative numbers it is NaN. PTX ISA: Floating Point Instructions, `rsqrt.approx.ftz.f32`.

    Example: `%y = nvx.rsqrt %x : f32`.
  }];
}

#endif
