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

def NVX_GridSizeOp : NVX_PositionOp<"grid_size"> {
  let summary = "the number of blocks of the grid";
  let description = [{
    Along the first dimension. PTX ISA: Special Registers, `%nctaid`.

    Example: `%n = nvx.grid_size : i32`.
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

def NVX_BroadcastOp : NVX_Op<"broadcast"> {
  let summary = "the value of the first thread of the warp";
  let description = [{
    `result = operand of lane 0`: what all threads of a warp know to be the same is so for the code generator, too. All 32 threads
    of a warp must be there. PTX ISA: Data Movement and Conversion Instructions, `shfl.sync.idx.b32`.

    Example: `%w = nvx.broadcast %warp`.
  }];
  let arguments = (ins I32:$operand);
  let results = (outs I32:$result);
  let assemblyFormat = "$operand attr-dict";
}

def NVX_ReadLaneOp : NVX_Op<"read_lane"> {
  let summary = "the value of another thread of the warp, by its number";
  let description = [{
    `result = operand of lane number lane % 32`, which is any thread's own choice. All 32 threads of a warp must be there. PTX ISA:
    Data Movement and Conversion Instructions, `shfl.sync.idx.b32`.

    Example: `%y = nvx.read_lane %x[%lane]`.
  }];
  let arguments = (ins I32:$operand, I32:$lane);
  let results = (outs I32:$result);
  let assemblyFormat = "$operand `[` $lane `]` attr-dict";
}

def NVX_LookUpOp : NVX_Op<"look_up"> {
  let summary = "an entry of a table that half a warp has";
  let description = [{
    `result = entry of lane 16 (lane / 16) + index % 16`: each half of a warp has a table of 16 entries, one in every thread. All 32
    threads of a warp must be there. PTX ISA: Data Movement and Conversion Instructions, `shfl.sync.idx.b32`.

    Example: `%y = nvx.look_up %entry[%code]`.
  }];
  let arguments = (ins F32:$entry, I32:$index);
  let results = (outs F32:$result);
  let assemblyFormat = "$entry `[` $index `]` attr-dict";
}

def NVX_WarpBarrierOp : NVX_Op<"warp_barrier"> {
  let summary = "wait for all threads of the warp";
  let description = [{
    What any thread of the warp wrote before it is seen by all of them after it. PTX ISA: Parallel Synchronization and Communication
    Instructions, `bar.warp.sync`.

    Example: `nvx.warp_barrier`.
  }];
  let assemblyFormat = "attr-dict";
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

def NVX_NamedBarrierOp : NVX_Op<"named_barrier"> {
  let summary = "wait for so many threads of the block, or only arrive";
  let description = [{
    Barrier `id` of the block is passed when `threads` threads have come to it, those counted that only `arrive` and go on. What a
    thread wrote before it is seen by those that waited. PTX ISA: Parallel Synchronization and Communication Instructions,
    `bar.sync` and `bar.arrive`.

    Example: `nvx.named_barrier arrive 3 of 256`.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<15>]>:$id,
                       ConfinedAttr<I32Attr, [IntMinValue<32>, IntMaxValue<1024>]>:$threads, UnitAttr:$arrive);
  let assemblyFormat = "(`arrive` $arrive^)? $id `of` $threads attr-dict";
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

def NVX_DotCodesOp : NVX_Op<"dot_codes", [Pure]> {
  let summary = "add the products of four pairs of whole numbers";
  let description = [{
    `d = c + sum(i) a[i] * b[i]` with the four bytes of `a`, which have no sign, and of `b`, which have one; what is too large for 32
    bits goes around. PTX ISA: Integer Arithmetic Instructions, `dp4a.u32.s32`.

    Example: `%d = nvx.dot_codes %a, %b, %c`.
  }];
  let arguments = (ins I32:$a, I32:$b, I32:$c);
  let results = (outs I32:$d);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict";
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
// Barriers in shared memory, and copies of boxes (sm_90)
//===----------------------------------------------------------------------------------------===//

class NVX_MBarrierOp<string mnemonic> : NVX_Op<mnemonic> {
  dag barrierArgument = (ins NVX_SharedPointer:$barrier);
  let arguments = barrierArgument;
  let assemblyFormat = "$barrier attr-dict";
}

def NVX_MBarrierInitOp : NVX_MBarrierOp<"mbarrier_init"> {
  let summary = "start a barrier in shared memory";
  let description = [{
    A phase of the barrier ends when `arrivals` threads have arrived and all bytes that were announced have come; the next one
    begins then. It takes 8 bytes. Others may use it behind an `nvx.mbarrier_fence` and a barrier. PTX ISA: Parallel
    Synchronization and Communication Instructions, `mbarrier.init.shared.b64`.

    Example: `nvx.mbarrier_init %barrier, 8`.
  }];
  let arguments = !con(barrierArgument, (ins ConfinedAttr<I32Attr, [IntPositive]>:$arrivals));
  let assemblyFormat = "$barrier `,` $arrivals attr-dict";
}

def NVX_MBarrierFenceOp : NVX_Op<"mbarrier_fence"> {
  let summary = "let copies know of barriers that were started";
  let description = [{
    Copies that are begun behind it, in the order of threads, see the barriers that this thread has started. PTX ISA: Parallel
    Synchronization and Communication Instructions, `fence.mbarrier_init.release.cluster`.

    Example: `nvx.mbarrier_fence`.
  }];
  let assemblyFormat = "attr-dict";
}

def NVX_AsyncFenceOp : NVX_Op<"async_fence"> {
  let summary = "let products know of what was written to shared memory";
  let description = [{
    Products of `nvx.wgmma`, and copies, that follow in the order of threads see what this thread wrote. PTX ISA: Parallel
    Synchronization and Communication Instructions, `fence.proxy.async.shared::cta`.

    Example: `nvx.async_fence`.
  }];
  let assemblyFormat = "attr-dict";
}

def NVX_MBarrierArriveOp : NVX_MBarrierOp<"mbarrier_arrive"> {
  let summary = "arrive at a barrier in shared memory";
  let description = [{
    What the thread did before is seen by those who wait for the phase. PTX ISA: Parallel Synchronization and Communication
    Instructions, `mbarrier.arrive.shared.b64`.

    Example: `nvx.mbarrier_arrive %barrier`.
  }];
}

def NVX_MBarrierExpectOp : NVX_MBarrierOp<"mbarrier_expect"> {
  let summary = "arrive at a barrier, and announce what copies will bring";
  let description = [{
    The phase does not end before so many more bytes have come. PTX ISA: Parallel Synchronization and Communication Instructions,
    `mbarrier.arrive.expect_tx.shared.b64`.

    Example: `nvx.mbarrier_expect %barrier, 16384`.
  }];
  let arguments = !con(barrierArgument, (ins ConfinedAttr<I32Attr, [IntPositive]>:$bytes));
  let assemblyFormat = "$barrier `,` $bytes attr-dict";
}

def NVX_MBarrierWaitOp : NVX_MBarrierOp<"mbarrier_wait"> {
  let summary = "wait until a phase of a barrier has ended";
  let description = [{
    The phases have the parities 0, 1, 0, ...; of a barrier that was just started the phase before the first has ended, whose
    parity is 1. PTX ISA: Parallel Synchronization and Communication Instructions, `mbarrier.try_wait.parity.shared.b64`, until it
    says so.

    Example: `nvx.mbarrier_wait %barrier, %parity`.
  }];
  let arguments = !con(barrierArgument, (ins I32:$parity));
  let assemblyFormat = "$barrier `,` $parity attr-dict";
}

def NVX_TmaLoadOp : NVX_Op<"tma_load"> {
  let summary = "begin to copy a box of a tensor to shared memory";
  let description = [{
    The box of the map (`nvx.tensor_map`) whose first element has these coordinates, the dimension that lies side by side first; what
    lies outside of the tensor is zeros. The barrier is told of its bytes, all of them, when they have come. PTX ISA: Data
    Movement and Conversion Instructions, Tensor copy,
    `cp.async.bulk.tensor.shared::cluster.global.mbarrier::complete_tx::bytes`.

    Example: `nvx.tma_load %target, %map[%k, %row], %barrier`.
  }];
  let arguments = (ins NVX_SharedPointer:$target, LLVM_PointerInAddressSpace<0>:$map, Variadic<I32>:$coordinates,
                       NVX_SharedPointer:$barrier);
  let assemblyFormat = "$target `,` $map `[` $coordinates `]` `,` $barrier attr-dict";
  let hasVerifier = 1;
}

def NVX_TmaStoreOp : NVX_Op<"tma_store"> {
  let summary = "begin to copy a box of a tensor from shared memory";
  let description = [{
    As `nvx.tma_load`, to the tensor: what would lie outside of it is not written. What threads wrote to shared memory is copied if
    they passed an `nvx.async_fence` behind it, and this thread met them after that. PTX ISA: Data Movement and Conversion
    Instructions, Tensor copy, `cp.async.bulk.tensor.global.shared::cta.bulk_group`.

    Example: `nvx.tma_store %map[%column, %row], %source`.
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<0>:$map, Variadic<I32>:$coordinates, NVX_SharedPointer:$source);
  let assemblyFormat = "$map `[` $coordinates `]` `,` $source attr-dict";
  let hasVerifier = 1;
}

def NVX_TmaCommitOp : NVX_Op<"tma_commit"> {
  let summary = "make a group of the copies from shared memory that the thread has begun";
  let description = [{
    PTX ISA: Data Movement and Conversion Instructions, `cp.async.bulk.commit_group`.

    Example: `nvx.tma_commit`.
  }];
  let assemblyFormat = "attr-dict";
}

def NVX_TmaWaitOp : NVX_Op<"tma_wait"> {
  let summary = "wait for the thread's groups of copies from shared memory but the last ones";
  let description = [{
    All groups of this thread but the last `pending` ones have written the tensor, or, with `read`, have read shared memory, which may
    be written again behind a barrier. PTX ISA: Data Movement and Conversion Instructions, `cp.async.bulk.wait_group`.

    Example: `nvx.tma_wait read 1`.
  }];
  let arguments = (ins UnitAttr:$read, ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "(`read` $read^)? $pending attr-dict";
}

//===----------------------------------------------------------------------------------------===//
// Products of four warps (sm_90a)
//===----------------------------------------------------------------------------------------===//

def NVX_MaxRegistersOp : NVX_Op<"max_registers"> {
  let summary = "give registers back, or take some";
  let description = [{
    From here on each thread of the four warps, all of which must be there, has so many; `more`: it waits until there are. PTX ISA:
    Miscellaneous Instructions, `setmaxnreg.sync.aligned.u32`.

    Example: `nvx.max_registers more 232`.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<24>, IntMaxValue<256>]>:$count, UnitAttr:$more);
  let assemblyFormat = "(`more` $more^)? $count attr-dict";
}

class NVX_SameTypes<string arguments, string results>
    : RangedTypesMatchWith<"results have the types of '" # arguments # "'", arguments, results, "llvm::iterator_range($_self)">;

class NVX_TiedOp<string mnemonic> : NVX_Op<mnemonic, [NVX_SameTypes<"registers", "results">]> {
  dag registerArguments = (ins Variadic<AnyTypeOf<[F32, I32]>>:$registers);
  let arguments = registerArguments;
  let results = (outs Variadic<AnyTypeOf<[F32, I32]>>:$results);
  let assemblyFormat = "` ` `[` $registers `]` attr-dict (`:` type($registers)^)?";
}

def NVX_WgmmaFenceOp : NVX_TiedOp<"wgmma_fence"> {
  let summary = "let products know of registers";
  let description = [{
    Products of `nvx.wgmma` behind it see what the thread wrote to registers; the results are the operands, as a product uses
    them. PTX ISA: Asynchronous Warpgroup Level Matrix Instructions, `wgmma.fence.sync.aligned`.

    Example: `%d:2 = nvx.wgmma_fence [%c0, %c1] : f32, f32`.
  }];
}

def NVX_OpaqueOp : NVX_TiedOp<"opaque"> {
  let summary = "registers of which the code generator knows nothing";
  let description = [{
    The results are the operands. What follows from them is computed behind the op and again where it stands in a loop, instead of
    being kept in registers that products need. No instruction.

    Example: `%y = nvx.opaque [%x] : i32`.
  }];
}

def NVX_WgmmaOp : NVX_Op<"wgmma", [AttrSizedOperandSegments, NVX_SameTypes<"c", "d">]> {
  let summary = "begin to add a product of matrices in shared memory";
  let description = [{
    `d[r, n] = c[r, n] + sum(k) a[r, k] * b[k, n]` with 64 rows, `2 * registers` columns, and 16 values of k (bf16, f16) or 8
    (tf32); sums are f32. The 128 threads of four warps must be there: register `i` of thread `l` of warp `w` is row
    `16 w + l / 4 + 8 ((i / 2) % 2)` and column `8 (i / 4) + 2 (l % 4) + i % 2`. The results are known, and the registers of the sums
    may be used, behind an `nvx.wgmma_wait` for its group. `b` is a descriptor (`weft/Codegen/GPU/MatrixDescriptor.h`); with
    `trans` its columns lie side by side. `a` is one, too, or four registers of 16 bits pairs, as `nvx.mma` has them for the rows of each
    warp. `only`: `c` counts as 0. PTX ISA: Asynchronous Warpgroup Level Matrix Instructions, `wgmma.mma_async.sync.aligned`.

    Example: `%d:4 = nvx.wgmma bf16 [%a] x %b + [%c0, %c1, %c2, %c3]`.
  }];
  let arguments = (ins TypeAttr:$element, Variadic<AnyTypeOf<[I32, I64]>>:$a, I64:$b, Variadic<F32>:$c, UnitAttr:$trans, UnitAttr:$only);
  let results = (outs Variadic<F32>:$d);
  let assemblyFormat = "$element ` ` `[` $a `]` `x` $b `+` ` ` `[` $c `]` attr-dict `:` type($a) `->` type($c)";
  let hasVerifier = 1;
}

def NVX_WgmmaCommitOp : NVX_Op<"wgmma_commit"> {
  let summary = "make a group of the products that were begun";
  let description = [{
    PTX ISA: Asynchronous Warpgroup Level Matrix Instructions, `wgmma.commit_group.sync.aligned`.

    Example: `nvx.wgmma_commit`.
  }];
  let assemblyFormat = "attr-dict";
}

def NVX_WgmmaWaitOp : NVX_TiedOp<"wgmma_wait"> {
  let summary = "wait for all groups of products but the last ones";
  let description = [{
    The results are the operands, as the products have left them. PTX ISA: Asynchronous Warpgroup Level Matrix Instructions,
    `wgmma.wait_group.sync.aligned`.

    Example: `%d:2 = nvx.wgmma_wait 0 [%c0, %c1] : f32, f32`.
  }];
  let arguments = !con((ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending), registerArguments);
  let assemblyFormat = "$pending ` ` `[` $registers `]` attr-dict (`:` type($registers)^)?";
}

//===----------------------------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------------------------===//

class NVX_FunctionOp<string mnemonic> : NVX_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins F32:$operand);
  let results = (outs F32:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def NVX_MulOp : NVX_Op<"mul", [Pure, SameOperandsAndResultType]> {
  let summary = "a product that is rounded";
  let description = [{
    `result = lhs * rhs`, rounded to f32 before anything is added to it: other products are fused with the sums that they are part
    of. PTX ISA: Floating Point Instructions, `mul.rn.ftz.f32`.

    Example: `%y = nvx.mul %a, %b : f32`.
  }];
  let arguments = (ins F32:$lhs, F32:$rhs);
  let results = (outs F32:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def NVX_Ex2Op : NVX_FunctionOp<"ex2"> {
  let summary = "a power of two, nearly";
  let description = [{
    `result = 2^operand`, within 2^-22 of it. A subnormal operand counts as 0, a result below the smallest normal number is 0;
    2^-inf is 0, 2^+inf is +inf, NaN stays NaN. PTX ISA: Floating Point Instructions, `ex2.approx.ftz.f32`.

    Example: `%y = nvx.ex2 %x : f32`.
  }];
}

def NVX_RcpOp : NVX_FunctionOp<"rcp"> {
  let summary = "one divided by a number, nearly";
  let description = [{
    `result = 1 / operand`, within 2^-23 of it. A subnormal operand counts as 0, of which it is an infinity of the same sign; of
    infinities it is 0, NaN stays NaN. PTX ISA: Floating Point Instructions, `rcp.approx.ftz.f32`.

    Example: `%y = nvx.rcp %x : f32`.
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

//===----------------------------------------------------------------------------------------===//
// What the host asks of the runtime
//===----------------------------------------------------------------------------------------===//

def NVX_ChipOp : NVX_Op<"chip", [Pure]> {
  let summary = "for which chip the kernels are that run";
  let description = [{
    The compute capability of the kernels that were loaded, 90 for sm_90a. On the host.

    Example: `%c = nvx.chip : i32`.
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def NVX_ProcessorsOp : NVX_Op<"processors", [Pure]> {
  let summary = "how many processors the device has";
  let description = [{
    On the host. Each runs a block at a time, or several.

    Example: `%n = nvx.processors : i32`.
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def NVX_TensorMapOp : NVX_Op<"tensor_map", [AttrSizedOperandSegments]> {
  let summary = "a map of a tensor for copies of boxes";
  let description = [{
    The address of a map, an argument of a kernel that gets its 128 bytes, of a tensor in the device's memory: its sizes, of the
    dimension that lies side by side first, and bytes from one value of each other dimension to the next, multiples of 16. A
    copy is a box of so many elements. Rows of the box of 128 bytes follow each other in shared memory, the chunks of 16 bytes of
    row `r` at their number xor `r mod 8`. On the host. PTX ISA: Tensors, Swizzling modes.

    Example: `%m = nvx.tensor_map %x sizes [%k, %rows] strides [%row] box [64, 128] of bf16`.
  }];
  let arguments = (ins LLVM_AnyPointer:$address, Variadic<I64>:$sizes, Variadic<I64>:$strides, DenseI32ArrayAttr:$box, TypeAttr:$element);
  let results = (outs LLVM_PointerInAddressSpace<0>:$map);
  let assemblyFormat = "$address `sizes` `[` $sizes `]` `strides` `[` $strides `]` `box` $box `of` $element attr-dict `:` type($address)";
  let hasVerifier = 1;
}

#endif
