//===- ParseFileTest.cpp - Statements, recovery, limits -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FrontendTest.h"
#include "weft/Library/Library.h"
#include "weft/Support/NearestName.h"

using namespace weft;
using namespace weft::test;

static const char everyStatement[] = R"(# A file with every statement.

import nn
import "layers.weft" as layers  # trailing

fn gelu(x) = 0.5 * x * (1 + erf(x / sqrt(2)))
model M(config, n = 3) {
  let L = config.n_layer, H = config.heads ?? 4
  dim D = config.n_embd, T <= config["max"]
  input ids: int[T], mask: bool[T] = true

  input pos[t]: int[T] = t
  input mems.{l}: [D], a.b.c[t]: [T] = t
  param a.b: [D, 3] as w, c.{n}.d: [D] tied w, scale: real
  param experts.{e: n + 1}.w_{f: 2}x: [n + 1, 2, D] as stacked
  buffer slope[h: H] = 2 ^ (-8 * (h + 1) / H)
  # Before the loop.
  for l in 0..L {
    x = h.{l}: nn.Block(x, ln: nn.LayerNorm(x, 1e-5), n = 2)
    # At its end.
  }
  if n == 3 and L > 2 { a = b } else if n == 4 { a = c } else { a = d }
  match config.kind {
    "a" | "b" => y = x
    1 => { y = -x
      z = y }
    else => assert false, "unknown kind"
  }
  (a, b) = m: layers.Two(x)
  y[t, d: D] = (sum(f) x[t, f] * w[f, d] + c[d]) ^ 2 / -(3 - 4 - (5 - 6))
  output logits[t, v] = sum(d) y[t, d] * w[v, d]
  output hidden = y
  output mems.{l} = y
  output a.b.{n}[t] = y[t]
  output y
  generate logits over T
  checkpoint {
    # Names.
    prefix "a."

    rename "*.gamma" => "*.weight"  # old
    ignore "b.*"
  }
  entry encode(x: [T, D], flags: bool[T]) { return x, y }
}
# The end.
)";

TEST(ParseFile, EveryStatementRoundTrips) { expectRoundTrip(everyStatement); }

TEST(ParseFile, KeepsComments) {
  Parsed parsed(everyStatement);
  std::string printed = parsed.printed();
  for (const char *comment :
       {"# A file with every statement.\n\nimport nn", "  # trailing\n",
        "  # Before the loop.\n  for", "    # At its end.\n  }", "# The end.\n"})
    EXPECT_NE(printed.find(comment), std::string::npos) << comment << "\n" << printed;
}

TEST(ParseFile, ContextualWordsAreNames) {
  expectRoundTrip("module M(x) {\n  output = output: M(x)\n  input[t] = output[t]\n"
                  "  y = attention.output.param.for\n  z = x +\n    output\n  return input\n}\n");
}

TEST(ParseFile, ReportsSeveralErrors) {
  Parsed parsed("module A() {\n  x = (1 +\n  y = 2\n  let = 3\n  retrun y\n}\n"
                "module B() {\n  z = 1 2\n  return z\n}\nmodul C() {}\n");
  EXPECT_EQ(parsed.diagnostics.errorCount(), 5u) << parsed.messages();
}

TEST(ParseFile, DeepNestingIsOneError) {
  for (const char *piece : {"(", "-", "not ", "[", "sum(d) ", "f(", "if a then ", "a ^ ", "a.{"}) {
    std::string text = "fn f() = ";
    for (int i = 0; i < 100000; ++i)
      text += piece;
    Parsed parsed(text);
    EXPECT_EQ(parsed.diagnostics.errorCount(), 1u) << piece << parsed.messages();
    EXPECT_NE(parsed.messages().find("nested too deeply"), std::string::npos) << parsed.messages();
  }
}

TEST(ParseFile, LongChainsAndDeepBlocksAreOneError) {
  for (const char *piece : {" + a", " ?? a", "[0]", ".b[0]", " * -a"}) {
    std::string text = "fn f() = a";
    for (int i = 0; i < 100000; ++i)
      text += piece;
    EXPECT_EQ(Parsed(text).diagnostics.errorCount(), 1u) << piece;
  }
  for (const char *piece : {"if a { ", "if a {} else ", "for i in 0..2 { ", "match a { 1 => "}) {
    std::string text = "module M() { ";
    for (int i = 0; i < 100000; ++i)
      text += piece;
    EXPECT_EQ(Parsed(text).diagnostics.errorCount(), 1u) << piece << Parsed(text).messages();
  }
}

TEST(ParseFile, NotATextIsOneError) {
  for (llvm::StringRef text : {llvm::StringRef("fn f() = 1\0", 11), llvm::StringRef("\xff\xfe"),
                               llvm::StringRef("fn f() = \xc3(")}) {
    Parsed parsed(text);
    EXPECT_EQ(parsed.file, nullptr);
    EXPECT_EQ(parsed.diagnostics.errorCount(), 1u);
  }
}

TEST(ParseFile, LibraryKeepsSilent) {
  for (const LibraryFile &file : libraryFiles())
    EXPECT_EQ(Parsed(file.text).messages(), "") << file.name.str();
}

TEST(ParseFile, StopsAfterTwentyErrors) {
  std::string text = "module M() {\n";
  for (int i = 0; i < 100000; ++i)
    text += "  x = )\n";
  Parsed parsed(text);
  EXPECT_EQ(parsed.diagnostics.errorCount(), DiagnosticEngine::maxErrors);
}

TEST(Suggestion, Nearest) {
  EXPECT_EQ(nearestName("congif", {"x", "config", "conf"}), "config");
  EXPECT_EQ(nearestName("LAYERNORM", {"LayerNorm"}), "LayerNorm");
  EXPECT_EQ(nearestName("a", {"b"}), "");
  EXPECT_EQ(nearestName("transformer", {"banana"}), "");
}
