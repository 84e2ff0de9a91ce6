//===- SentencePiece.cpp - SentencePiece's own files as a model -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The library does all of it, the normaliser too; what is added is what became of its ids in the
// models that were trained with other libraries.
//
//===----------------------------------------------------------------------------------------===//

#include "SentencePiece.h"

#include "llvm/ADT/StringExtras.h"

#include <sentencepiece_processor.h>

using namespace weft;
using namespace weft::text;

namespace {

class SentencePiece : public Model {
public:
  explicit SentencePiece(PieceIds ids) : ids(std::move(ids)) {}

  llvm::Error load(llvm::StringRef path) {
    sentencepiece::util::Status status = processor.Load(path.str());
    if (!status.ok())
      return llvm::createStringError(path +
                                     ": error: not a SentencePiece model: " + status.message());
    for (const auto &[piece, id] : ids.first)
      pieces[id] = piece.str();
    return llvm::Error::success();
  }

  llvm::Error tokenize(const Text &word, std::vector<Token> &tokens) const override;
  std::optional<int32_t> id(llvm::StringRef token) const override;
  std::optional<std::string> token(int32_t id) const override;
  int32_t size() const override {
    return ids.byName.size() ? ids.byName.size() : processor.GetPieceSize() + ids.offset;
  }

private:
  int32_t idOr(llvm::StringRef piece) const;
  void splitCommas(const std::string &piece, Span span, std::vector<Token> &tokens) const;

  sentencepiece::SentencePieceProcessor processor;
  PieceIds ids;
  llvm::DenseMap<int32_t, std::string> pieces; // of ids.first
};

} // namespace

static const char spaceMark[] = "\xE2\x96\x81";

std::optional<int32_t> SentencePiece::id(llvm::StringRef token) const {
  if (ids.byName.size())
    return ids.byName.id(token);
  if (auto found = ids.first.find(token); found != ids.first.end())
    return found->second;
  int id = processor.PieceToId(token.str());
  if (processor.IdToPiece(id) != token)
    return std::nullopt;
  return id + ids.offset;
}

// A piece that has no id is unknown.
int32_t SentencePiece::idOr(llvm::StringRef piece) const {
  if (std::optional<int32_t> found = id(piece))
    return *found;
  return id(ids.unknown).value_or(processor.unk_id() + ids.offset);
}

std::optional<std::string> SentencePiece::token(int32_t id) const {
  if (ids.byName.size()) {
    std::optional<llvm::StringRef> name = ids.byName.token(id);
    return name ? std::optional<std::string>(name->str()) : std::nullopt;
  }
  if (auto found = pieces.find(id); found != pieces.end())
    return found->second;
  int piece = id - ids.offset;
  if (piece < 0 || piece >= processor.GetPieceSize())
    return std::nullopt;
  return processor.IdToPiece(piece);
}

// "9," as the pieces of "9" without a new space, and ",".
void SentencePiece::splitCommas(const std::string &piece, Span span,
                                std::vector<Token> &tokens) const {
  llvm::StringRef digits = llvm::StringRef(piece).drop_back();
  bool marked = digits.consume_front(spaceMark);
  std::vector<std::string> parts = processor.EncodeAsPieces(digits.str());
  if (!marked && !parts.empty()) {
    llvm::StringRef front = parts.front();
    front.consume_front(spaceMark);
    parts.front() = front.str();
  }
  for (const std::string &part : parts)
    if (!part.empty())
      tokens.push_back({idOr(part), span});
  tokens.push_back({idOr(","), span});
}

llvm::Error SentencePiece::tokenize(const Text &word, std::vector<Token> &tokens) const {
  Utf8Text utf8(word);
  auto result = processor.EncodeAsImmutableProto(utf8.bytes);
  for (size_t i = 0; i < result.pieces_size(); ++i) {
    const auto &piece = result.pieces(int(i));
    size_t begin = std::min<size_t>(piece.begin(), utf8.bytes.size());
    size_t end = std::min<size_t>(piece.end(), utf8.bytes.size());
    Span span = utf8.span(begin, end);
    const std::string &name = piece.piece();
    if (ids.splitNumberCommas && name.size() > 1 && name.back() == ',' &&
        llvm::isDigit(name[name.size() - 2]))
      splitCommas(name, span, tokens);
    else
      tokens.push_back({idOr(name), span});
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Model>> text::loadSentencePiece(llvm::StringRef path, PieceIds ids) {
  auto model = std::make_unique<SentencePiece>(std::move(ids));
  if (llvm::Error error = model->load(path))
    return std::move(error);
  return std::move(model);
}
