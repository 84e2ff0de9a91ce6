//===- ParserImpl.h - The parser's state ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// One class over the files Parser.cpp and Parse*.cpp. A function that reports an error
// returns null (or false); its callers pass that on up to the list of statements, which skips to
// the next statement.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SYNTAX_PARSERIMPL_H
#define WEFT_LIB_FRONTEND_SYNTAX_PARSERIMPL_H

#include "Lexer.h"
#include "weft/Frontend/AST.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace weft {

class Parser {
public:
  Parser(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics);
  std::unique_ptr<ast::File> parseFile();

private:
  /// Where a statement stands: some belong to the top of a file or of a model only.
  enum class Scope { Model, Body };

  //===--- Tokens (Parser.cpp) ---===//
  void advance();
  bool is(TokenKind kind) const { return token.kind == kind; }
  bool isWord(llvm::StringRef word) const { return isWord(token, word); }
  bool isWord(const Token &t, llvm::StringRef word) const {
    return t.kind == TokenKind::Identifier && textOf(t) == word;
  }
  bool accept(TokenKind kind);
  bool acceptWord(llvm::StringRef word);
  /// Consumes `kind` or reports "expected WHAT, found ...".
  bool expect(TokenKind kind, llvm::StringRef what, llvm::StringRef hint = "");
  bool expectWord(llvm::StringRef word);
  /// Consumes the bracket that closes `open`, or reports with a note at `open`.
  bool expectClosing(TokenKind kind, llvm::StringRef what, SourceRange open);
  /// Reports an error, unless one was already reported for this place or reading has stopped.
  Diagnostic &report(SourceRange range, const llvm::Twine &message);
  /// "expected WHAT, found 'x': HINT".
  Diagnostic &errorExpected(const llvm::Twine &what, llvm::StringRef hint = "");
  std::string describe(const Token &t) const;
  llvm::StringRef textOf(const Token &t) const { return text.slice(t.begin, t.end); }
  SourceRange rangeOf(const Token &t) const { return {{file, t.begin}, t.end}; }
  /// From the start of `begin` to the end of the last consumed token.
  SourceRange rangeFrom(SourceRange begin) const { return {begin.begin, previousEnd}; }
  SourceRange here() const { return rangeOf(token); }
  /// Stops reading: the rest of the text becomes empty.
  void giveUp();
  /// Reports once that the text is nested too deeply, and gives up.
  void reportTooDeep(SourceRange range);
  bool isReserved(llvm::StringRef word) const;
  /// An identifier that is not a reserved word. `what` names it in the error.
  bool parseIdentifier(ast::Identifier &identifier, llvm::StringRef what,
                       bool startsStatement = false);
  /// A text in quotes.
  bool parseText(ast::Identifier &result, llvm::StringRef what);
  /// Elements separated by commas (one may trail) up to `close`, which is consumed.
  bool parseList(TokenKind close, llvm::StringRef closeText, SourceRange open,
                 llvm::function_ref<bool()> element);

  /// Counts the levels of recursion.
  class Nesting {
  public:
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Nesting() { --parser.depth; }

  private:
    Parser &parser;
  };
  bool tooDeep();

  //===--- Comments (Parser.cpp) ---===//
  /// The comments before the current token become those of the statement that starts here.
  ast::Comments takeLeadingComments();
  std::vector<std::string> takeComments(uint32_t before);
  /// Called after a statement: adds comments inside it and after it on its line.
  void finishComments(ast::Comments &result);

  //===--- Declarations (ParseItem.cpp) ---===//
  ast::StmtPtr parseItem();
  ast::StmtPtr parseImport();
  ast::StmtPtr parseFn();
  template <typename Decl> ast::StmtPtr parseContainer(Scope scope);
  ast::StmtPtr parseModel();
  bool parseParameters(std::vector<ast::Parameter> &parameters);
  bool parseParameter(ast::Parameter &parameter);
  ast::StmtPtr parseEntry();
  ast::StmtPtr parseGguf();
  ast::StmtPtr parseStorage();
  bool parseGiven(ast::StorageDecl &storage);
  ast::StmtPtr parseConfig();
  bool isItemStart() const;
  void skipToItem();

