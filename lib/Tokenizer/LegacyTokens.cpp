//===- LegacyTokens.cpp - special tokens from before tokenizer.json -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LegacyTokens.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;
using namespace weft::text;
namespace json = llvm::json;

const json::Object *LegacyTokens::find(llvm::StringRef content) const {
  for (const json::Value &token : added)
    if (token.getAsObject()->getString("content") == content)
      return token.getAsObject();
  return nullptr;
}

std::optional<int32_t> LegacyTokens::idOf(llvm::StringRef content) const {
  if (const json::Object *token = find(content))
    return int32_t(*token->getInteger("id"));
  return model.id(content);
}

//===----------------------------------------------------------------------------------------===//
// Where they come from
//===----------------------------------------------------------------------------------------===//

// A token that the vocabulary has not comes behind all others, if at all.
void LegacyTokens::add(llvm::StringRef content, bool append, bool stripLeft) {
  if (content.empty() || find(content))
    return;
  std::optional<int32_t> id = model.id(content);
  if (!id && !append)
    return;
  if (!id)
    id = next++;
  added.push_back(json::Object{
      {"id", *id}, {"content", content.str()}, {"special", true}, {"lstrip", stripLeft}});
}

// "added": tokens behind the vocabulary; "extra": so many as the setting extra_ids says, numbered
// backwards: <extra_id_99>, ..., <extra_id_0>.
llvm::Error LegacyTokens::addOfConvention() {
  if (const json::Array *names = convention->getArray("added"))
    for (const json::Value &name : *names)
      add(*name.getAsString(), true);
  std::optional<llvm::StringRef> extra = convention->getString("extra");
  if (!extra)
    return llvm::Error::success();
  constexpr int64_t maxExtra = 4096;
  int64_t count = convention.settings().getInteger("extra_ids").value_or(0);
  if (count < 0 || count > maxExtra)
    return convention.fail("tokenizer_config.json: extra_ids: " + llvm::Twine(count) +
                           " is not from 0 to " + llvm::Twine(maxExtra));
  while (count-- > 0)
    add((*extra + llvm::Twine(count) + ">").str(), true);
  return llvm::Error::success();
}

// The language of the text that comes out is said by a token like ">>fr<<" in front.
void LegacyTokens::addLanguageCodes() {
  if (!convention->get("language_codes"))
    return;
  for (int32_t id = 0; id < model.size(); ++id)
    if (std::optional<std::string> name = model.token(id))
      if (llvm::StringRef(*name).starts_with(">>") && llvm::StringRef(*name).ends_with("<<"))
        add(*name, false);
}

// "append": roles whose token comes behind the vocabulary; "strip_left": those that take the white
// space before them.
void LegacyTokens::addRoles() {
  for (const auto &role : *convention->getObject("defaults"))
    if (llvm::StringRef name = role.first;
        name.ends_with("_token") && convention.settings().getString(name))
      add(convention.setting(name), convention.lists("append", name),
          convention.lists("strip_left", name));
}

// The tokens of tokenizer_config.json, whose ids are their keys: they say all about themselves.
llvm::Error LegacyTokens::addFlagged() {
  const json::Object *tokens = convention.addedTokens().getAsObject();
  if (!tokens)
    return llvm::Error::success();
  for (const auto &member : *tokens) {
    const json::Object *token = member.second.getAsObject();
    int32_t id;
    if (llvm::StringRef(member.first).getAsInteger(10, id) || !token)
      return convention.fail("tokenizer_config.json: added_tokens_decoder." +
                             llvm::StringRef(member.first) + ": expected an id and a token");
    auto same = llvm::find_if(added, [&](const json::Value &other) {
      return other.getAsObject()->getString("content") == token->getString("content");
    });
    if (same != added.end())
      added.erase(same);
    json::Object copy = *token;
    copy["id"] = id;
    copy.erase("__type");
    added.push_back(std::move(copy));
  }
  return llvm::Error::success();
}

// {"token": id} of added_tokens.json.
llvm::Error LegacyTokens::addPlain() {
  llvm::Expected<json::Value> file = readJsonFile(convention.file("added_tokens.json"));
  if (!file)
    return file.takeError();
  if (const json::Object *tokens = file->getAsObject())
    for (const auto &member : *tokens)
      if (!idOf(member.first))
        added.push_back(
            json::Object{{"id", member.second}, {"content", llvm::StringRef(member.first).str()}});
  return llvm::Error::success();
}

llvm::Error LegacyTokens::read() {
  addLanguageCodes();
  if (llvm::Error error = addOfConvention())
    return error;
  addRoles();
  if (llvm::Error error = addFlagged())
    return error;
  return addPlain();
}

//===----------------------------------------------------------------------------------------===//
// What stands around a text
//===----------------------------------------------------------------------------------------===//

// "cls_token A sep_token:1?flag": texts and roles, their types, and a setting that must be true.
llvm::Expected<json::Array> LegacyTokens::makeTemplate(llvm::StringRef words,
                                                       json::Object &special) const {
  json::Array items;
  llvm::SmallVector<llvm::StringRef> parts;
  words.split(parts, ' ');
  for (llvm::StringRef part : parts) {
    auto [what, condition] = part.split('?');
    if (!condition.empty() && !convention.flag(condition))
      continue;
    auto [name, typeText] = what.split(':');
    int64_t type = typeText.empty() ? 0 : int64_t(typeText[0] - '0');
    if (name == "A" || name == "B") {
      items.push_back(
          json::Object{{"Sequence", json::Object{{"id", name.str()}, {"type_id", type}}}});
      continue;
    }
    std::string token = convention.setting(name);
    std::optional<int32_t> id = idOf(token);
    if (!id)
      return convention.fail("the vocabulary has no token '" + token + "', the " + name);
    special[token] = json::Object{{"id", token}, {"ids", json::Array{*id}}};
    items.push_back(json::Object{{"SpecialToken", json::Object{{"id", token}, {"type_id", type}}}});
  }
  return std::move(items);
}

llvm::Expected<json::Value> LegacyTokens::postProcessor() const {
  json::Object special;
  llvm::Expected<json::Array> single = makeTemplate(*convention->getString("single"), special);
  if (!single)
    return single.takeError();
  llvm::Expected<json::Array> pair = makeTemplate(*convention->getString("pair"), special);
  if (!pair)
    return pair.takeError();
  return json::Object{{"type", "TemplateProcessing"},
                      {"single", std::move(*single)},
                      {"pair", std::move(*pair)},
                      {"special_tokens", std::move(special)}};
}
