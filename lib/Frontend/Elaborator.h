//===- Elaborator.h - Evaluates a model ------------------------*- C++ -*-===//
//
// Walks the statements of a model with everything that is known at compile time, and builds a
// function for each entry and each different module call. The parts of the class are in the files
//
//   Elaborate.cpp     the model and its entries          Statements.cpp   compile-time statements
//   Definitions.cpp   formulas, outputs, results         Declarations.cpp dim, types
//   Inputs.cpp        inputs and their defaults
//   Parameters.cpp    param and the weights              Evaluate.cpp     expressions
//   Names.cpp         what a name stands for             Operators.cpp    arithmetic of formulas
//   Fold.cpp          arithmetic of compile time         Conversions.cpp  values as elements
//   Reductions.cpp    sum(d), softmax(s), ...            Calls.cpp        arguments, calls of a fn
//   Builtins.cpp      the built-in functions             Modules.cpp      module calls
//   Ranges.cpp        over what an index runs             Mapping.cpp      modules over an index
//
// An error is reported where it is found; functions then return nothing (std::nullopt, null or
// false), and the names that a failed statement would have defined are poisoned, so that each
// mistake is reported once.
//
//===----------------------------------------------------------------------===//
#ifndef WEFT_LIB_FRONTEND_ELABORATOR_H
#define WEFT_LIB_FRONTEND_ELABORATOR_H

#include "Loader.h"
#include "Scalar.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "weft/Dialect/Weft/Transforms/MapFunctions.h"
#include "weft/Frontend/Frontend.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

namespace weft::sema {

using Result = std::optional<Value>;

/// `== != < <= > >=`.
inline bool isComparison(ast::BinaryOp op) {
  return op >= ast::BinaryOp::Equal && op <= ast::BinaryOp::GreaterEqual;
}

/// A parameter that a function needs, by its name below the function's scope.
struct Parameter {
  std::string name;
  ast::ElementKind element = ast::ElementKind::Real;
  llvm::SmallVector<Extent, 4> dims;
  std::vector<WeightRef> tied;
  SourceRange range;
  mlir::Value value;
};

/// An input of an entry.
struct Input {
  Tensor tensor; ///< the argument
  bool optional = false;
  Tensor presence; ///< whether the caller passes it; null as long as nothing asks
};

/// A func.func under construction.
struct Function {
  mlir::func::FuncOp op;
  mlir::OpBuilder builder;
  bool isEntry = false;
  unsigned numTensors = 0;
  std::vector<Parameter> parameters;
  std::set<std::string> checks; ///< run-time checks that are already made

  // Entries only.
  std::map<std::string, Input> inputs;
  std::vector<std::pair<ast::Identifier, Tensor>> outputs;
  const ast::GenerateStmt *generate = nullptr;
  bool inEntryBlock = false;

  // Modules only.
  bool returned = false;
  std::vector<Tensor> results;

  explicit Function(mlir::MLIRContext *context) : builder(context) {}
};

/// The names a text can see. Blocks of compile-time statements share the names of the body they
/// stand in; the body of a fn sees its parameters and its file only.
struct Env {
  struct Binding {
    Value value;
    SourceRange range;
  };
  FileScope *file = nullptr;
  Function *function = nullptr; ///< null in a fn
  llvm::StringMap<Binding> names;
  llvm::SmallVector<Index *> indices; ///< of the formula being read, innermost last
  Formula *mapping = nullptr;         ///< over whose indices the next module call is mapped
};

/// A function made for a module with certain arguments.
struct ModuleInstance {
  std::unique_ptr<Function> function;
  bool failed = false;
};

class Elaborator {
public:
  Elaborator(mlir::MLIRContext &context, SourceManager &sources, const FrontendOptions &options,
             DiagnosticEngine &diagnostics)
      : context(context), sources(sources), options(options), diagnostics(diagnostics),
        loader(sources, diagnostics) {}

  std::optional<FrontendResult> run(const ast::File &file);

