//===- Templates.cpp - the special tokens around texts --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"
#include "Limits.h"

#include "llvm/ADT/StringSwitch.h"

using namespace weft;
using namespace weft::text;

// ["[SEP]", 102]
static std::vector<int32_t> readTokenAndId(const JsonReader &json) {
  std::vector<JsonReader> parts = json.elements();
  if (parts.size() == 2)
    return {parts[1].id()};
  json.fail("expected a token and its id");
  return {};
}

// [CLS] A [SEP] and [CLS] A [SEP] B [SEP].
static Template readBertProcessing(const JsonReader &json) {
  json.onlyMembers({"sep", "cls"});
  std::vector<int32_t> sep = readTokenAndId(json["sep"]), cls = readTokenAndId(json["cls"]);
  return {{{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}},
          {{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}, {1, 1, {}}, {-1, 1, sep}}};
}

// <s> A </s> and <s> A </s> </s> B </s>, all of one type.
static Template readRobertaProcessing(const JsonReader &json) {
  json.onlyMembers({"sep", "cls", "trim_offsets", "add_prefix_space"});
  std::vector<int32_t> sep = readTokenAndId(json["sep"]), cls = readTokenAndId(json["cls"]);
  return {{{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}},
          {{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}, {-1, 0, sep}, {1, 0, {}}, {-1, 0, sep}}};
}

// The ids of a special token, which the template has a table of.
static std::vector<int32_t> readSpecial(const JsonReader &table, const JsonReader &name) {
  std::string key = name.string();
  JsonReader entry = table[key];
  if (entry.isNull())
    name.fail("special token '" + key + "' is not among special_tokens");
  std::vector<int32_t> ids;
  if (!name.failed())
    for (const JsonReader &id : entry["ids"].elements(limits::templateItems))
      ids.push_back(id.id());
  return ids;
}

static std::vector<Template::Item> readItems(const JsonReader &json, const JsonReader &table) {
  std::vector<Template::Item> items;
  for (const JsonReader &element : json.elements(limits::templateItems)) {
    Template::Item item;
    JsonReader sequence = element["Sequence"], special = element["SpecialToken"];
    const JsonReader &content = sequence.isNull() ? special : sequence;
    item.type = int32_t(content["type_id"].integer(0, 1 << 20));
    if (sequence.isNull()) {
      item.ids = readSpecial(table, special["id"]);
    } else {
      std::string name = sequence["id"].string();
      item.source = name == "B";
      if (name != "A" && name != "B")
        sequence["id"].fail("expected A or B, found '" + name + "'");
    }
    items.push_back(std::move(item));
  }
  return items;
}

static Template readTemplateProcessing(const JsonReader &json) {
  json.onlyMembers({"single", "pair", "special_tokens"});
  Template result;
  result.single = readItems(json["single"], json["special_tokens"]);
  if (!json["pair"].isNull())
    result.pair = readItems(json["pair"], json["special_tokens"]);
  return result;
}

static Template readOffsets(const JsonReader &json) {
  // It trims the offsets of tokens, which nobody here reads, and leaves the tokens alone.
  json.onlyMembers({"add_prefix_space", "trim_offsets", "use_regex"});
  return {};
}

// Of several processors one may put in tokens.
static Template readSequence(const JsonReader &json) {
  json.onlyMembers({"processors"});
  Template result;
  bool puts = false;
  for (const JsonReader &part : json["processors"].elements(limits::parts)) {
    if (part["type"].string() == "ByteLevel") {
      readOffsets(part);
      continue;
    }
    if (puts)
      part.fail("a second processor that puts in tokens is not supported");
    puts = true;
    result = readTemplate(part);
  }
  return result;
}

Template text::readTemplate(const JsonReader &json) {
  std::string type = json["type"].string();
  if (json.failed())
    return {};
  auto read = llvm::StringSwitch<Template (*)(const JsonReader &)>(type)
                  .Case("TemplateProcessing", readTemplateProcessing)
                  .Case("BertProcessing", readBertProcessing)
                  .Case("RobertaProcessing", readRobertaProcessing)
                  .Case("ByteLevel", readOffsets)
                  .Case("Sequence", readSequence)
                  .Default(nullptr);
  if (read)
    return read(json);
  json.fail("post_processor '" + type + "' is not supported");
  return {};
}
