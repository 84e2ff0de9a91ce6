//===- Elaborator.h - Evaluates a model -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Walks the statements of a model with everything that is known at compile time, and builds a
// function for each entry and each different module call. Statements and expressions need each
// other (a module call is an expression that executes statements), so this is one class; its parts
// are in the files named below. What stands for itself is a class of its own: the Loader finds
// imports, the Reporter reports, the ScalarBuilder makes the nodes of a formula, the FormulaEmitter
// turns a formula into ops.
//
// An error is reported where it is found; functions then return nothing (std::nullopt, null or
// false), and the names that a failed statement would have defined are poisoned, so that each
// mistake is reported once.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_ELABORATOR_H
#define WEFT_LIB_FRONTEND_EMIT_ELABORATOR_H

#include "Function.h"
#include "ScalarBuilder.h"
#include "Sema/Reporter.h"
#include "Sema/UnreadTensors.h"
#include "Types.h"
#include "weft/Dialect/Weft/Transforms/MapFunctions.h"
#include "weft/Frontend/Frontend.h"
#include "llvm/ADT/StringSet.h"

namespace weft::sema {

using Result = std::optional<Value>;

class Elaborator {
public:
  Elaborator(mlir::MLIRContext &context, const FrontendOptions &options,
             DiagnosticEngine &diagnostics, Reporter &reporter)
      : context(context), options(options), diagnostics(diagnostics), reporter(reporter) {}

  /// Elaborates a model of the file that `scope` shows.
  std::optional<FrontendResult> run(const ast::ModelDecl &named, FileScope *scope);

private:
  //===--- The module (Elaborate.cpp) ---===//
  void annotateModule();
  void eraseUncalled();
  bool verifyModule();

  //===--- Entries (Entries.cpp) ---===//
  bool bindModelParameters(const ast::ModelDecl &model, Env &env);
  bool elaborateEntry(const ast::ModelDecl &model, const ast::EntryStmt *entry, FileScope *file);
  bool bindEntryParameters(const ast::EntryStmt &entry, Env &env);
  bool finishEntry(Function &function, const ast::ModelDecl &model, const ast::EntryStmt *entry);
  bool checkGenerate(Function &function);
  Tensor storeAs(ElementType element, const Tensor &tensor, const ast::Identifier &name,
                 Function &function);
  bool finishOutputs(Function &function, llvm::SmallVectorImpl<mlir::Value> &values);
  void nameEntry(Function &function, llvm::StringRef name);
  void dropUnusedInputs(Function &function);

  //===--- Statements (Statements.cpp) ---===//
  bool executeBlock(const ast::Block &block, Env &env);
  bool execute(const ast::Stmt &stmt, Env &env);
  bool executeLet(const ast::LetStmt &stmt, Env &env);
  bool executeCheckpoint(const ast::CheckpointStmt &stmt);
  bool executeFor(const ast::ForStmt &stmt, Env &env);
  bool executeIf(const ast::IfStmt &stmt, Env &env);
  bool executeMatch(const ast::MatchStmt &stmt, Env &env);
  bool executeAssert(const ast::AssertStmt &stmt, Env &env);
  void bind(Env &env, llvm::StringRef name, Value value, SourceRange range);
  /// After an error the names that `stmt` would have defined are unknown, not wrong.
  void poison(const ast::Stmt &stmt, Env &env);
  /// Counts a statement or an expression: false, after an error, if the limits are reached.
  bool enter(SourceRange range);
  void leave() { --depth; }

  //===--- Formulas and whole tensors (Definitions.cpp) ---===//
  Tensor define(const ast::Definition &definition, Env &env, SourceRange range, bool constant);
  bool executeAssign(const ast::AssignStmt &stmt, Env &env);
  bool executeBuffer(const ast::BufferStmt &stmt, Env &env);
  /// The tensor of a whole-tensor expression, or the tensors of a module call with several results.
  Result evaluateWhole(const ast::Expr &expr, Env &env, llvm::StringRef label);
  /// False, after an error, if the name is something else than a tensor.
  bool canDefine(const ast::Identifier &name, Env &env);
  /// False, after an error, if the name is known already.
  bool canDeclare(const ast::Identifier &name, Env &env);
  bool bindIndices(llvm::ArrayRef<ast::Binder> binders, Formula &formula, Env &env);
  Tensor bindTensor(const Tensor &tensor, const ast::Identifier &name, Env &env);
  Tensor bindMapped(const Value &value, const ast::Identifier &name, SourceRange range, Env &env);
  Result evaluateMappedTuple(const ast::AssignStmt &stmt, Env &env);
  Tensor emit(Formula &formula, Scalar *root, Function &function, llvm::StringRef label,
              SourceRange range, bool constant = false);