  // What the formula emitter needs.
  using Notes = llvm::ArrayRef<std::pair<SourceRange, std::string>>;
  /// Reports an error (once for each place and text), then the calls that led here.
  std::nullopt_t error(SourceRange range, const llvm::Twine &message, Notes notes = {});
  mlir::Location location(SourceRange range);
  mlir::RankedTensorType tensorType(ast::ElementKind element, llvm::ArrayRef<Extent> dims);
  mlir::MLIRContext &context;
  SourceManager &sources;

private:
  // Elaborate.cpp
  const ast::ModelDecl *findModel(const ast::File &file);
  const ast::ModelDecl *resolveAlias(const ast::ModelDecl &model, FileScope *&scope);
  bool bindModelParameters(const ast::ModelDecl &model, Env &env);
  bool elaborateEntry(const ast::ModelDecl &model, const ast::EntryStmt *entry, FileScope *file);
  bool bindEntryParameters(const ast::EntryStmt &entry, Env &env);
  bool finishEntry(Function &function, const ast::ModelDecl &model, const ast::EntryStmt *entry);
  bool checkGenerate(Function &function);
  bool finishOutputs(Function &function, llvm::SmallVectorImpl<mlir::Value> &values);
  void nameEntry(Function &function, llvm::StringRef name);
  void dropUnusedInputs(Function &function);
  void warnUnusedParameters();
  bool verifyModule();

  // Statements.cpp
  bool executeBlock(const ast::Block &block, Env &env);
  bool execute(const ast::Stmt &stmt, Env &env);
  bool executeLet(const ast::LetStmt &stmt, Env &env);
  bool executeCheckpoint(const ast::CheckpointStmt &stmt);
  bool executeFor(const ast::ForStmt &stmt, Env &env);
  bool executeIf(const ast::IfStmt &stmt, Env &env);
  bool executeMatch(const ast::MatchStmt &stmt, Env &env);
  bool executeAssert(const ast::AssertStmt &stmt, Env &env);
  bool executeReturn(const ast::ReturnStmt &stmt, Env &env);
  bool executeAssign(const ast::AssignStmt &stmt, Env &env);
  bool executeOutput(const ast::OutputStmt &stmt, Env &env);
  bool executeBuffer(const ast::BufferStmt &stmt, Env &env);
  bool executeGenerate(const ast::GenerateStmt &stmt, Env &env);
  Tensor define(const ast::Definition &definition, Env &env, SourceRange range, bool constant);
  /// The tensor of a whole-tensor expression, or the tensors of a module call with several results.
  Result evaluateWhole(const ast::Expr &expr, Env &env, llvm::StringRef label);
  void poison(const ast::Stmt &stmt, Env &env);
  bool canDefine(const ast::Identifier &name, Env &env);
  void bind(Env &env, llvm::StringRef name, Value value, SourceRange range);
  Tensor bindMapped(const Value &value, const ast::Identifier &name, SourceRange range, Env &env);
  Result evaluateMappedTuple(const ast::AssignStmt &stmt, Env &env);
  bool bindIndices(llvm::ArrayRef<ast::Binder> binders, Formula &formula, Env &env);

  // Declarations.cpp
  bool executeDim(const ast::DimStmt &stmt, Env &env);
  bool declareDim(const ast::DimStmt::Dimension &dimension, Env &env);
  bool executeParam(const ast::ParamStmt &stmt, Env &env);
  bool declareParam(const ast::ParamStmt::Param &param, Env &env);
  bool declareTied(const ast::Expr &tied, Parameter &parameter, Env &env);
  bool checkStacks(const ast::ParamStmt::Param &param, llvm::ArrayRef<Extent> stacks,
                   llvm::ArrayRef<Extent> dims);
  std::optional<Extent> evaluateExtent(const ast::Expr &expr, Env &env);
  bool evaluateDims(const ast::TensorType &type, Env &env, llvm::SmallVectorImpl<Extent> &dims);
  bool checkSize(llvm::ArrayRef<Extent> dims, SourceRange range, llvm::StringRef name);
  /// The value of a parameter inside `function`: a weight in an entry, an argument in a module.
  Parameter *addParameter(Function &function, Parameter parameter);

  // Inputs.cpp
  bool executeInput(const ast::InputStmt &stmt, Env &env);
  bool declareInput(const ast::Identifier &name, llvm::ArrayRef<ast::Binder> indices,
                    const ast::TensorType &type, const ast::Expr *defaultValue, Env &env);
  bool addInputArgument(std::shared_ptr<TensorValue> tensor, mlir::TypedAttr value, bool computed,
                        Function &function);
  bool bindInputIndices(const ast::Identifier &name, llvm::ArrayRef<ast::Binder> binders,
                        const TensorValue &tensor, Formula &formula);
  Result evaluateDefault(const ast::Expr &expr, bool hasIndices, const TensorValue &tensor,
                         Formula &formula, Env &env);
  mlir::TypedAttr defaultAttribute(const Value &value, ast::ElementKind element, SourceRange range);
  Scalar *defaultElement(const Value &value, ast::ElementKind element, SourceRange range,
                         Formula &formula);
  Tensor chooseInput(const std::string &name, Scalar *fallback, Formula &formula,
                     Function &function);
  Tensor presenceOf(Function &function, const std::string &name);
  Result evaluateGiven(const ast::CallExpr &expr, Env &env, Formula *formula);

