//===- Passes.td - the passes on the weft dialect ------------------------------------*- tablegen -*-===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_PASSES_TD
#define WEFT_DIALECT_WEFT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldConstantsPass : Pass<"weft-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "evaluate formulas that depend on nothing but constants";
  let description = [{
    A formula without run-time inputs, weights and symbols (a position table, ALiBi's slopes) is evaluated in float64
    and becomes an `arith.constant` of its rounded value. That is done where it pays: for reductions, contractions,
    normalisations and for maps that call functions of `math`. A map of plain arithmetic on indices costs less to
    compute than to load, and the fusions see through it; it stays, unless its attribute `weft.constant` asks for its
    evaluation (the language's `buffer`).
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "67108864", "largest size of all tables of a function together">,
    Option<"maxPoints", "max-points", "int64_t", "67108864", "most evaluations of one formula's element expression">
  ];
  let statistics = [
    Statistic<"numFolded", "folded", "formulas that became constants">,
    Statistic<"numTooLarge", "too-large", "constant formulas above the limits">
  ];
}

#endif
