//===- GgufBlocks.cpp - What a text makes of a GGUF file ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A `gguf` block is executed as the statements of a model are, with the file's keys and tensors as
// names. What comes out is data: a configuration and rules.
//
//===----------------------------------------------------------------------------------------===//

#include "Elaboration.h"
#include "Evaluator.h"
#include "FunctionTable.h"
#include "Sema/Loader.h"
#include "Statements.h"
#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/OwningOpRef.h"

using namespace llvm;

namespace weft::sema {

namespace {
/// Executes the block of one file.
class GgufReader {
public:
  GgufReader(Elaboration &shared, const ConfigValue &description)
      : shared(shared), description(description), function(&shared.context) {}

  std::optional<bool> isMeant(const ast::GgufDecl &block, FileScope *scope);
  bool execute(const ast::GgufDecl &block, FileScope *scope);

private:
  Env makeEnv(const ast::GgufDecl &block, FileScope *scope);

  Elaboration &shared;
  const ConfigValue &description;
  Function function;
};
} // namespace

/// The names that a block knows: those of the file, and the configuration so far.
Env GgufReader::makeEnv(const ast::GgufDecl &block, FileScope *scope) {
  if (!function.op)
    shared.functions->begin(function, "gguf", block.range);
  Env env;
  env.file = scope;
  env.function = &function;
  for (const std::string &name : description.keys())
    env.bind(name, Value::makeConfig(*description.get(name), name), block.range);
  env.bind("config", Value::makeConfig(shared.result.config, "config"), block.range);
  return env;
}

/// Whether it is for the file's architecture, and its condition holds.
std::optional<bool> GgufReader::isMeant(const ast::GgufDecl &block, FileScope *scope) {
  StringRef architecture = description.get("architecture")->asString();
  if (none_of(block.architectures, [&](auto &name) { return name.text == architecture; }))
    return false;
  if (!block.condition)
    return true;
  Env env = makeEnv(block, scope);
  return shared.evaluator->evaluateCondition(*block.condition, env, "the condition of 'gguf'");
}

static const ast::GgufDecl *firstBlock(const ast::File &file) {
  for (const ast::StmtPtr &item : file.items)
    if (auto *block = dyn_cast<ast::GgufDecl>(item.get()))
      return block;
  return nullptr;
}

/// What the block says, then what the one says that it is like.
bool GgufReader::execute(const ast::GgufDecl &block, FileScope *scope) {
  Env env = makeEnv(block, scope);
  if (!shared.statements->executeBlock(block.body, env))
    return false;
  if (block.base.text.empty())
    return true;
  auto import = scope->imports.find(block.base.text);
  const ast::GgufDecl *base = nullptr;
  if (import != scope->imports.end())
    base = firstBlock(*import->second.first->file);
  if (base)
    return execute(*base, import->second.first); // imports form no cycle
  shared.reporter.error(block.base.range,
                        import == scope->imports.end()
                            ? "no imported file has the name '" + block.base.text + "'"
                            : "'" + block.base.text + "' has no gguf block");
  return false;
}

} // namespace weft::sema

std::optional<weft::GgufModel> weft::readGguf(mlir::MLIRContext &context, SourceManager &sources,
                                              const ast::File &file, const ConfigValue &description,
                                              DiagnosticEngine &diagnostics) {
  context.loadDialect<WeftDialect, mlir::func::FuncDialect>();
  sema::Loader loader(sources, diagnostics);
  sema::Reporter reporter(context, sources, diagnostics);
  sema::FileScope *scope = loader.load(file);
  if (!scope)
    return std::nullopt;
  FrontendOptions options;
  sema::Elaboration shared(context, options, diagnostics, reporter);
  shared.module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  shared.result.module = shared.module; // what a formula makes is not kept
  sema::GgufReader reader(shared, description);
  for (const ast::StmtPtr &item : file.items) {
    auto *block = dyn_cast<ast::GgufDecl>(item.get());
    std::optional<bool> isMeant = block ? reader.isMeant(*block, scope) : false;
    if (!isMeant)
      return std::nullopt;
    if (!*isMeant)
      continue;
    if (!reader.execute(*block, scope) || diagnostics.hasErrors())
      return std::nullopt;
    return GgufModel{block->model.text, std::move(shared.result.config),
                     std::move(shared.result.rules)};
  }
  return std::nullopt;
}

std::vector<std::string> weft::ggufArchitectures(const ast::File &file) {
  std::vector<std::string> names;
  for (const ast::StmtPtr &item : file.items)
    if (auto *block = dyn_cast<ast::GgufDecl>(item.get()))
      for (const ast::Identifier &name : block->architectures)
        names.push_back(name.text);
  return names;
}