  // Evaluate.cpp
  Result evaluate(const ast::Expr &expr, Env &env, Formula *formula);
  Result evaluateCompileTime(const ast::Expr &expr, Env &env, llvm::StringRef what);
  std::optional<bool> evaluateCondition(const ast::Expr &expr, Env &env, llvm::StringRef what);
  std::optional<int64_t> evaluateInteger(const ast::Expr &expr, Env &env, llvm::StringRef what);
  Result evaluateExpr(const ast::Expr &expr, Env &env, Formula *formula);
  Result evaluateName(const ast::NameExpr &expr, Env &env, Formula *formula, bool isBase);
  Result evaluateList(const ast::ListExpr &expr, Env &env, Formula *formula);
  Result evaluateElement(const ast::ElementExpr &expr, Env &env, Formula *formula);
  Result evaluateRead(const Tensor &tensor, const ast::ElementExpr &expr, Env &env,
                      Formula *formula);
  Result evaluateMember(const ast::MemberExpr &expr, Env &env, Formula *formula);
  Result evaluateIf(const ast::IfExpr &expr, Env &env, Formula *formula);
  Result evaluateMatch(const ast::MatchExpr &expr, Env &env, Formula *formula);
  std::optional<std::vector<std::string>>
  evaluatePath(const ast::Path &path, Env &env, llvm::SmallVectorImpl<Extent> *stacks = nullptr);
  std::optional<ast::Identifier> declaredName(const ast::Path &path, Env &env);
  const ast::Block *chooseArm(const ast::MatchStmt &stmt, Env &env, bool &failed);
  std::optional<int> chooseArm(const ast::Expr &subject,
                               llvm::ArrayRef<const std::vector<ast::ExprPtr> *> arms, Env &env);
  Result lookup(llvm::ArrayRef<std::string> segments, SourceRange range, Env &env);
  Result member(const Value &value, llvm::StringRef name, SourceRange range, llvm::StringRef path);
  std::optional<Value> fileMember(FileScope &file, llvm::StringRef name);
  std::nullopt_t unknownName(llvm::StringRef name, SourceRange range, Env &env);
  std::nullopt_t unusable(const Value &value, SourceRange range, llvm::StringRef wanted);

  // Operators.cpp
  Result evaluateUnary(const ast::UnaryExpr &expr, Env &env, Formula *formula);
  Result evaluateBinary(const ast::BinaryExpr &expr, Env &env, Formula *formula);
  Result evaluateLogical(const ast::BinaryExpr &expr, Env &env, Formula *formula);
  Result foldBinary(ast::BinaryOp op, const Value &a, const Value &b, SourceRange range);
  Result foldInteger(ast::BinaryOp op, int64_t a, int64_t b, SourceRange range);
  Result binary(ast::BinaryOp op, const Value &a, const Value &b, SourceRange aRange,
                SourceRange bRange, SourceRange range, Formula *formula);
  Scalar *power(Scalar *base, Scalar *exponent, SourceRange range, Formula *formula);
  Result evaluateReduction(const ast::ReductionExpr &expr, Env &env, Formula *formula);
  Result readReduction(const ast::ReductionExpr &expr, Scalar *node, Env &env, Formula *formula);
  bool bindReduction(const ast::ReductionExpr &expr, Scalar *node, Env &env, Formula *formula);
  /// The value as an element of the formula; null after an error.
  Scalar *toScalar(const Value &value, SourceRange range, Formula *formula);
  Scalar *wholeElement(const Tensor &tensor, SourceRange range, Formula *formula);
  Scalar *toReal(Scalar *scalar, SourceRange range, Formula *formula);
  bool promote(Scalar *&a, Scalar *&b, SourceRange range, Formula *formula);
  /// `node`, or an error that the formula is too large.
  Scalar *checked(Scalar *node, SourceRange range);
  Result scalarResult(Scalar *node, SourceRange range);

