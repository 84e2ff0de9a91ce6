//===- ParseExprTest.cpp - Precedence, reductions, names ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FrontendTest.h"

using namespace weft;
using namespace weft::test;

/// Both texts have the same tree.
static void expectSame(llvm::StringRef a, llvm::StringRef b) {
  EXPECT_EQ(dumpExpr(a), dumpExpr(b)) << a.str();
  EXPECT_NE(dumpExpr(a).find('('), std::string::npos);
  expectRoundTrip(("fn f() = " + a).str());
  expectRoundTrip(("fn f() = " + b).str());
}

TEST(ParseExpr, Precedence) {
  expectSame("a + b * c", "a + (b * c)");
  expectSame("a - b - c", "(a - b) - c");
  expectSame("a // b % c", "(a // b) % c");
  expectSame("-a ^ b", "-(a ^ b)");
  expectSame("a ^ b ^ c", "a ^ (b ^ c)");
  expectSame("a ^ -b * c", "(a ^ (-b)) * c");
  expectSame("not a == b and c", "(not (a == b)) and c");
  expectSame("a or b and c", "a or (b and c)");
  expectSame("a ?? b + 1", "a ?? (b + 1)");
  expectSame("a + b <= c * d", "(a + b) <= (c * d)");
  expectSame("if a then b else c + d", "if a then b else (c + d)");
  expectSame("a + if p then b else c + d", "a + (if p then b else (c + d))");
}

TEST(ParseExpr, ReductionTakesTheProductThatFollows) {
  expectSame("sum(d) a * b + c", "(sum(d) (a * b)) + c");
  expectSame("sum(d) a * b / c <= d", "(sum(d) ((a * b) / c)) <= d");
  expectSame("sum(d) -a * b", "sum(d) ((-a) * b)");
  expectSame("-sum(d) a * b", "-(sum(d) (a * b))");
  expectSame("a * sum(d) b * c", "a * (sum(d) (b * c))");
  expectSame("sum(h) sum(c) a * b - c", "(sum(h) (sum(c) (a * b))) - c");
  expectSame("sum(u: 16, c where u < c) x[u]", "sum(u: 16, c where (u < c)) (x[u])");
  expectSame("softmax(s where s <= t and t - s < w) score[h, t, s]",
             "softmax(s where (s <= t) and ((t - s) < w)) score[h, t, s]");
  expectSame("argtop(e, j + 1) x[e]", "argtop(e, (j + 1)) x[e]");
  EXPECT_NE(dumpExpr("sum(d) a * (b + c)"), dumpExpr("sum(d) a * b + c"));
  EXPECT_NE(dumpExpr("(sum(d) a) * b"), dumpExpr("sum(d) a * b"));
}

TEST(ParseExpr, MaxIsACallOrAReduction) {
  expectSame("max(a, b) - c", "(max(a, b)) - c");
  expectSame("max(s) -x[s]", "max(s) (-x[s])");
  expectSame("max(a, b) x[a, b]", "max(a, b) (x[a, b])");
  expectSame("min(s: 4) x[s]", "min(s: 4) (x[s])");
  EXPECT_NE(dumpExpr("max(a, b) (-c)"), dumpExpr("max(a, b) - c"));
  EXPECT_EQ(dumpExpr("max(x - 1, 0)"), "(call max [ = (- (name x) (1)) = (0)])");
  Parsed twoLines("module M() {\n  m = max(a, b)\n  y = m\n}");
  EXPECT_FALSE(twoLines.diagnostics.hasErrors()) << twoLines.messages();
}

TEST(ParseExpr, Names) {
  EXPECT_EQ(dumpExpr("config.n_embd"), "(name config.n_embd)");
  EXPECT_EQ(dumpExpr("h.0.output.dense"), "(name h.0.output.dense)");
  EXPECT_EQ(dumpExpr("h.{l + 1}.w[i]"), "(element (name h.{(+ (name l) (1))}.w) [ (name i)])");
  EXPECT_EQ(dumpExpr("layer_{l}.w"), "(name layer_{(name l)}.w)");
  EXPECT_EQ(dumpExpr("h.{l}: nn.Block(x, n = 2)"),
            "(scope h.{(name l)} (call nn.Block [ = (name x) n= (2)]))");
  EXPECT_EQ(dumpExpr("{l}: M(x)"), "(scope {(name l)} (call M [ = (name x)]))");
  EXPECT_EQ(dumpExpr("a.b[0].c"), "(member (element (name a.b) [ (0)]) c)");
}

TEST(ParseExpr, Literals) {
  EXPECT_EQ(dumpExpr("9223372036854775807"), "(9223372036854775807)");
  EXPECT_EQ(dumpExpr("0.5"), "(real 0x1p-1)");
  EXPECT_EQ(dumpExpr("5e-1"), "(real 0x1p-1)");
  EXPECT_EQ(dumpExpr("\"a\\\"\\n\""), "(\"a\\\"\\n\")");
  EXPECT_EQ(dumpExpr("[1, true, null]"), "(list [ (1) (true) (null)])");
}

TEST(ParseExpr, LinesContinue) {
  std::string oneLine = dumpExpr("a + b - c");
  EXPECT_EQ(dumpExpr("a +\n b - c"), oneLine);
  EXPECT_EQ(dumpExpr("a\n  + b\n  - c"), oneLine);
  EXPECT_EQ(dumpExpr("(a + b\n - c\n)"), oneLine);
}

TEST(ParseExpr, Match) {
  EXPECT_EQ(dumpExpr("match s { \"a\" | \"b\" => 1, else => 2 }"),
            "(match (name s) [ (\"a\") (\"b\")] (1) [] (2))");
  EXPECT_EQ(dumpExpr("match s {\n \"a\" => x\n else => y\n}"),
            "(match (name s) [ (\"a\")] (name x) [] (name y))");
}
