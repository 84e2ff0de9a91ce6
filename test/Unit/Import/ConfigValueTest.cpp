//===- ConfigValueTest.cpp - Configurations as values of the language -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/ConfigValue.h"
#include "weft/Import/ImpliedConfig.h"
#include <gtest/gtest.h>

using namespace weft;

namespace {

ConfigValue parse(llvm::StringRef text) {
  return llvm::cantFail(ConfigValue::parse(text, "c.json"));
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<ConfigValue> value = ConfigValue::parse(text, "c.json");
  return value ? "" : toString(value.takeError());
}

TEST(ConfigValue, KeepsTheKindOfEveryValue) {
  ConfigValue config = parse(
      R"({"n":12,"eps":1e-12,"one":1.0,"minus":-1,"act":"gelu","x":null,"b":true,"a":[1,2]})");
  EXPECT_EQ(config.get("n")->asInt(), 12);
  EXPECT_EQ(config.get("eps")->asReal(), 1e-12);
  EXPECT_TRUE(config.get("one")->isReal());
  EXPECT_EQ(config.get("minus")->asInt(), -1);
  EXPECT_EQ(config.get("act")->asString(), "gelu");
  EXPECT_TRUE(config.get("x")->isNull());
  EXPECT_TRUE(config.get("b")->asBool());
  EXPECT_EQ(config.get("a")->elements().size(), 2u);
  EXPECT_EQ(config.get("absent"), nullptr);
  EXPECT_EQ(config.get("a")->get("n"), nullptr);
}

TEST(ConfigValue, PrintsWhatParsesBack) {
  llvm::StringRef text = R"({"a":[1,2.5,1.0,-0.5],"b":{"c":"x\"y","d":null},"e":true,"f":1e-05})";
  ConfigValue config = parse(text);
  EXPECT_EQ(parse(config.str()), config);
  EXPECT_EQ(config.str(), text);
}

TEST(ConfigValue, SetsPaths) {
  ConfigValue config = parse(R"({"a":{"b":1},"n":3,"none":null})");
  EXPECT_FALSE(bool(config.setPath("a.b", ConfigValue::fromCommandLine("2"))));
  EXPECT_FALSE(bool(config.setPath("none.x.y", ConfigValue::fromCommandLine("gelu"))));
  EXPECT_FALSE(bool(config.setPath("z", ConfigValue::fromCommandLine("1.0"))));
  EXPECT_EQ(config.str(), R"({"a":{"b":2},"n":3,"none":{"x":{"y":"gelu"}},"z":1.0})");
  EXPECT_EQ(toString(config.setPath("a.b.c", ConfigValue())),
            "cannot set 'a.b.c': 'a.b' is int, not an object");
  EXPECT_EQ(toString(config.setPath("a..c", ConfigValue())), "'a..c' is not a configuration name");
}

TEST(ConfigValue, LabelsAreCounted) {
  auto labels = [](llvm::StringRef text) {
    ConfigValue config = parse(text);
    addImpliedValues(config);
    return config.get("num_labels")->asInt();
  };
  EXPECT_EQ(labels("{}"), 2);
  EXPECT_EQ(labels(R"({"id2label":{"0":"A","1":"B","2":"C"}})"), 3);
  EXPECT_EQ(labels(R"({"id2label":{"0":"A"},"num_labels":5})"), 5);
}

TEST(ConfigValue, ReportsErrorsWithTheirPlace) {
  EXPECT_EQ(errorOf("{\"a\": 1,\n \"a\": 2}"), "c.json:2:2: error: the key \"a\" appears twice");
  EXPECT_EQ(errorOf("{\n  x"), "c.json:2:3: error: Expected object key");
  EXPECT_EQ(errorOf(std::string(100000, '[')), "c.json:1:65: error: more than 64 nested values");
  EXPECT_EQ(errorOf("{\"a\":NaN}").substr(0, 14), "c.json:1:6: er");
  EXPECT_EQ(errorOf("[-2e412]"), "c.json:1:3: error: the number 2e412 is too large");
  EXPECT_NE(errorOf(""), "");
  EXPECT_NE(errorOf(llvm::StringRef("{\"a\0\":1}", 8)), "");
}

} // namespace
