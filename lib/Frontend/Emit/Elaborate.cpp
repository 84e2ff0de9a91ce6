//===- Elaborate.cpp - From a file to a module ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Dimensions.h"
#include "Elaboration.h"
#include "Entries.h"
#include "ModuleMapping.h"
#include "Sema/FileModels.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace llvm;

namespace weft::sema {

namespace {
/// Makes the module of one model.
class ModelElaborator {
public:
  ModelElaborator(mlir::MLIRContext &context, const FrontendOptions &options,
                  DiagnosticEngine &diagnostics, Reporter &reporter)
      : shared(context, options, diagnostics, reporter), diagnostics(diagnostics) {}

  /// Elaborates a model of the file that `scope` shows.
  std::optional<FrontendResult> run(const ast::ModelDecl &named, FileScope *scope);

private:
  void annotateModule();
  void eraseUncalled();
  bool verifyModule();

  Elaboration shared;
  DiagnosticEngine &diagnostics;
};
} // namespace

/// The verifier only fails on mistakes of this compiler; say so instead of going on.
bool ModelElaborator::verifyModule() {
  std::string text;
  mlir::ScopedDiagnosticHandler handler(&shared.context, [&](mlir::Diagnostic &diagnostic) {
    raw_string_ostream os(text);
    if (text.empty())
      os << diagnostic.getLocation() << ": " << diagnostic;
    return mlir::success();
  });
  if (succeeded(mlir::verify(shared.module)))
    return true;
  diagnostics.error({}, "internal error: the frontend made an invalid module: " + text);
  return false;
}

/// What the compiler knows of the whole module: its name, and the run-time dimensions.
void ModelElaborator::annotateModule() {
  mlir::Builder builder(&shared.context);
  attrs::Model::set(shared.module, shared.result.modelName);
  SmallVector<mlir::StringAttr> names;
  SmallVector<int64_t> bounds;
  for (const auto &[name, extent] : shared.dimensions->runtime()) {
    names.push_back(builder.getStringAttr(name));
    bounds.push_back(extent.size);
  }
  if (!names.empty())
    attrs::Symbols::set(shared.module, BoundsAttr::get(&shared.context, names, bounds));
}

/// Of modules that are called for every value of an index only versions with that index stay.
void ModelElaborator::eraseUncalled() {
  if (!shared.mapping->isUsed())
    return;
  mlir::PassManager passes(&shared.context);
  passes.enableVerifier(false); // the whole is verified next
  passes.addPass(mlir::createSymbolDCEPass());
  [[maybe_unused]] mlir::LogicalResult erased = passes.run(shared.module);
  assert(succeeded(erased));
}

std::optional<FrontendResult> ModelElaborator::run(const ast::ModelDecl &named, FileScope *scope) {
  const ast::ModelDecl *model = resolveAlias(named, scope, shared.reporter);
  if (!model)
    return std::nullopt;
  shared.module = mlir::ModuleOp::create(shared.reporter.location(model->name.range));
  shared.result.module = shared.module;
  shared.result.modelName = named.name.text;
  auto entries = findEntries(*model, shared.options.entry, shared.reporter);
  if (!entries)
    return std::nullopt;
  shared.severalEntries = !entries->empty();
  if (!shared.severalEntries)
    entries->push_back(nullptr); // the model itself
  for (const ast::EntryStmt *entry : *entries)
    if (!Entries(shared).elaborateEntry(*model, entry, scope))
      return std::nullopt;
  eraseUncalled();
  annotateModule();
  if (!verifyModule())
    return std::nullopt;
  shared.unreadTensors.warn(shared.reporter);
  return std::move(shared.result);
}

/// Elaborates the models of the text that nobody asked for, so that their mistakes are found. One
/// with a parameter that has no default is what a configuration makes of it, and there is none.
static void checkOthers(mlir::MLIRContext &context, const ast::File &file, FileScope *scope,
                        const ast::ModelDecl &chosen, DiagnosticEngine &diagnostics,
                        Reporter &reporter) {
  auto hasDefault = [](const ast::Parameter &parameter) { return bool(parameter.defaultValue); };
  for (const ast::StmtPtr &item : file.items) {
    auto *model = dyn_cast<ast::ModelDecl>(item.get());
    if (!model || model == &chosen || model->isAlias() || !all_of(model->parameters, hasDefault) ||
        diagnostics.tooManyErrors())
      continue;
    FrontendOptions options;
    (void)ModelElaborator(context, options, diagnostics, reporter).run(*model, scope);
  }
}

} // namespace weft::sema

std::optional<weft::FrontendResult> weft::emitModel(mlir::MLIRContext &context,
                                                    SourceManager &sources, const ast::File &file,
                                                    const FrontendOptions &options,
                                                    DiagnosticEngine &diagnostics) {
  context.loadDialect<WeftDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::func::FuncDialect>();
  sema::Loader loader(sources, diagnostics);
  sema::Reporter reporter(context, sources, diagnostics);
  sema::FileScope *scope = loader.load(file);
  const ast::ModelDecl *model =
      scope ? sema::findModel(file, options.modelName, reporter) : nullptr;
  if (!model)
    return std::nullopt;
  auto result = sema::ModelElaborator(context, options, diagnostics, reporter).run(*model, scope);
  if (options.modelName.empty())
    sema::checkOthers(context, file, scope, *model, diagnostics, reporter);
  if (diagnostics.hasErrors())
    return std::nullopt;
  return result;
}
