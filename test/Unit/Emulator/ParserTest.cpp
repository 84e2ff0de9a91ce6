//===- ParserTest.cpp - what a PTX text says, and what is wrong with it ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorTest.h"

#include "weft/Emulator/PtxParser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <random>

using namespace weft;
using namespace weft::test;

namespace {

const std::string head = ".version 8.0\n.target sm_90a\n.address_size 64\n";

std::string parseProblem(const std::string &text) {
  llvm::Expected<ptx::Module> module = ptx::parse(text, "t");
  return module ? "" : llvm::toString(module.takeError());
}
std::string bodyProblem(const std::string &body) {
  return parseProblem(head + ".entry f(.param .b64 p) {\n" + body + "\n}");
}
std::string checkProblem(const std::string &body) {
  std::vector<std::string> problems = emulator::Machine::check(
      head + ".entry f(.param .b64 p) {\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n" +
          body + "\nret; }",
      "t");
  return problems.empty() ? "" : problems.front();
}

TEST(PtxParserTest, Structure) {
  ptx::Module module = llvm::cantFail(
      ptx::parse(head + "// a comment\n.visible .entry f(.param .u64 .ptr .global .align 16 p,\n"
                        ".param .align 4 .b8 q[12]) .maxntid 128, 2, 1 .minnctapersm 1 {\n"
                        ".reg .pred %p<2>; .reg .b32 %r<3>, x;\n"
                        "$L__BB0_1:\n@!%p1 ld.global.v2.b32 {%r1, %r2}, [x+-4]; /* to\n go */\n"
                        "{ .reg .b32 x; LAB: mov.b32 x, -1; bra LAB; }\n{ LAB: bra $L__BB0_1; } }",
                 "t"));
  ASSERT_EQ(module.functions.size(), 1u);
  const ptx::Function &f = module.functions[0];
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(f.parameters()[1].bytes, 12u);
  EXPECT_EQ(f.maximumThreads[1], 2u);
  EXPECT_EQ(f.registers.size(), 7u);
  ASSERT_EQ(f.body.size(), 4u);
  EXPECT_EQ(f.body[0].spelling(), "ld.global.v2.b32");
  EXPECT_TRUE(f.body[0].guard->negated);
  EXPECT_EQ(f.body[0].operands[1].value, -4);
  EXPECT_NE(f.body[0].operands[1].parts[0].index, f.body[1].operands[0].index); // two x
  EXPECT_EQ(f.labels[f.body[2].operands[0].index].position, 1u);
  EXPECT_EQ(f.labels[f.body[3].operands[0].index].position, 0u);
}

TEST(PtxParserTest, Errors) {
  EXPECT_EQ(parseProblem(""), "t:1: error: expected '.target', found the end of the text");
  EXPECT_EQ(parseProblem(head + ".texref x;"), "t:4: error: unknown directive '.texref'");
  EXPECT_EQ(parseProblem(".target gfx90"), "t:1: error: unknown target 'gfx90'");
  EXPECT_EQ(parseProblem(head + ".address_size 32"),
            "t:4: error: only addresses of 64 bits are known");
  EXPECT_EQ(parseProblem(head + ".global .f17 x;"),
            "t:4: error: unknown type of a variable: 'f17'");
  EXPECT_EQ(parseProblem(head + ".global .b8 x[2] = {1, 2, 3};"),
            "t:4: error: more values than 'x' has room for");
  EXPECT_EQ(parseProblem(head + ".global .align 3 .b8 x;"),
            "t:4: error: an alignment is a power of 2");
  EXPECT_EQ(parseProblem(head + ".extern .global .b8 x;"),
            "t:4: error: 'x' is defined in another module");
  EXPECT_EQ(parseProblem(head + ".entry f() .sparkling { ret; }"),
            "t:4: error: unknown property '.sparkling' of a function");
  EXPECT_EQ(parseProblem(head + ".entry f() .reqnctapercluster 2, 1, 1 { ret; }"),
            "t:4: error: clusters of several blocks are not known");
  EXPECT_EQ(parseProblem(head + ".global .b8 \x01;"), "t:4: error: expected a name, found '?'");
  EXPECT_EQ(parseProblem(head + "/* never"), "t:4: error: expected a directive, found '/* never'");
}

TEST(PtxParserTest, ErrorsInFunctions) {
  EXPECT_EQ(bodyProblem("bra L;"), "t:5: error: nothing is called 'L' here");
  EXPECT_EQ(bodyProblem("{ L: } bra L;"), "t:5: error: nothing is called 'L' here");
  EXPECT_EQ(bodyProblem("L:\nL:"), "t:6: error: label 'L' is declared twice");
  EXPECT_EQ(bodyProblem(".reg .b32 x, x;"), "t:5: error: 'x' is declared twice");
  EXPECT_EQ(bodyProblem(".reg .b32 %r<2000000000>;"),
            "t:5: error: a number of registers is 2000000000, more than the limit of 1048576");
  EXPECT_EQ(bodyProblem("@p ret;"), "t:5: error: 'p' is no predicate");
  EXPECT_EQ(bodyProblem("call f2;"),
            "t:5: error: call of 'f2', which is no function of the module");
  EXPECT_EQ(bodyProblem("mov.b32 [[[[[1]]]]], 1;"),
            "t:5: error: expected an operand of less depth, found '['");
  EXPECT_EQ(bodyProblem(std::string(100, '{')),
            "t:5: error: expected at most 64 nested braces, found '{'");
  EXPECT_EQ(bodyProblem("mov.b32 p, 0f12;"), "t:5: error: expected a number, found '0f12'");
  EXPECT_EQ(bodyProblem("mov.b32 p, 99999999999999999999;"),
            "t:5: error: expected a number, found '99999999999999999999'");
}

TEST(PtxParserTest, UnknownInstructions) {
  EXPECT_EQ(checkProblem("frobnicate.b32 %r1, %r2;"),
            "t:6: error: 'frobnicate.b32': unknown instruction");
  EXPECT_EQ(checkProblem("add.wild.s32 %r1, %r2, %r3;"),
            "t:6: error: 'add.wild.s32': unknown modifier '.wild'");
  EXPECT_EQ(checkProblem("add.rz.f32 %r1, %r2, %r3;"),
            "t:6: error: 'add.rz.f32': unknown modifier '.rz'");
  EXPECT_EQ(checkProblem("ld.acquire.gpu.global.b32 %r1, [%rd1];"),
            "t:6: error: 'ld.acquire.gpu.global.b32': unknown modifier '.acquire'");
  EXPECT_EQ(checkProblem("add.s32 %r1, %rd2, %r3;"),
            "t:6: error: 'add.s32': register '%rd2' has 64 bits where 32 are expected");
  EXPECT_EQ(checkProblem("add.s32 %r1, %r2;"),
            "t:6: error: 'add.s32': unexpected number of operands: 2");
  EXPECT_EQ(checkProblem("mov.u32 %r1, %gridid;"),
            "t:6: error: 'mov.u32': unknown special register '%gridid'");
  EXPECT_EQ(checkProblem("setmaxnreg.inc.sync.aligned.u32 104;"),
            "t:6: error: 'setmaxnreg.inc.sync.aligned.u32': only a kernel with .maxntid, "
            ".reqntid or .maxnreg can use it");
  EXPECT_EQ(checkProblem("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], "
                         "[%r1], 16;"),
            "t:6: error: 'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32': unknown "
            "modifier '.reduce'");
  EXPECT_EQ(checkProblem("fence.proxy.tensormap::generic.release.gpu;"),
            "t:6: error: 'fence.proxy.tensormap::generic.release.gpu': only the proxy .async is "
            "known");
  EXPECT_EQ(checkProblem("fence.acq_rel;"), "t:6: error: 'fence.acq_rel': a scope is missing");
  EXPECT_EQ(checkProblem("fence.acq_rel.gpu; membar.gl; nanosleep.u32 20;"), "");
  EXPECT_EQ(checkProblem("ld.param.b64 %rd1, [p+4];"),
            "t:6: error: 'ld.param.b64': 8 bytes at offset 4 of 'p', which has 8");
  EXPECT_EQ(checkProblem("mov.b32 %r1, !%r2;"),
            "t:6: error: 'mov.b32': '!' before a register that is no predicate");
  EXPECT_EQ(checkProblem("cvt.f32.s32 %r1, %r2;"),
            "t:6: error: 'cvt.f32.s32': a rounding is missing");
  for (const char *name : {"sub.s16x2", "add.sat.s16x2", "mul.lo.u16x2", "abs.s16x2"})
    EXPECT_EQ(checkProblem(std::string(name) + " %r1, %r2, %r3;"),
              "t:6: error: '" + std::string(name) +
                  "': a type of integers of 16 to 64 bits is expected");
  EXPECT_EQ(checkProblem("div.f16x2 %r1, %r2, %p1;"),
            "t:6: error: 'div.f16x2': register '%p1' has 1 bits where 32 are expected");
}

TEST(PtxParserTest, CheckReportsAll) {
  std::vector<std::string> problems =
      emulator::Machine::check(head + ".func g() {\nx1; x1;\nret; }\n.entry f() {\nx2;\n}\n", "t");
  EXPECT_EQ(problems, (std::vector<std::string>{"t:5: error: 'x1': unknown instruction",
                                                "t:8: error: 'x2': unknown instruction"}));
  problems = emulator::Machine::check(head + ".func h();\n.entry f() { call h; }\n", "t");
  EXPECT_EQ(problems,
            (std::vector<std::string>{"t:5: error: function 'h' is defined in another module"}));
  problems = emulator::Machine::check(head + ".func h() { call h; }\n", "t");
  EXPECT_EQ(problems, (std::vector<std::string>{
                          "t:4: error: kernel 'h' calls a function that calls itself"}));
}

// Every text is read or refused by one line, whatever was cut off, changed or moved in it.
void expectAnswer(const std::string &text) {
  for (const std::string &problem : emulator::Machine::check(text, "t")) {
    EXPECT_EQ(problem.rfind("t:", 0), 0u) << problem;
    EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
  }
}

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  const char *source = std::getenv("WEFT_SOURCE_DIR");
  std::string folder = std::string(source ? source : ".") + "/test/Fuzz/Corpus/Ptx";
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(folder, error), end; at != end && !error;
       at.increment(error))
    texts.push_back((*llvm::MemoryBuffer::getFile(at->path()))->getBuffer().str());
  return texts;
}

TEST(PtxParserTest, BrokenTexts) {
  std::vector<std::string> texts = corpus();
  ASSERT_FALSE(texts.empty());
  std::mt19937 random(7);
  for (const std::string &text : texts) {
    EXPECT_TRUE(emulator::Machine::check(text, "t").empty());
    for (unsigned round = 0; round < 300; ++round) {
      std::string broken = text;
      size_t place = random() % text.size(), length = random() % 12;
      if (round % 4 == 0)
        broken.resize(place);
      else if (round % 4 == 1)
        broken.erase(place, length);
      else if (round % 4 == 2)
        broken[place] = " ,.;{}[]()%0x9!|"[random() % 16];
      else
        broken.insert(place, text.substr(random() % text.size(), length));
      expectAnswer(broken);
    }
  }
}

} // namespace
