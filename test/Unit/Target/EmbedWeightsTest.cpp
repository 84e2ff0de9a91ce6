//===- EmbedWeightsTest.cpp - objects with their weights ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/CPU/Processor.h"
#include "weft/Target/Target.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace weft;

namespace {

// A constant that holds the address of weights, which something else defines.
std::string makeObject(StringRef triple) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module =
      parseAssemblyString("@m.weights = external hidden constant [100 x i8]\n"
                          "@info = constant ptr @m.weights\n",
                          problem, context);
  Expected<Processor> processor = resolveProcessor(triple, "");
  if (!module || !processor)
    return ADD_FAILURE() << toString(processor.takeError()), "";
  std::string bytes;
  raw_string_ostream os(bytes);
  module->setTargetTriple(Triple(processor->machine.triple));
  EXPECT_FALSE(bool(emitFile(*module, processor->machine, 0, FileKind::Object, os)));
  return bytes;
}

// What a weights file of this size holds.
std::string pattern(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i)
    bytes += char(i * 7 + 1);
  return bytes;
}

EmbeddedWeights weightsOf(StringRef symbol, size_t size) {
  return {symbol.str(), size, [size](raw_ostream &os) {
            os << pattern(size);
            return Error::success();
          }};
}

std::string problemOf(StringRef object, const EmbeddedWeights &weights) {
  std::string bytes;
  raw_string_ostream os(bytes);
  return toString(writeWithWeights(object, weights, os));
}

TEST(EmbedWeights, SectionAndSymbol) {
  for (StringRef triple : {"x86_64-linux-gnu", "aarch64-linux-gnu"})
    for (size_t size : {1u, 64u, 4096u, 10001u}) {
      std::string bytes;
      raw_string_ostream os(bytes);
      ASSERT_FALSE(bool(writeWithWeights(makeObject(triple), weightsOf("m.weights", size), os)));
      auto file = object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, "m.o"));
      ASSERT_TRUE(bool(file)) << toString(file.takeError());
      unsigned found = 0;
      for (const object::SymbolRef &symbol : (*file)->symbols()) {
        if (cantFail(symbol.getName()) != "m.weights")
          continue;
        ++found;
        object::section_iterator section = cantFail(symbol.getSection());
        ASSERT_NE(section, (*file)->section_end());
        EXPECT_EQ(cantFail(section->getName()), ".lrodata.weights");
        EXPECT_EQ(cantFail(section->getContents()), pattern(size));
        EXPECT_EQ(object::ELFSymbolRef(symbol).getSize(), size);
        EXPECT_EQ(cantFail(symbol.getValue()), 0u);
        EXPECT_EQ(section->getAlignment().value(), 4096u);
        EXPECT_EQ(size_t(cantFail(section->getContents()).data() - bytes.data()) % 4096, 0u);
      }
      EXPECT_EQ(found, 1u);
    }
}

TEST(EmbedWeights, Pieces) {
  EmbeddedWeights weights = weightsOf("m.weights", 10001);
  weights.pieceBytes = 4096;
  std::string bytes, joined;
  raw_string_ostream os(bytes);
  ASSERT_FALSE(bool(writeWithWeights(makeObject("x86_64-linux-gnu"), weights, os)));
  auto file = cantFail(object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, "m.o")));
  std::vector<uint64_t> sizes;
  for (const object::SectionRef &section : file->sections())
    if (cantFail(section.getName()) == ".lrodata.weights") {
      sizes.push_back(section.getSize());
      joined += cantFail(section.getContents());
    }
  EXPECT_EQ(sizes, (std::vector<uint64_t>{4096, 4096, 1809}));
  EXPECT_EQ(joined, pattern(10001));
}

TEST(EmbedWeights, Errors) {
  std::string object = makeObject("x86_64-linux-gnu");
  EXPECT_EQ(problemOf(object, weightsOf("other.weights", 64)),
            "the object does not name its weights, 'other.weights'");
  EXPECT_NE(problemOf("no object", weightsOf("m.weights", 64)), "");
  EmbeddedWeights fails = {"m.weights", 64,
                           [](raw_ostream &) { return createStringError("a tensor is missing"); }};
  EXPECT_EQ(problemOf(object, fails), "a tensor is missing");
}

} // namespace