  //===--- Statements (ParseBlock.cpp, ParseDeclaration.cpp, ParseStmt.cpp) ---===//
  bool parseBlock(ast::Block &block, Scope scope);
  ast::StmtPtr parseStatement(Scope scope);
  ast::StmtPtr parseStatementBody(Scope scope);
  ast::StmtPtr parseKeywordStatement(llvm::StringRef word, Scope scope);
  bool isStatementKeyword() const;
  bool isStatementStart() const;
  bool assignsAfterBracket(uint32_t open) const;
  void skipToStatement(unsigned blockBraces);
  Diagnostic &errorNoClosingBrace(SourceRange open);
  bool checkStatementEnd();
  ast::StmtPtr parseLet();
  ast::StmtPtr parseDim();
  ast::StmtPtr parseInput();
  ast::StmtPtr parseParam();
  bool parseParamEntry(ast::ParamStmt::Param &param);
  ast::StmtPtr parseBuffer();
  ast::StmtPtr parseOutput();
  ast::StmtPtr parseGenerate();
  ast::StmtPtr parseFor();
  ast::StmtPtr parseIf();
  ast::StmtPtr parseMatch();
  bool parseMatchArm(ast::MatchStmt &match);
  ast::StmtPtr parseCheckpoint();
  bool parseCheckpointRule(ast::CheckpointStmt::Rule &rule);
  ast::StmtPtr parseAssert();
  ast::StmtPtr parseReturn();
  ast::StmtPtr parseDefinitionOrAssignment();
  ast::StmtPtr parseTupleAssignment();
  ast::StmtPtr reportUnknownStatement();
  bool parseDefinition(ast::Definition &definition, llvm::StringRef what,
                       bool startsStatement = false);
  bool parseDefinedValue(ast::Definition &definition);
  bool parseDefinedIndices(ast::Definition &definition);
  bool parseAssignedValue(ast::Definition &definition);
  bool parseOutputType(ast::OutputStmt &output);
  bool acceptElementType(ElementType &element);
  bool parseDeclaredPath(ast::Path &path, llvm::StringRef what);
  bool parseIndices(std::vector<ast::Binder> &indices);
  bool parseType(ast::TensorType &type);
  bool parsePatterns(std::vector<ast::ExprPtr> &patterns);
  /// Between `match s {` and `}`: `arm` parses one; checks separators and that `else` is last.
  bool parseArms(SourceRange open, llvm::function_ref<bool(bool &isElse)> arm);

  //===--- Expressions (ParseExpr.cpp, ParseLiteral.cpp, ParseName.cpp, ParseReduction.cpp) ---===//
  ast::ExprPtr parseExpr();
  /// An expression that a block follows: `{` right after a name belongs to the block.
  ast::ExprPtr parseHeaderExpr();
  ast::ExprPtr parseBinary(ast::Precedence minimum);
  ast::ExprPtr parseUnary();
  ast::ExprPtr parsePower();
  ast::ExprPtr parsePostfix();
  ast::ExprPtr parsePrimary();
  ast::ExprPtr parseInteger();
  ast::ExprPtr parseReal();
  ast::ExprPtr parseString();
  bool unescape(const Token &t, std::string &value);
  ast::ExprPtr parseParenthesized();
  ast::ExprPtr parseListExpr();
  ast::ExprPtr parseIfExpr();
  ast::ExprPtr parseMatchExpr();
  ast::ExprPtr parseNameOrCall();
  ast::ExprPtr parseWord();
  ast::ExprPtr parseScopedCall(ast::Path scope);
  ast::ExprPtr parseCall(ast::Path callee);
  bool parseArguments(ast::CallExpr &call);
  bool parseBracketed(std::vector<ast::ExprPtr> &elements, TokenKind close,
                      llvm::StringRef closeText, SourceRange open);
  /// The body of a reduction.
  ast::ExprPtr parseProduct();
  ast::ExprPtr parseReductionOrCall(ast::ReductionKind kind);
  struct ReductionArguments;
  bool parseReductionArguments(ReductionArguments &arguments);
  bool startsReductionBody(const ReductionArguments &arguments) const;
  bool startsOperand() const;
  bool isMisspeltReduction(const ast::Path &callee);
  ast::ExprPtr finishReduction(ast::ReductionKind kind, SourceRange start,
                               ReductionArguments &arguments);
  ast::ExprPtr finishCall(SourceRange name, ReductionArguments &arguments);
  bool toBinders(ast::ReductionKind kind, ReductionArguments &arguments,
                 std::vector<ast::Binder> &binders, ast::ExprPtr &rank);
  bool parsePath(ast::Path &path);
  bool parseSegment(ast::Path::Segment &segment, bool glue);
  /// Sets the height from the children and gives up if it is beyond the limit.
  ast::ExprPtr finishNode(ast::ExprPtr node);

  llvm::StringRef text;
  FileId file;
  DiagnosticEngine &diagnostics;
  Lexer lexer;
  Token token, ahead;
  uint32_t previousEnd = 0;
  unsigned depth = 0;
  unsigned openBrackets = 0;
  unsigned openBraces = 0;
  std::optional<uint32_t> lastError;
  Diagnostic ignored{Severity::Error, {}, ""};
  size_t nextComment = 0;
  bool stopped = false;
  bool noBraceAfterName = false;
  bool inGguf = false; ///< in the block of a GgufDecl
};

} // namespace weft

#endif // WEFT_LIB_FRONTEND_SYNTAX_PARSERIMPL_H
