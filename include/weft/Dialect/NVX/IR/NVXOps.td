//===- NVXOps.td - what the threads of an NVIDIA GPU can do ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_NVX_IR_NVXOPS_TD
#define WEFT_DIALECT_NVX_IR_NVXOPS_TD

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NVX_Dialect : Dialect {
  let name = "nvx";
  let cppNamespace = "::weft::nvx";
  let summary = "instructions of NVIDIA's GPUs (stage `loops`)";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
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
// Copies that threads do not wait for
//===----------------------------------------------------------------------------------------===//

def NVX_GlobalPointer : LLVM_PointerInAddressSpace<1>;
def NVX_SharedPointer : LLVM_PointerInAddressSpace<3>;

def CopySize : AttrConstraint<CPred<"::llvm::is_contained({4, 8, 16}, ::llvm::cast<::mlir::IntegerAttr>($_self).getInt())">,
                              "which is 4, 8 or 16">;

def NVX_CpAsyncOp : NVX_Op<"cp_async"> {
  let summary = "begin to copy 4, 8 or 16 bytes to shared memory";
  let description = [{
    `target[i] = i < bytes ? source[i] : 0` for `0 <= i < size`, at some time before a `nvx.cp_async_wait` that waits for its group
    has been passed. The size is 16 unless another one is said. Both pointers are multiples of it; nothing is read at `source` if
    `bytes` is 0. PTX ISA: Data Movement and Conversion Instructions, Asynchronous copy, `cp.async.cg.shared.global` (16 bytes) and
    `cp.async.ca.shared.global` with src-size.

    Example: `nvx.cp_async %target, %source, %bytes of 8`.
  }];
  let arguments = (ins NVX_SharedPointer:$target, NVX_GlobalPointer:$source, I32:$bytes,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [CopySize]>, "16">:$size);
  let assemblyFormat = "$target `,` $source `,` $bytes (`of` $size^)? attr-dict";
}

def NVX_CpAsyncCommitOp : NVX_Op<"cp_async_commit"> {
  let summary = "make a group of the copies that the thread has begun";
  let description = [{
    The copies of this thread since the last such op are its next group, which may have none. PTX ISA: Data Movement and
    Conversion Instructions, `cp.async.commit_group`.

    Example: `nvx.cp_async_commit`.
  }];
  let assemblyFormat = "attr-dict";
}

def NVX_CpAsyncWaitOp : NVX_Op<"cp_async_wait"> {
  let summary = "wait for the thread's groups of copies but the last ones";
  let description = [{
    All groups of this thread but the last `pending` ones are done. Other threads see what they copied behind a barrier.
    PTX ISA: Data Movement and Conversion Instructions, `cp.async.wait_group`.

    Example: `nvx.cp_async_wait 1`.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

//===----------------------------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------------------------===//

def NVX_LdMatrixOp : NVX_Op<"ldmatrix"> {
  let summary = "read matrices of 8 x 8 elements of 16 bits, shared out over a warp";
  let description = [{
    There are 1, 2 or 4 matrices, as many as results. Row `r` of matrix `i` are the 16 bytes at the `source` of lane `8 i + r`
    (those of other lanes are not looked at). In lane `l`, result `i` has the elements `2 (l % 4)` (low half) and
    `2 (l % 4) + 1` of row `l / 4` of matrix `i`; with `trans` these are the rows, and `l / 4` is the column. All 32 threads of a
    warp must be there. PTX ISA: Warp-Level Matrix Instructions, `ldmatrix.sync.aligned.m8n8.shared.b16`.

    Example: `%a:4 = nvx.ldmatrix %rows : i32, i32, i32, i32`.
  }];
  let arguments = (ins NVX_SharedPointer:$source, UnitAttr:$trans);
  let results = (outs Variadic<I32>:$matrices);
  let assemblyFormat = "$source (`trans` $trans^)? attr-dict `:` type($matrices)";
  let hasVerifier = 1;
}

def NVX_MmaOp : NVX_Op<"mma", [Pure, AttrSizedOperandSegments]> {
  let summary = "add a product of two small matrices";
  let description = [{
    `d[r, n] = c[r, n] + sum(k) a[r, k] * b[k, n]` with 16 rows, 8 columns and 16 values of k (bf16, f16) or 8 (tf32); sums are
    f32. All 32 threads of a warp must be there, each with its part of the matrices, where `g = lane / 4` and
    `t = lane % 4`:

    | matrix | register | its elements of 16 bits, the low half first | of 32 bits |
    |---|---|---|---|
    | a | `i` of 4 | row `g + 8 (i % 2)`, k `2 t + 8 (i / 2)` and the next k | row `g + 8 (i % 2)`, k `t + 4 (i / 2)` |
    | b | `i` of 2 | k `2 t + 8 i` and the next k, column `g` | k `t + 4 i`, column `g` |
    | c, d | `i` of 4 | | row `g + 8 (i / 2)`, column `2 t + i % 2` |

    `weft/Codegen/GPU/Fragment.h` has the same as code. PTX ISA: Warp-Level Matrix Instructions, Matrix Fragments for
    mma.m16n8k16 and mma.m16n8k8, `mma.sync.aligned`.

    Example: `%d:4 = nvx.mma bf16 [%a0, %a1, %a2, %a3] x [%b0, %b1] + [%c0, %c1, %c2, %c3]`.
  }];
  let arguments = (ins TypeAttr:$element, Variadic<I32>:$a, Variadic<I32>:$b, Variadic<F32>:$c);
  let results = (outs F32:$d0, F32:$d1, F32:$d2, F32:$d3);
  let assemblyFormat = "$element ` ` `[` $a `]` `x` ` ` `[` $b `]` `+` `[` $c `]` attr-dict";
  let hasVerifier = 1;
}

def NVX_MmaCodesOp : NVX_Op<"mma_codes", [Pure]> {
  let summary = "add a product of two small matrices of whole numbers";
  let description = [{
    `d[r, n] = c[r, n] + sum(k) a[r, k] * b[k, n]` with 16 rows, 8 columns and 32 values of k: numbers of 8 bits, of `a` without a
    sign, of `b` with one; sums have 32 bits, and what is too large for them goes around. All 32 threads of a warp must be there,
    each with its part of the matrices, where `g = lane / 4` and `t = lane % 4`:

    | matrix | register | its elements, the lowest byte first |
    |---|---|---|
    | a | `i` of 4 | row `g + 8 (i % 2)`, k `4 t + 16 (i / 2)` and the next three |
    | b | `i` of 2 | k `4 t + 16 i` and the next three, column `g` |
    | c, d | `i` of 4 | as of `nvx.mma` |

    PTX ISA: Warp-Level Matrix Instructions, Matrix Fragments for mma.m16n8k32, `mma.sync.aligned`.

    Example: `%d:4 = nvx.mma_codes [%a0, %a1, %a2, %a3] x [%b0, %b1] + [%c0, %c1, %c2, %c3]`.
  }];
  let arguments = (ins I32:$a0, I32:$a1, I32:$a2, I32:$a3, I32:$b0, I32:$b1,
                       I32:$c0, I32:$c1, I32:$c2, I32:$c3);
  let results = (outs I32:$d0, I32:$d1, I32:$d2, I32:$d3);
  let assemblyFormat = [{
    `[` $a0 `,` $a1 `,` $a2 `,` $a3 `]` `x` ` ` `[` $b0 `,` $b1 `]` `+` ` `
    `[` $c0 `,` $c1 `,` $c2 `,` $c3 `]` attr-dict
  }];
}

def NVX_RoundTF32Op : NVX_Op<"round_tf32", [Pure]> {
  let summary = "a number of tf32";
  let description = [{
    The number with 11 significant bits that is nearest to `operand`, of two the one farther from 0, as a register of `nvx.mma`:
    the bits of an f32 whose last 13 are not looked at. PTX ISA: Data Movement and Conversion Instructions, `cvt.rna.tf32.f32`.

    Example: `%t = nvx.round_tf32 %x`.
  }];
  let arguments = (ins F32:$operand);
  let results = (outs I32:$result);
  let assemblyFormat = "$operand attr-dict";
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
