//===- Elaborate.cpp - From a file to a module ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elaborator.h"
#include "Sema/FileModels.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace llvm;

namespace weft::sema {

/// The verifier only fails on mistakes of this compiler; say so instead of going on.
bool Elaborator::verifyModule() {
  std::string text;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    raw_string_ostream os(text);
    if (text.empty())
      os << diagnostic.getLocation() << ": " << diagnostic;
    return mlir::success();
  });
  if (succeeded(mlir::verify(module)))
    return true;
  diagnostics.error({}, "internal error: the frontend made an invalid module: " + text);
  return false;
}

/// What the compiler knows of the whole module: its name, and the run-time dimensions.
void Elaborator::annotateModule() {
  mlir::Builder builder(&context);
  attrs::Model::set(module, result.modelName);
  SmallVector<mlir::StringAttr> names;
  SmallVector<int64_t> bounds;
  for (const auto &[name, extent] : symbols) {
    names.push_back(builder.getStringAttr(name));
    bounds.push_back(extent.size);
  }
  if (!names.empty())
    attrs::Symbols::set(module, BoundsAttr::get(&context, names, bounds));
}

/// Of modules that are called for every value of an index only versions with that index stay.
void Elaborator::eraseUncalled() {
  if (mappers.empty())
    return;
  mlir::PassManager passes(&context);
  passes.enableVerifier(false); // the whole is verified next
  passes.addPass(mlir::createSymbolDCEPass());
  [[maybe_unused]] mlir::LogicalResult erased = passes.run(module);
  assert(succeeded(erased));
}

std::optional<FrontendResult> Elaborator::run(const ast::ModelDecl &named, FileScope *scope) {
  const ast::ModelDecl *model = resolveAlias(named, scope, reporter);
  if (!model)
    return std::nullopt;
  module = mlir::ModuleOp::create(location(model->name.range));
  result.module = module;
  result.modelName = named.name.text;
  auto entries = findEntries(*model, options.entry, reporter);
  if (!entries)
    return std::nullopt;
  severalEntries = !entries->empty();
  if (!severalEntries)
    entries->push_back(nullptr); // the model itself
  for (const ast::EntryStmt *entry : *entries)
    if (!elaborateEntry(*model, entry, scope))
      return std::nullopt;
  eraseUncalled();
  annotateModule();
  if (!verifyModule())
    return std::nullopt;
  unreadTensors.warn(reporter);
  return std::move(result);
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
    (void)Elaborator(context, options, diagnostics, reporter).run(*model, scope);
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
  auto result = sema::Elaborator(context, options, diagnostics, reporter).run(*model, scope);
  if (options.modelName.empty())
    sema::checkOthers(context, file, scope, *model, diagnostics, reporter);
  if (diagnostics.hasErrors())
    return std::nullopt;
  return result;
}