  //===--- What leaves a function (Results.cpp) ---===//
  bool executeReturn(const ast::ReturnStmt &stmt, Env &env);
  bool executeOutput(const ast::OutputStmt &stmt, Env &env);
  bool canOutput(const ast::OutputStmt &stmt, const Function &function);
  bool executeGenerate(const ast::GenerateStmt &stmt, Env &env);

  //===--- Dimensions (Declarations.cpp) ---===//
  bool executeDim(const ast::DimStmt &stmt, Env &env);
  bool declareDim(const ast::DimStmt::Dimension &dimension, Env &env);
  bool fixDim(Extent &extent, bool bounded, SourceRange range, Function &function);
  bool declareSymbol(const Extent &extent, SourceRange range);
  std::optional<Extent> evaluateExtent(const ast::Expr &expr, Env &env);
  bool evaluateDims(const ast::TensorType &type, Env &env, llvm::SmallVectorImpl<Extent> &dims);
  bool checkSize(llvm::ArrayRef<Extent> dims, SourceRange range, llvm::StringRef name);

  //===--- Parameters (Parameters.cpp) ---===//
  bool executeParam(const ast::ParamStmt &stmt, Env &env);
  bool declareParam(const ast::ParamStmt::Param &param, Env &env);
  bool readParam(const ast::ParamStmt::Param &param, Parameter &parameter, Env &env);
  bool declareTied(const ast::Expr &tied, Parameter &parameter, Env &env);
  bool checkStacks(const ast::ParamStmt::Param &param, llvm::ArrayRef<Extent> stacks,
                   llvm::ArrayRef<Extent> dims);
  /// The value of a parameter inside `function`: a weight in an entry, an argument in a module.
  Parameter *addParameter(Function &function, Parameter parameter);
  mlir::Value createWeight(Function &function, const Parameter &parameter,
                           mlir::RankedTensorType type);

  //===--- Inputs (Inputs.cpp) ---===//
  bool executeInput(const ast::InputStmt &stmt, Env &env);
  bool declareInput(const ast::Identifier &name, llvm::ArrayRef<ast::Binder> indices,
                    const ast::TensorType &type, const ast::Expr *defaultValue, Env &env);
  void addInputArgument(const std::shared_ptr<TensorValue> &tensor, mlir::TypedAttr value,
                        bool computed, Function &function);
  Tensor presenceOf(Function &function, const std::string &name);
  Result evaluateGiven(const ast::CallExpr &expr, Env &env, Formula *formula);

  //===--- Defaults of inputs (InputDefaults.cpp) ---===//
  /// Adds an input with a default; its elements, or null after an error.
  Tensor addOptionalInput(std::shared_ptr<TensorValue> tensor, llvm::ArrayRef<ast::Binder> indices,
                          const ast::Expr &defaultValue, Env &env);
  bool checkInputIndices(llvm::ArrayRef<ast::Binder> binders, const TensorValue &tensor);
  Result evaluateDefault(const ast::Expr &expr, bool hasIndices, const TensorValue &tensor,
                         Formula &formula, Env &env);
  mlir::TypedAttr defaultAttribute(const Value &value, ElementType element, SourceRange range);
  Scalar *defaultElement(const Value &value, ast::ElementKind element, SourceRange range,
                         Formula &formula);
  Tensor chooseInput(const std::string &name, Scalar *fallback, Formula &formula,
                     Function &function);

  //===--- Expressions (Evaluate.cpp) ---===//
  /// The value of an expression, which may become a node of `formula`; without a formula everything
  /// must be known at compile time.
  Result evaluate(const ast::Expr &expr, Env &env, Formula *formula);
  /// The same where only a compile-time value will do; `what` begins the error.
  Result evaluateCompileTime(const ast::Expr &expr, Env &env, llvm::StringRef what);
  std::optional<bool> evaluateCondition(const ast::Expr &expr, Env &env, llvm::StringRef what);
  std::optional<int64_t> evaluateInteger(const ast::Expr &expr, Env &env, llvm::StringRef what);
  Result evaluateExpr(const ast::Expr &expr, Env &env, Formula *formula);
  Result evaluateList(const ast::ListExpr &expr, Env &env);
  Result evaluateElement(const ast::ElementExpr &expr, Env &env, Formula *formula);
  Result evaluateBase(const ast::ElementExpr &expr, Env &env, Formula *formula);
  Result evaluateRead(const Tensor &tensor, const ast::ElementExpr &expr, Env &env,
                      Formula *formula);
  Result evaluateIf(const ast::IfExpr &expr, Env &env, Formula *formula);
  Result evaluateMatch(const ast::MatchExpr &expr, Env &env, Formula *formula);
  std::optional<int> chooseArm(const ast::Expr &subject,
                               llvm::ArrayRef<const std::vector<ast::ExprPtr> *> arms, Env &env);

