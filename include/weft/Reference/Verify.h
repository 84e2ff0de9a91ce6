//===- Verify.h - do two forms of a model compute the same? ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What `weftc --verify` does: the interpreter runs the model before and after the fusions, and
// the compiled code runs beside it, on random inputs. The first formula that differs is named.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_REFERENCE_VERIFY_H
#define WEFT_REFERENCE_VERIFY_H

#include "weft/Reference/Interpreter.h"

namespace weft {

/// A formula whose values differ by more than the tolerance.
struct Difference {
  std::string formula;              ///< the label, or the name of the output
  std::string location;             ///< "gpt2.weft:31:3", or empty
  double error;                     ///< the largest absolute difference
  double limit;                     ///< tolerance * the largest magnitude of the expected values
  llvm::SmallVector<int64_t> index; ///< where it is
  double expected, actual;          ///< the values there
};

/// `formula 'score' (gpt2.weft:31:3) differs by 0.3 at [0, 4, 2]: expected 1.5, computed 1.2`.
std::string toString(const Difference &difference);

/// Element `i` of the tensor, an integer too.
double numberAt(const Tensor &tensor, int64_t i);

/// Compares two tensors of one shape; nothing if no element differs by more than `tolerance` times
/// the largest finite magnitude in `expected`. Integers and booleans are equal or they differ, and
/// so are infinities and what is not a number. (An infinity may stand for the largest float.)
std::optional<Difference> compare(const Tensor &expected, const Tensor &actual, double tolerance);

/// The largest difference of two tensors that agree, relative to the largest expected magnitude.
double relativeError(const Tensor &expected, const Tensor &actual);

/// The value of every symbol of a module for run number `run`: small at first, then larger, up to
/// `limit`; never above its bound.
llvm::StringMap<int64_t> chooseSymbols(mlir::ModuleOp module, unsigned run, int64_t limit = 33);

/// What the entry gets where the caller leaves the optional input `number` out.
TensorRef defaultInput(mlir::func::FuncOp entry, unsigned number, llvm::ArrayRef<int64_t> shape);

/// Inputs for `entry`: reals between -1 and 1, booleans, and integers that pass the entry's
/// `weft.check`s as far as their range can be derived (0 or 1 where nothing is checked); each
/// further `attempt` draws from other integers. The same seed gives the same inputs. An input that
/// the entry asks for is given or left out.
llvm::Expected<std::vector<TensorRef>> randomInputs(mlir::func::FuncOp entry,
                                                    const llvm::StringMap<int64_t> &symbols,
                                                    uint64_t seed, unsigned attempt = 0);

/// The inputs as a caller of compiled code passes them: without the flags that say whether an input
/// is given, and null for one that is not.
std::vector<TensorRef> callerInputs(mlir::func::FuncOp entry, llvm::ArrayRef<TensorRef> inputs);

/// Weights that depend on the name, shape and seed only: between -1/sqrt(n) and 1/sqrt(n) with n
/// the last dimension or the first one, whichever is larger, so that sums stay near 1.
std::function<llvm::Expected<TensorRef>(WeightOp)> randomWeights(uint64_t seed);

/// Runs compiled code: the outputs, in the order of the entry's results.
using CompiledCall = std::function<llvm::Expected<std::vector<TensorRef>>(
    const llvm::StringMap<int64_t> &symbols, llvm::ArrayRef<TensorRef> inputs)>;

/// What a comparison is told.
struct VerifyOptions {
  std::function<llvm::Expected<TensorRef>(WeightOp)> weights; ///< see InterpreterOptions
  unsigned runs = 3;                                          ///< each with other inputs and sizes
  int64_t symbolLimit = 33; ///< largest value of a symbol that is tried
  uint64_t seed = 1;        ///< of the inputs
  /// Of the fusions, which the interpreter runs in float64; constants are rounded to f32, though.
  double fusionTolerance = 1e-5;
  /// Of compiled code: f32 rounding, grown by the sums and layers of a model.
  double codeTolerance = 1e-4;
  /// Of what rounding makes of a model's results, which no code can change.
  double roundingTolerance = 1e-5;

