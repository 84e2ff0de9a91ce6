//===- Passes.td - from kernels to loops for a GPU ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_GPU_PASSES_TD
#define WEFT_CODEGEN_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignGpuLowering : Pass<"weft-assign-gpu-lowering", "::mlir::ModuleOp"> {
  let summary = "choose how every kernel becomes the threads of a GPU";
  let description = [{
    Puts `#weft.lowering` on the anchor of every kernel, as `weft-assign-lowering` does for processors: one of the emitters that
    every target has, with as little in a task as it allows, since a task is a thread, or one of the GPU's own.

    | what | emitter | a task |
    |---|---|---|
    | map whose inputs lie along the output | `map` | elements that fill 16 bytes of it, or the largest power of two of them that divides its rows (`width`, `vectors = 1`) |
    | other map, check | `map`, `check` | an element (`vectors = 1`) |
    | row, softmax, reduction (all but argtop) along memory, of 32 to 1024 elements | `row_threads` | a row, by the 32 threads of a warp (`threads`), in vectors as for maps (`width`), in registers (`held = true`) |
    | the same of up to 8192 elements | `row_threads` | a row, by the 256 threads of a block |
    | the same of more | `row_threads` | the same, read again in every pass (`held = false`) |
    | shorter rows, rows across memory or with loops in their elements | `softmax`, `row`, `reduce` | a row, or a result, by one thread |
    | product of two factors of bf16, of f16 or of f32, of more than 2 rows and columns (f32: 8), in chunks of 16 bytes (below) | `mma` | a tile of results (`tile = [rows, columns, k]`), by a block |
    | product of codes, or of f32 with a weight of codes of a table, of any number of rows (below) | `mma` | the same, codes expanded in registers |
    | the same of up to 8 rows (codes of 4 bits: 4), but for codes of 8 bits that are multiplied as they are; of 3 to 8 rows of f32 with a weight of 2^16 elements or more that has k side by side | `few_rows` | some columns of all rows, by a block |
    | product of two factors of bf16 or of f16, of up to 16 rows, with a weight of 2^16 elements or more that has k or its columns side by side | `few_rows_mma` | the same |
    | other product of reals of up to 8 rows or columns, whose factors have one index of k side by side, enough for 16 bytes a thread of a warp | `row_threads` | a result, by the 32 threads of a warp, in registers up to 1024 of k |
    | other product whose columns a factor has side by side | `contract` | two vectors of columns (`tile = 2`), each 16 bytes of the wider factor (`width`) |
    | other product whose factors have side by side what is summed over | `contract` | four columns (`tile = 4`), or one, summed in such vectors |
    | any other product, argtop | `contract`, `argtop` | a result (`rows = 1`) |
    | attention of more than 8 rows, queries, keys and values of bf16, all of f16 or all of f32 (below) | `mma_attention` | 128 rows, by a block |
    | attention of up to 4 queries and 64 keys or more (below) | `decode_attention` | up to 8 heads of a query that share keys, and a part of these, by a block |
    | other attention | `attention_rows` | up to 16 columns of a result (`columns`, the largest divisor of them) |

    Products of f32 with fewer than 64 * 64 * 64 multiplications are left to `contract`. `mma` needs factors whose elements can be copied 16 bytes at once: A (of the rows) has what is summed over side by side, B that or its
    columns; there is a known multiple of so many of these, and whatever else moves through a factor does so by such multiples. A weight of codes
    has them along k, in groups of whole or equal parts of steps, or of all of k. Its fields:

    | field | values | chosen |
    |---|---|---|
    | `tile` | `[rows, columns, k]` of the product that a block has in shared memory at once: 64 or 128, 64 or 128 (or 16 or 32, 128), 32 or 64 (f32: 16 or 32, codes: 64 or 128) | as large as leaves 108 tiles, with the lesser of k (up to 64 rows of expanded codes: the larger; up to 32 of these: 16 or 32 rows) |
    | `stages` | such tiles in the ring, all but one on their way: 2 or more, 48 KiB together | 3 |
    | `width` | neighbouring results that a thread finishes at once: 1, 2 or 4, a divisor of the columns | the largest that divides the last index of the output |
    | `splits` | none, or blocks that have a part of k each, whose sums another kernel adds up: up to 16, for at most 64 rows | for up to 64 rows as many as make 216 blocks, or some more where processors have an eighth less to do, with 4 tiles of k each |
    | `products` | of f32: 1 or 3 products of tf32 for each; none for other types | 3; 1 with the option `tf32` |

    `few_rows` needs the same weight, or one of f32. A thread has some columns and every so many-th piece of them. Its fields:

    | field | values | chosen |
    |---|---|---|
    | `rows` | that there are, at most: up to 8 | those; in a step 1, 4 and 8 (numbers of 4 bits: 2, as activations of two parts are two rows, and 4; f32: 8) |
    | `columns` | that a thread has: a power of two, up to 16, and with the rows up to 64 sums | 8; 16 for reals of 4 bits |
    | `warps` | of a block that share the k of their columns: 1, 2, 4 or 8 | the most with four words of a column for each thread |
    | `bytes` | of a column that a thread reads at once: 4; of numbers up to 16, a power of two by which groups are aligned; of f32 up to 16 | those of which a thread has to read the fewest |

    `few_rows_mma` needs two factors of bf16 or of f16 in chunks of 16 bytes (as `mma`), of which the rows have k side by side, and the weight k or its columns. Its fields:

    | field | values | chosen |
    |---|---|---|
    | `rows` | that there are, at most: up to 16 | those; in a step 16 |
    | `columns` | that a warp has: 16 or 32; 64 of a weight with its columns side by side | 16; of such a weight the most of which there are 108 blocks |
    | `warps` | of a block that share the k of their columns: 1, 2, 4 or 8 | the most with four steps of 32 values of k for each (of such a weight one) |
    | `steps` | that a warp reads before it multiplies any: 1, 2, 4 or 8 (of 64 columns up to 4) | 4; of 32 and 64 columns 2, of 64 and more than 8 rows 1 |
    | `blocks` | of a processor, at least, which bounds the registers: up to 8 | 2 |

    `mma_attention` has rows for the largest index on which neither keys nor values depend, and for heads that share them. It needs
    one product of queries and keys, one type of 16 bits or f32, heads of up to 256 elements, and a softmax (in bf16 and f32 none will do, too:
    weights that are not relative to the largest may not fit f16). Its fields:

    | field | values | chosen |
    |---|---|---|
    | `keys` | of a tile: 16, 32, 64 or 128, which take 48 KiB with their values and what is parked | 64; 32 for heads over 128 elements (f32: 64), 16 over 192 (f32: 96); half of that, but 16, where scores are more than 32 operations |
    | `width` | neighbouring columns that a thread writes at once: 1, or 2 where columns are pairs | 2 where they are and lie side by side |
    | `parked` | none, or how many steps of 16 elements of the queries are in shared memory and not in registers | 2 for heads over 160 elements, 7 over 192; 7 of 8 elements for f32 over 96 |
    | `reread` | none, or how many steps are read from memory for every tile of keys | all for f32 over 128 elements, whose sums take the registers |
    | `products` | of f32: 1 or 3 products of tf32 for each; none for other types | 3; 1 with the option `tf32`. Fewer than 64 * 64 * 64 multiplications are left to threads |

    `decode_attention` needs a softmax of one product of reals, with heads of known size up to 256; it has kernels of its own for parts of the keys and for what
    combines them. Its fields:

    | field | values | chosen |
    |---|---|---|
    | `splits` | blocks that share the keys of a row: up to 128 | as many as make 432 blocks, with 64 keys each by the bound; with units 528, with two steps of keys each |
    | `heads` | rows of a block: a divisor of the heads that share keys, up to 8 | the largest |
    | `units` | whether tensor cores multiply: of one type of 16 bits, in rows of whole vectors of 16 bytes | where they can |
    | `keys` | that a thread has at once; with units 16 or 32, that a warp has | 2; 32, but 16 of heads over 128 elements and where scores are more than 32 operations |
    | `warps` | of a block: 1, 2, 4 or 8 | 8; 4 with units |
    | `blocks` | for which a processor has registers at least: up to 64 warps | 1; with units and 32 keys 2, or 3 where the score is the product |

    `by_count` is two kernels, of which the launching function chooses one: up to `most` rows of a product, or queries, are computed as the lowering
    `few` says, others as `more` says. Steps have it for products of large weights (2^16 elements), with `few_rows_mma` for 16 rows of 16 bits, `row_threads` for 2 of others, `few_rows` for 1 to 8 and `splits` for 64, and for
    attention, with `decode_attention` for 4 queries.

    With the option `tiles` products whose emitter is `mma` get a second schedule, `nvx.lowering`, for sm_90a: `wgmma`, tiles that
    blocks take in turn. It needs factors that have tensor maps (below), more than 64 rows, and 32 columns and values of k at
    least; of f32 the option `tf32`. While a model runs, up to 64 rows are left to the first schedule.

    | field | values | chosen |
    |---|---|---|
    | `tile` | `[rows, columns, k]` of the product that a block has in shared memory at once: 128; 64, 128, 192 or 256; 64 (f32: 32) | the most columns, a power of two, that leave 132 tiles |
    | `stages` | such tiles in the ring, all but one on their way: 2 or more, 227 KiB together with what results need | 4 |
    | `width` | neighbouring results that a thread finishes at once: 1, 2 or 4, a divisor of the columns | the largest that divides the last index of the output |

    Attentions whose emitter is `mma_attention` get `wgmma_attention`, tiles of 128 rows, if keys and values have tensor maps, rows of both
    are chunks of 16 bytes, and there are more than 64 rows:

    | field | values | chosen |
    |---|---|---|
    | `keys` | of a tile: a multiple of 16 up to 256, 227 KiB together with queries | 128; heads over 128 elements: 64; over 192: 64 where scores are plain, or 48. 64, 48 and 32 where scores are more than 32 operations, or a function (`tanh`, say) of what is read beside the product |
    | `stages` | tiles of keys, and as many of values: 2 or more | 2 |
    | `width` | neighbouring columns that a thread writes at once: 1, or 2 where columns are pairs | 2 where they are and lie side by side |
    | `turns` | the two groups begin products in turns | up to heads of 128 elements |

    A factor has a tensor map where `mma` could copy it, if rows are equally far from each other, if there are up to three dimensions
    besides them and what lies side by side (other indices there, by multiples), and if it is no part of a cache. B of f32 must have what is summed
    over side by side.

    An attribute that is there already is kept, and fields that it lacks are chosen.
  }];
  let options = [Option<"tf32", "tf32", "bool", "false", "one product of tf32 for one of f32 (--compute=tf32)">,
                 Option<"tiles", "tiles", "bool", "false", "schedules for sm_90a, too, where it has better ones">];
}

