//===- ParseItem.cpp - What stands at the top of a file -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "weft/Support/NearestName.h"

using namespace weft;
using namespace weft::ast;

std::unique_ptr<File> Parser::parseFile() {
  auto result = std::make_unique<File>();
  result->id = file;
  while (!is(TokenKind::End)) {
    uint32_t start = token.begin;
    openBrackets = 0;
    Comments comments = takeLeadingComments();
    if (StmtPtr item = parseItem()) {
      if (!is(TokenKind::End) && !token.startsLine)
        errorExpected("the end of the line");
      item->comments = std::move(comments);
      finishComments(item->comments);
      result->items.push_back(std::move(item));
      if (is(TokenKind::End) || token.startsLine)
        continue;
    }
    if (token.begin == start)
      advance();
    skipToItem();
  }
  result->endComments = takeComments(static_cast<uint32_t>(text.size()) + 1);
  return result;
}

/// True at the start of a line that begins a declaration; inside a body only without indentation.
bool Parser::isItemStart() const {
  if (!token.startsLine || !is(TokenKind::Identifier))
    return false;
  llvm::StringRef word = textOf(token);
  if (ahead.kind == TokenKind::String)
    return word == "import" || word == "gguf";
  return ahead.kind == TokenKind::Identifier &&
         (word == "import" || word == "fn" || word == "module" || word == "model" ||
          word == "storage");
}

void Parser::skipToItem() {
  while (!is(TokenKind::End) && !isItemStart())
    advance();
}

StmtPtr Parser::parseItem() {
  if (isWord("import"))
    return parseImport();
  if (isWord("fn"))
    return parseFn();
  if (isWord("module"))
    return parseContainer<ModuleDecl>(Scope::Body);
  if (isWord("model"))
    return parseModel();
  if (isWord("gguf"))
    return parseGguf();
  if (isWord("storage"))
    return parseStorage();
  if (is(TokenKind::RightBrace)) {
    report(here(), "this '}' closes nothing");
    return nullptr;
  }
  std::string hint;
  if (is(TokenKind::Identifier))
    hint = suggestion(textOf(token), {"import", "fn", "module", "model", "gguf", "storage"});
  report(here(), "expected 'import', 'fn', 'module', 'model', 'gguf' or 'storage', found " +
                     describe(token) + hint);
  return nullptr;
}

StmtPtr Parser::parseImport() {
  SourceRange start = here();
  advance();
  auto import = std::make_unique<ImportDecl>(start);
  import->isPath = is(TokenKind::String);
  if (import->isPath) {
    if (!parseText(import->target, ""))
      return nullptr;
  } else {
    if (!parseIdentifier(import->target, "the name of a library or a path in quotes"))
      return nullptr;
    while (accept(TokenKind::Dot)) {
      Identifier part;
      if (!parseIdentifier(part, "a name after '.'"))
        return nullptr;
      import->target.text += "." + part.text;
      import->target.range.end = part.range.end;
    }
  }
  if (!token.startsLine && acceptWord("as") && !parseIdentifier(import->alias, "a name after 'as'"))
    return nullptr;
  import->range = rangeFrom(start);
  return import;
}

StmtPtr Parser::parseFn() {
  SourceRange start = here();
  advance();
  auto fn = std::make_unique<FnDecl>(start);
  if (!parseIdentifier(fn->name, "the name of the function") || !parseParameters(fn->parameters) ||
      !expect(TokenKind::Assign, "'=' and the value of the function"))
    return nullptr;
  fn->body = parseExpr();
  if (!fn->body)
    return nullptr;
  fn->range = rangeFrom(start);
  return fn;
}

/// `NAME(parameters) { ... }` after the word that says what it is.
template <typename Decl> StmtPtr Parser::parseContainer(Scope scope) {
  SourceRange start = here();
  std::string what = ("the name of the " + textOf(token)).str();
  advance();
  auto decl = std::make_unique<Decl>(start);
  if (!parseIdentifier(decl->name, what) || !parseParameters(decl->parameters) ||
      !parseBlock(decl->body, scope))
    return nullptr;
  decl->range = rangeFrom(start);
  return decl;
}

