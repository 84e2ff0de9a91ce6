//===- EmitTest.cpp - processors, and code from a module in the LLVM dialect ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/CPU/Processor.h"
#include "weft/Target/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace weft;

namespace {

const char *const square = R"(
  llvm.func @square(%p: !llvm.ptr) {
    %v = llvm.load %p : !llvm.ptr -> vector<16xf32>
    %w = llvm.fmul %v, %v : vector<16xf32>
    llvm.store %w, %p : vector<16xf32>, !llvm.ptr
    llvm.return
  })";

Processor resolve(llvm::StringRef triple, llvm::StringRef march) {
  llvm::Expected<Processor> info = resolveProcessor(triple, march);
  if (info)
    return *info;
  ADD_FAILURE() << llvm::toString(info.takeError());
  return {};
}

std::string problemOf(llvm::StringRef triple, llvm::StringRef march) {
  llvm::Expected<Processor> info = resolveProcessor(triple, march);
  return info ? "" : llvm::toString(info.takeError());
}

std::string emit(llvm::StringRef triple, llvm::StringRef march, FileKind kind) {
  Machine target = resolve(triple, march).machine;
  mlir::MLIRContext context;
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(square, &context);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code = translateToLLVM(*module, llvmContext, target, 2);
  if (!code)
    return "";
  std::string content;
  llvm::raw_string_ostream os(content);
  llvm::Error error = emitFile(*code, target, 2, kind, os);
  EXPECT_FALSE(bool(error));
  return content;
}

const char *const linux64 = "x86_64-linux-gnu";

TEST(Target, VectorsOfProcessors) {
  EXPECT_EQ(resolve(linux64, "x86-64").vectorWidth, 4u);
  EXPECT_EQ(resolve(linux64, "x86-64-v3").vectorWidth, 8u);
  EXPECT_EQ(resolve(linux64, "x86-64-v3").numVectorRegisters, 16u);
  EXPECT_EQ(resolve(linux64, "x86-64-v4").vectorWidth, 16u);
  EXPECT_EQ(resolve(linux64, "x86-64-v4").numVectorRegisters, 32u);
  EXPECT_EQ(resolve(linux64, "znver4").vectorWidth, 16u);
  EXPECT_EQ(resolve("aarch64-linux-gnu", "").vectorWidth, 4u);
}

TEST(Target, ErrorsNameTheFlag) {
  auto begins = [](const std::string &text, llvm::StringRef start) {
    EXPECT_TRUE(llvm::StringRef(text).starts_with(start)) << text;
  };
  // Unknown, 32 bits, big-endian, neither.
  for (const char *triple : {"nothing-at-all", "i386-linux-gnu", "armv7-linux-gnueabihf",
                             "x86_64-linux-gnux32", "aarch64_be-linux-gnu", "s390x-linux-gnu",
                             "wasm32-unknown-unknown", "amdgcn-amd-amdhsa", "bpf"})
    EXPECT_EQ(problemOf(triple, ""),
              "--triple=" + std::string(triple) +
                  ": no such target; x86_64 and aarch64 (64 bits, little-endian) are supported, "
                  "for example aarch64-linux-gnu");
  begins(problemOf(linux64, "pentium99"), "--march=pentium99: no such processor for 'x86_64'");
  for (const char *old : {"i386", "i686", "pentium4"})
    begins(problemOf(linux64, old), "--march=" + std::string(old) + ": a processor of 32 bits; ");
  EXPECT_NE(problemOf(linux64, "x86-64-v5").find("did you mean 'x86-64-v"), std::string::npos);
  bool arm = resolve("", "").machine.triple.rfind("aarch64", 0) == 0;
  begins(problemOf(arm ? linux64 : "aarch64-linux-gnu", "native"), "--march=native: this machine");
}

TEST(Target, AssemblyUsesTheWidth) {
  EXPECT_NE(emit(linux64, "x86-64-v4", FileKind::Assembly).find("zmm"), std::string::npos);
  std::string narrow = emit(linux64, "x86-64-v3", FileKind::Assembly);
  EXPECT_EQ(narrow.find("zmm"), std::string::npos);
  EXPECT_NE(narrow.find("ymm"), std::string::npos);
}

TEST(Target, KindsOfFiles) {
  EXPECT_NE(emit(linux64, "x86-64-v3", FileKind::LLVMIR).find("\"target-cpu\"=\"x86-64-v3\""),
            std::string::npos);
  EXPECT_EQ(emit(linux64, "x86-64-v3", FileKind::Bitcode).substr(0, 2), "BC");
  std::string object = emit(linux64, "x86-64-v3", FileKind::Object);
  EXPECT_EQ(object.substr(1, 3), "ELF");
  EXPECT_EQ(object, emit(linux64, "x86-64-v3", FileKind::Object));
  EXPECT_EQ(emit("aarch64-linux-gnu", "", FileKind::Object).substr(1, 3), "ELF");
}

} // namespace