def LowerGpuKernels : Pass<"weft-lower-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "write the kernels as functions of a GPU, and the functions of the host that launch them (stage kernels to stage loops)";
  let description = [{
    Every kernel becomes two functions. One in `gpu.module @weft.device` does the task that the number of its thread says, or
    its part of one, in a grid of one dimension with 256 threads a block. Its parameters are the buffers, in address space 1, and the *frame* of
    the call: the i32 in which checks report at byte 0 (the first failure stays: a compare and swap), and from byte 8 on the
    values of the module's symbols, an i64 each.

    The other one keeps the kernel's name and its place in `weft.launch`: it has the arguments that a kernel of a processor has
    (buffers, values of symbols, pointer to the status, here that of the frame) and launches the first one
    (`gpu.launch_func`), on a grid that it computes from the symbols.

    A kernel says `nvx.short_indices` if all its values of type `index` lie within 2^30 of 0, as the bounds of symbols show
    (`nvx-shorten-indices`).

    Of a kernel that has `nvx.lowering` a second one is written, in `gpu.module @weft.device.sm_90a`: blocks of 384
    threads that take tiles in turn, as many as the device has processors, with tensor maps as parameters behind the frame. The
    host launches it if the kernels for sm_90a were loaded and there is enough to do.

    A kernel that is launched with different symbols, or on a slot of a cache here and on a buffer there, is written once
    for each. Caches are passed whole, and a kernel finds the rows of a slot by itself: no argument depends on a position.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::vector::VectorDialect", "::weft::nvx::NVXDialect"];
  let statistics = [Statistic<"numKernels", "kernels", "kernels written">,
                    Statistic<"numForms", "forms", "kernels written once more, for other symbols or places">];
}

def LowerLaunches : Pass<"weft-lower-launches", "::mlir::ModuleOp"> {
  let summary = "launch kernels by calls of the runtime";
  let description = [{
    `gpu.launch_func` becomes a call of `weft_cuda_launch` (weft_cuda_program.h) with the number of the kernel among those of all
    modules of the device, and a list of its arguments, maps last. `nvx.tensor_map` becomes
    memory for a map and a call of `weft_cuda_encode`, the other questions to the runtime become calls, too.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::weft::nvx::NVXDialect"];
}

#endif
