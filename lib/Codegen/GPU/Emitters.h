//===- Emitters.h - the emitters of a GPU ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_EMITTERS_H
#define WEFT_LIB_CODEGEN_GPU_EMITTERS_H

#include "weft/Codegen/Common/Emitters.h"

namespace weft {

namespace emitters {
inline constexpr llvm::StringLiteral rowThreads = "row_threads", mma = "mma",
                                     mmaAttention = "mma_attention",
                                     decodeAttention = "decode_attention", byCount = "by_count",
                                     fewRows = "few_rows", fewRowsMma = "few_rows_mma";
} // namespace emitters

/// Rows that neighbouring threads share: statistics of rows, softmaxes, reductions.
struct RowThreadsSchedule {
  int64_t threads = 32; ///< of a row: those of a warp or of a block
  int64_t width = 1;    ///< neighbouring elements that a thread takes at once
  bool held = true;     ///< the elements stay in registers; else the row is read in every pass

  template <typename Fields> void visit(Fields &fields) {
    fields("threads", threads);
    fields("width", width);
    fields("held", held);
  }
  void check(ScheduleRules &rules, FormulaOpInterface op) const;
};

/// The index along which threads can share what the formula computes; none if they cannot.
std::optional<unsigned> getSharedAxis(FormulaOpInterface op);

/// Products on matrix units.
std::unique_ptr<KernelEmitter> createMmaEmitter(ContractOp op, LoweringAttr lowering);
/// What adds up their sums over parts of k; null where they have one.
std::unique_ptr<KernelEmitter> createMmaCombiner(ContractOp op, LoweringAttr lowering);

/// Products of few rows with codes or f32; and of few rows of 16 bits, on matrix units.
std::unique_ptr<KernelEmitter> createFewRowsEmitter(ContractOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createFewRowsMmaEmitter(ContractOp op, LoweringAttr lowering);

/// Attentions on matrix units.
std::unique_ptr<KernelEmitter> createMmaAttentionEmitter(AttentionOp op, LoweringAttr lowering);

/// Attentions of few queries, and what combines their parts; null where there is one.
std::unique_ptr<KernelEmitter> createDecodeEmitter(AttentionOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createDecodeCombiner(AttentionOp op, LoweringAttr lowering);

/// One of two kernels, by the number of rows: those of a product, or queries.
struct CountSchedule {
  int64_t most = 1; ///< rows for which there is `few`
  LoweringAttr few, more;

  template <typename Fields> void visit(Fields &fields) {
    fields("most", most);
    fields("few", few);
    fields("more", more);
  }
  void check(ScheduleRules &rules, FormulaOpInterface op) const;
};

/// The one for more rows; both can be made.
std::unique_ptr<KernelEmitter> createByCount(mlir::Operation *anchor, LoweringAttr lowering);

/// A function of the device, of those that do a kernel's work one after the other. It is launched
/// if it has tasks.
struct KernelPart {
  std::string suffix; ///< of its name
  std::shared_ptr<KernelEmitter> emitter;
  bool isLight = false; ///< of what a block has its tasks take so little that others' may be beside
};

/// The parts of an anchor's kernel, by its lowering; none and an error if that is not possible.
llvm::SmallVector<KernelPart> createParts(mlir::Operation *anchor);

/// Those of a kernel of several anchors: what begins all of their lists alike, and is light, is one
/// function; the others follow, an anchor's after the other's.
llvm::SmallVector<KernelPart> joinParts(llvm::ArrayRef<llvm::SmallVector<KernelPart>> ofAnchors);

/// Those of every target, and the GPU's own.
llvm::ArrayRef<EmitterInfo> getGPUEmitters();

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_EMITTERS_H