  //===--- Names (Names.cpp) ---===//
  /// The segments of a path with every `{e}` replaced by its value. The name of a parameter may
  /// have stacks, `{e: E}`, which become `{8}`.
  std::optional<std::vector<std::string>>
  evaluatePath(const ast::Path &path, Env &env, llvm::SmallVectorImpl<Extent> *stacks = nullptr);
  bool appendPiece(const ast::Path::Piece &piece, std::string &text, Env &env,
                   llvm::SmallVectorImpl<Extent> *stacks);
  std::optional<ast::Identifier> declaredName(const ast::Path &path, Env &env);
  /// `isBase`: elements are read of it, so that it is no index.
  Result evaluateName(const ast::NameExpr &expr, Env &env, Formula *formula, bool isBase);
  Result evaluateMember(const ast::MemberExpr &expr, Env &env, Formula *formula);
  Result lookup(llvm::ArrayRef<std::string> segments, SourceRange range, Env &env);
  Result member(const Value &value, llvm::StringRef name, SourceRange range, llvm::StringRef path);
  std::optional<Value> fileMember(FileScope &file, llvm::StringRef name);
  std::nullopt_t unknownName(llvm::StringRef name, SourceRange range, Env &env);

  //===--- Operators (Operators.cpp) ---===//
  Result evaluateUnary(const ast::UnaryExpr &expr, Env &env, Formula *formula);
  Result evaluateBinary(const ast::BinaryExpr &expr, Env &env, Formula *formula);
  Result otherSide(const Value &value, SourceRange range, Formula *formula);
  Result evaluateLogical(const ast::BinaryExpr &expr, Env &env, Formula *formula);
  Result foldOperands(const ast::BinaryExpr &expr, const Value &a, const Value &b);
  Result buildOperands(const ast::BinaryExpr &expr, const Value &a, const Value &b,
                       Formula *formula);

  //===--- Reductions (Reductions.cpp) and the ranges of indices (Ranges.cpp) ---===//
  Result evaluateReduction(const ast::ReductionExpr &expr, Env &env, Formula *formula);
  Result readReduction(const ast::ReductionExpr &expr, Scalar *node, Env &env, Formula *formula);
  bool bindReduction(const ast::ReductionExpr &expr, Scalar *node, Env &env, Formula *formula);
  bool bindRange(const ast::Binder &binder, Index *index, Env &env);
  /// Reports that the range of `index`, one of `indices`, must be said: "write 'sum(s: T, d)'".
  void rangeUnknown(const Index &index, const llvm::Twine &before,
                    llvm::ArrayRef<ast::Binder> binders, llvm::ArrayRef<Index *> indices,
                    llvm::StringRef after, Env &env);
  bool unifyRange(Index *index, const Extent &dim, const TensorValue &tensor, SourceRange range);

  //===--- Calls (Calls.cpp, Builtins.cpp) ---===//
  Result evaluateCall(const ast::CallExpr &expr, Env &env, Formula *formula);
  Result evaluateScopedCall(const ast::ScopedCallExpr &expr, Env &env);
  Result lookupCallee(llvm::ArrayRef<std::string> segments, SourceRange range, Env &env);
  /// Whether a call of this name means a function of the language.
  bool callsBuiltin(llvm::ArrayRef<std::string> segments, const Env &env) const;
  std::optional<llvm::SmallVector<Value>>
  evaluateArguments(const ast::CallExpr &expr, llvm::StringRef name, Env &env, Formula *formula);
  Result callBuiltin(llvm::StringRef name, const ast::CallExpr &expr, Env &env, Formula *formula);
  Result callFn(const Value &fn, const ast::CallExpr &expr, Env &env, Formula *formula);
  /// What is called, as the binding of its arguments sees it.
  struct Callee {
    const std::vector<ast::Parameter> &parameters;
    const ast::Identifier &name;
    FileScope *file; ///< where defaults are read
    bool isModule;
  };
  using Arguments = llvm::SmallVector<const ast::Argument *>;
  using Bound = llvm::SmallVector<std::pair<Value, SourceRange>, 4>;
  /// The argument of the call for each parameter; null where there is none.
  std::optional<Arguments> matchArguments(const Callee &callee, const ast::CallExpr &expr);
  /// One value for each parameter: from the call or the default.
  std::optional<Bound> bindArguments(const Callee &callee, const ast::CallExpr &expr, Env &env,
                                     Formula *formula);