  // Ranges.cpp
  bool bindRange(const ast::Binder &binder, Index *index, Env &env);
  bool unifyRange(Index *index, const Extent &dim, const TensorValue &tensor, SourceRange range);

  // Calls.cpp
  Result evaluateCall(const ast::CallExpr &expr, llvm::StringRef scope, Env &env, Formula *formula);
  Result lookupCallee(llvm::ArrayRef<std::string> segments, SourceRange range, Env &env);
  Result evaluateScopedCall(const ast::ScopedCallExpr &expr, Env &env);
  Result callFn(const Value &fn, const ast::CallExpr &expr, Env &env, Formula *formula);
  using Bound = llvm::SmallVector<std::pair<Value, SourceRange>, 4>;
  /// One value for each parameter: from the call or the default.
  std::optional<Bound> bindArguments(llvm::ArrayRef<ast::Parameter> parameters,
                                     llvm::StringRef callee, SourceRange declared,
                                     const ast::CallExpr &expr, Env &env, FileScope *file,
                                     bool isModule, Formula *formula);

  // Builtins.cpp
  static bool isBuiltin(llvm::StringRef name);
  static llvm::ArrayRef<llvm::StringRef> builtinNames();
  Result callBuiltin(llvm::StringRef name, const ast::CallExpr &expr, Env &env, Formula *formula);
  Result foldBuiltin(llvm::StringRef name, llvm::ArrayRef<Value> args, SourceRange range);
  Result scalarBuiltin(llvm::StringRef name, llvm::ArrayRef<Scalar *> args, SourceRange range,
                       Formula *formula);

  // Modules.cpp
  Result callModule(const Value &module, const ast::CallExpr &expr, llvm::StringRef scope,
                    Env &env);
  ModuleInstance *instantiate(const Value &module, const Bound &arguments,
                              const ast::CallExpr &expr);
  void finishModule(const ast::ModuleDecl &decl, const Bound &arguments, Function &function);
  bool bindModuleArguments(const ast::ModuleDecl &decl, const Bound &arguments, Function &function,
                           Env &env);
  bool bindDimensions(const ast::Parameter &parameter, const TensorValue &tensor, SourceRange range,
                      Env &env, TensorValue &local);
  Result emitCall(ModuleInstance &instance, const ast::ModuleDecl &decl, const Bound &arguments,
                  llvm::StringRef scope, SourceRange range, Function &caller, Formula *mapping);
  std::string uniqueSymbol(llvm::StringRef name);

  // Mapping.cpp
  bool isMappedCall(const ast::Expr &expr, Env &env);
  Result evaluateMapped(const ast::Expr &expr, Formula &formula, Env &env);
  Result evaluateSlice(const ast::ElementExpr &expr, Env &env, Formula &mapping);
  mlir::func::FuncOp mapFunction(const Function &callee, llvm::StringRef name,
                                 llvm::ArrayRef<Tensor> arguments, const Formula &mapping);

  const FrontendOptions &options;
  DiagnosticEngine &diagnostics;
  Loader loader;
  mlir::ModuleOp module;
  FrontendResult result;
  const ConfigValue emptyConfig = ConfigValue::makeObject();

  struct Frame {
    const ast::Stmt *callee;
    std::string name;
    SourceRange call;
  };
  std::vector<Frame> frames; ///< the fn and module calls in progress
  unsigned depth = 0;        ///< of evaluate() and execute()
  uint64_t steps = 0;        ///< statements executed and nodes evaluated
  bool stopped = false;      ///< a limit was reached: say it once
  std::set<std::string> reported;

  llvm::MapVector<llvm::StringRef, Extent> symbols; ///< run-time dimensions of the model
  llvm::StringMap<SourceRange> symbolRanges;
  std::map<std::string, ModuleInstance> instances;
  llvm::StringSet<> symbolNames;                  ///< of functions
  std::map<const void *, FunctionMapper> mappers; ///< by index
  struct ParameterUse {
    std::string name;
    bool used = false;
  };
  llvm::MapVector<uint64_t, ParameterUse> parameterUses; ///< by place of declaration
  std::vector<std::pair<mlir::Value, uint64_t>> declaredParameters;
  bool severalEntries = false;
};

/// Emits a formula whose root is `root`, over formula.outputs; null after an error.
Tensor emitFormula(Elaborator &elaborator, Function &function, Formula &formula, Scalar *root,
                   llvm::StringRef label, SourceRange range, bool constant);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_ELABORATOR_H
