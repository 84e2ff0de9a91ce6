//===- ParseFlags.cpp - a command line by the flags that there are --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The flags of a program are the only list of them: --help prints it, and --describe-options writes
// it as JSON, of which utils/option_pages.py makes man pages, completions and docs/generated.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/CommandLine.h"
#include "weft/Support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;
using namespace weft;

/// The words in what --help shows for a value: "memory,roofline[=FILE]" lists two. None, where a
/// word in capitals or a number stands for something else.
static std::vector<OptionValue> wordsOf(StringRef valueText) {
  std::vector<OptionValue> words;
  for (StringRef word : split(valueText, ',')) {
    word = word.split('[').first;
    if (word.empty() || !all_of(word, [](char c) { return isAlpha(c) && isLower(c); }))
      return {};
    words.push_back({word.str(), ""});
  }
  return words;
}

static json::Object describe(const cl::Option &option, const ToolHelp &help) {
  StringRef value = option.ValueStr;
  json::Object result{{"name", option.ArgStr}, {"help", option.HelpStr}};
  auto mark = [&](StringRef name, bool holds) {
    if (holds)
      result[name] = true;
  };
  mark("repeated", option.getNumOccurrencesFlag() == cl::ZeroOrMore);
  mark("prefix", option.getFormattingFlag() == cl::Prefix);
  if (value.empty())
    return result;
  result["value"] = value;
  mark("optional", option.getValueExpectedFlag() == cl::ValueOptional);
  mark("list", option.getMiscFlags() & cl::CommaSeparated);
  StringRef path = StringSwitch<StringRef>(value)
                       .Cases({"FILE", "PATH", "R.so"}, "file")
                       .Case("DIR", "folder")
                       .Default("");
  if (!path.empty())
    result["path"] = path;
  auto known = help.values.find(option.ArgStr.str());
  json::Array words;
  for (const OptionValue &word : known == help.values.end() ? wordsOf(value) : known->second)
    words.push_back(json::Object{{"name", word.name}, {"help", word.help}});
  if (!words.empty())
    result["values"] = std::move(words);
  return result;
}

static json::Object describeTool(const ToolHelp &help) {
  SmallVector<const cl::Option *> visible;
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (option->getOptionHiddenFlag() == cl::NotHidden)
      visible.push_back(option);
  sort(visible, [](const cl::Option *a, const cl::Option *b) { return a->ArgStr < b->ArgStr; });
  json::Array options, arguments;
  for (const cl::Option *option : visible)
    options.push_back(describe(*option, help));
  for (const cl::Option *argument : cl::SubCommand::getTopLevel().PositionalOpts)
    arguments.push_back(argument->HelpStr);
  return json::Object{{"version", version()},          {"summary", help.summary},
                      {"details", help.details},       {"arguments", std::move(arguments)},
                      {"options", std::move(options)}, {"statuses", json::Array(help.statuses)}};
}

/// The flag that is given nothing for its value, as by a variable of the shell that is not set;
/// empty if there is none.
static StringRef findEmptyValue(ArrayRef<const char *> arguments, const ToolHelp &help) {
  auto &known = cl::getRegisteredOptions();
  for (auto [i, argument] : enumerate(arguments)) {
    StringRef name = argument;
    if (name == "--")
      break;
    if (!name.consume_front("--"))
      continue;
    bool isEmpty = name.consume_back("=");
    auto option = known.find(name);
    if (option == known.end() || is_contained(help.mayBeEmpty, name))
      continue;
    isEmpty |= option->second->getValueExpectedFlag() == cl::ValueRequired &&
               i + 1 < arguments.size() && !*arguments[i + 1];
    if (isEmpty)
      return name;
  }
  return "";
}

bool weft::parseFlags(int argc, const char *const *argv, const ToolHelp &help) {
  cl::opt<bool> describeOptions("describe-options", cl::Hidden, cl::ValueDisallowed,
                                cl::desc("Write what --help says as JSON"),
                                cl::callback([&](const bool &) {
                                  outs() << formatv("{0:2}\n", json::Value(describeTool(help)));
                                  std::exit(0);
                                }));
  std::string overview = help.summary + "\n\n" + help.details + "\nExit status: ";
  for (auto [status, meaning] : enumerate(help.statuses))
    overview += (status ? ", " : "") + std::to_string(status) + " " + meaning;
  StringRef empty = findEmptyValue(ArrayRef(argv, size_t(argc)).drop_front(), help);
  if (!empty.empty()) {
    errs() << sys::path::filename(argv[0]) << ": error: --" << empty
           << " is given no value: leave the flag out for the default\n";
    return false;
  }
  return cl::ParseCommandLineOptions(argc, argv, overview + ".\n", &errs());
}