  //===--- Modules (Modules.cpp) ---===//
  Result callModule(const Value &module, const ast::CallExpr &expr, llvm::StringRef scope,
                    Env &env);
  ModuleInstance *instantiate(const Value &module, const Bound &arguments,
                              const ast::CallExpr &expr);
  bool elaborateModule(const Value &module, const Bound &arguments, SourceRange call,
                       Function &function);
  void finishModule(const ast::ModuleDecl &decl, const Bound &arguments, Function &function);
  Result emitCall(ModuleInstance &instance, const ast::ModuleDecl &decl, const Bound &arguments,
                  llvm::StringRef scope, SourceRange range, Function &caller, Formula *mapping);
  std::string uniqueSymbol(llvm::StringRef name);

  //===--- What a module gets from its caller (ModuleArguments.cpp) ---===//
  bool bindModuleArguments(const ast::ModuleDecl &decl, const Bound &arguments, Function &function,
                           Env &env);
  bool bindModuleTensor(const ast::Parameter &parameter, const Tensor &tensor, SourceRange range,
                        Function &function, Env &env);
  bool bindDimensions(const ast::Parameter &parameter, const TensorValue &tensor, SourceRange range,
                      Env &env, TensorValue &local);

  //===--- Modules over an index (Mapping.cpp) ---===//
  bool isMappedCall(const ast::Expr &expr, Env &env);
  Result evaluateMapped(const ast::Expr &expr, Formula &formula, Env &env);
  Result evaluateSlice(const ast::ElementExpr &expr, Env &env, Formula &mapping);
  bool bindSliceIndex(const ast::Expr &expr, TensorValue &slice, const Extent &dim,
                      const Formula &mapping);
  mlir::func::FuncOp mapFunction(const Function &callee, llvm::StringRef name,
                                 llvm::ArrayRef<Tensor> arguments, const Formula &mapping);
  bool coversDimension(const Index &index, const TensorValue &argument);

  //===--- Short names ---===//
  std::nullopt_t error(SourceRange range, const llvm::Twine &message, Reporter::Notes notes = {}) {
    return reporter.error(range, message, notes);
  }
  std::nullopt_t unusable(const Value &value, SourceRange range, llvm::StringRef wanted) {
    return reporter.unusable(value, range, wanted);
  }
  /// `value` is known only at run time where it is needed before.
  std::nullopt_t late(const Value &value, SourceRange range);
  mlir::Location location(SourceRange range) const { return reporter.location(range); }
  mlir::RankedTensorType typeOf(ElementType element, llvm::ArrayRef<Extent> dims) const {
    return tensorType(context, element, dims);
  }
  ScalarBuilder scalars(Formula *formula) { return ScalarBuilder(reporter, *formula); }

  mlir::MLIRContext &context;
  const FrontendOptions &options;
  DiagnosticEngine &diagnostics;
  Reporter &reporter;
  mlir::ModuleOp module;
  FrontendResult result;
  const ConfigValue emptyConfig = ConfigValue::makeObject();

  // What keeps the compilation of any text finite.
  static constexpr unsigned maxDepth = 1200;
  static constexpr uint64_t maxSteps = 2000000;
  unsigned depth = 0;   ///< of evaluate() and execute()
  uint64_t steps = 0;   ///< statements executed and expressions evaluated
  bool stopped = false; ///< a limit was reached, or what follows rests on a mistake

  llvm::MapVector<llvm::StringRef, Extent> symbols; ///< run-time dimensions of the model
  llvm::StringMap<SourceRange> symbolRanges;
  std::map<std::string, ModuleInstance> instances;
  llvm::StringMap<unsigned> symbolNames;          ///< of functions, with the next free suffix
  std::map<const void *, FunctionMapper> mappers; ///< by index
  UnreadTensors unreadTensors;
  bool severalEntries = false;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_ELABORATOR_H