StmtPtr Parser::parseModel() {
  SourceRange start = here();
  advance();
  auto model = std::make_unique<ModelDecl>(start);
  if (!parseIdentifier(model->name, "the name of the model"))
    return nullptr;
  bool good = accept(TokenKind::Assign)
                  ? parseIdentifier(model->import, "the name of an imported file") &&
                        expect(TokenKind::Dot, "'.' and the name of a model") &&
                        parseIdentifier(model->original, "the name of a model")
                  : parseParameters(model->parameters) && parseBlock(model->body, Scope::Model);
  if (!good)
    return nullptr;
  model->range = rangeFrom(start);
  return model;
}

bool Parser::parseParameters(std::vector<Parameter> &parameters) {
  SourceRange open = here();
  if (!expect(TokenKind::LeftParen, "'(' and the parameters"))
    return false;
  return parseList(TokenKind::RightParen, ")", open,
                   [&] { return parseParameter(parameters.emplace_back()); });
}

bool Parser::parseParameter(Parameter &parameter) {
  if (!parseIdentifier(parameter.name, "the name of a parameter"))
    return false;
  if (accept(TokenKind::Colon)) {
    parameter.hasType = true;
    if (!parseType(parameter.type))
      return false;
  }
  if (accept(TokenKind::Assign)) {
    parameter.defaultValue = parseExpr();
    return parameter.defaultValue != nullptr;
  }
  return true;
}

/// `gguf "NAME", ... if condition gives MODEL like FILE { ... }`.
StmtPtr Parser::parseGguf() {
  SourceRange start = here();
  advance();
  auto gguf = std::make_unique<GgufDecl>(start);
  do {
    if (!parseText(gguf->architectures.emplace_back(), "the name of an architecture in quotes"))
      return nullptr;
  } while (accept(TokenKind::Comma));
  if (acceptWord("if")) {
    gguf->condition = parseExpr();
    if (!gguf->condition)
      return nullptr;
  }
  if (!expectWord("gives") || !parseIdentifier(gguf->model, "the name of a model") ||
      (acceptWord("like") && !parseIdentifier(gguf->base, "the name of an imported file")))
    return nullptr;
  inGguf = true;
  bool good = parseBlock(gguf->body, Scope::Body);
  inGguf = false;
  if (!good)
    return nullptr;
  gguf->range = rangeFrom(start);
  return gguf;
}

/// `NAME: [O, I]` or `{NAME}: [O, I]`.
bool Parser::parseGiven(StorageDecl &storage) {
  SourceRange brace = here();
  storage.anyName = accept(TokenKind::LeftBrace);
  if (!parseIdentifier(storage.given, "the name of the matrix") ||
      (storage.anyName && !expectClosing(TokenKind::RightBrace, "'}'", brace)) ||
      !expect(TokenKind::Colon, "':' and the matrix's dimensions", "as in 'gives weight: [O, I]'"))
    return false;
  SourceRange open = here();
  return expect(TokenKind::LeftBracket, "'[' and two dimensions") &&
         parseIdentifier(storage.rows, "the name of the rows' dimension") &&
         expect(TokenKind::Comma, "',' and the columns' dimension") &&
         parseIdentifier(storage.columns, "the name of the columns' dimension") &&
         expectClosing(TokenKind::RightBracket, "']'", open);
}

/// `storage NAME(parameters) if condition gives NAME: [O, I] { ... }`.
StmtPtr Parser::parseStorage() {
  SourceRange start = here();
  advance();
  auto storage = std::make_unique<StorageDecl>(start);
  if (!parseIdentifier(storage->name, "the name of the storage rule") ||
      !parseParameters(storage->parameters))
    return nullptr;
  if (acceptWord("if")) {
    storage->condition = parseExpr();
    if (!storage->condition)
      return nullptr;
  }
  if (!expectWord("gives") || !parseGiven(*storage) || !parseBlock(storage->body, Scope::Body))
    return nullptr;
  storage->range = rangeFrom(start);
  return storage;
}

StmtPtr Parser::parseEntry() { return parseContainer<EntryStmt>(Scope::Body); }