  /// Compare the results of entries, not their formulas: where one module rounds more than the
  /// other, a small difference of large numbers is another number.
  bool resultsOnly = false;

  /// For formulas and weights of `module` that are stored in small reals, and products of codes: a
  /// number near the middle of two may become either, so four units of the last place are allowed
  /// of two forms that round alike. Codes of activations have 127 units for the largest number of a
  /// row, of two planes 254 times as fine. A model that rounds differs from one that does not by up
  /// to some dozens of units in what a few layers make of it.
  void allowRounding(mlir::ModuleOp module);
};

/// A run of an entry that its checks let through.
struct ValidRun {
  llvm::StringMap<int64_t> symbols;
  std::vector<TensorRef> inputs, results;
};

/// Interprets run number `number` of `entry` with random inputs, other ones as long as a check does
/// not hold. An error that says so if no valid inputs are found.
llvm::Expected<ValidRun>
findValidRun(mlir::ModuleOp module, mlir::func::FuncOp entry, unsigned number,
             const VerifyOptions &options,
             const std::function<void(mlir::Operation *, const Tensor &)> &observer = {},
             const std::function<void()> &forget = {});

/// What a comparison found.
struct VerifyReport {
  unsigned compared = 0;  ///< formulas and outputs, over all runs
  double worst = 0.0;     ///< the largest relative error of what agrees
  unsigned undecided = 0; ///< of those compared, what rounding makes as different numbers of
  std::optional<Difference> difference; ///< the first one, in the order of execution
  llvm::StringMap<int64_t> symbols;     ///< of the run with the difference
};

/// (a) Compares `entry` of stage `graph` with stage `fused`, formula by formula and by outputs.
llvm::Expected<VerifyReport> verifyFusion(mlir::ModuleOp graph, mlir::ModuleOp fused,
                                          llvm::StringRef entry, const VerifyOptions &options);

/// (b) Compares the results of `entry`, interpreted, with what `call` computes. After
/// `weft-expose-formulas` these are all labelled formulas, and the first wrong one is named. What
/// differs from float64 may be right all the same, if it is what the formula makes of what the code
/// computed before it, or as f32 computes it: where numbers become integers or codes, or are
/// compared, that may be something else, and no code is wrong for it (see Arithmetic).
llvm::Expected<VerifyReport> verifyCode(mlir::ModuleOp module, llvm::StringRef entry,
                                        const CompiledCall &call, const VerifyOptions &options);

/// The inputs of a whole entry by name; "given X" says whether X is one of them.
using StepInputs = llvm::StringMap<TensorRef>;

/// How a step is run: the beginning of a sequence, then its pieces in order (null for what is not
/// given; the flags "given X" are among the inputs of the beginning and not among the pieces). A
/// piece gives the output of its positions, or with `last` of the last of them only.
struct StepCalls {
  std::function<llvm::Error(const llvm::StringMap<int64_t> &symbols, const StepInputs &inputs)>
      begin;
  std::function<llvm::Expected<TensorRef>(const llvm::StringMap<int64_t> &symbols,
                                          llvm::ArrayRef<TensorRef> pieces, bool last)>
      advance;
  /// The entry as a whole, if that was compiled, too: a step that agrees with it is right.
  CompiledCall whole = nullptr;
};

/// Whether `weft-derive-step` derived a step for `entry`.
bool hasStep(mlir::ModuleOp module, llvm::StringRef entry);

/// (c) Compares `entry` of stage `graph`, run at once, with its step in `fused`, fed in pieces of
/// random sizes, of some of which the last position alone is asked for: interpreted, or run by
/// `compiled`.
llvm::Expected<VerifyReport> verifyStep(mlir::ModuleOp graph, mlir::ModuleOp fused,
                                        llvm::StringRef entry, const StepCalls *compiled,
                                        const VerifyOptions &options);

} // namespace weft

#endif
