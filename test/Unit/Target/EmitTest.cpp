//===- EmitTest.cpp - processors, and code from a module in the LLVM dialect ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/CPU/TargetInfo.h"
#include "weft/Target/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
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

TargetInfo resolve(llvm::StringRef triple, llvm::StringRef march) {
  llvm::Expected<TargetInfo> info = resolveTarget(triple, march);
  if (info)
    return *info;
  ADD_FAILURE() << llvm::toString(info.takeError());
  return {};
}

std::string problemOf(llvm::StringRef triple, llvm::StringRef march) {
  llvm::Expected<TargetInfo> info = resolveTarget(triple, march);
  return info ? "" : llvm::toString(info.takeError());
}

std::string contentOf(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

std::string emit(llvm::StringRef triple, llvm::StringRef march, FileKind kind) {
  TargetInfo target = resolve(triple, march);
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
  EXPECT_EQ(problemOf("nothing-at-all", ""), "--triple=nothing-at-all: no such target");
  EXPECT_EQ(problemOf(linux64, "pentium99").rfind("--march=pentium99: no such processor", 0), 0u);
  EXPECT_EQ(problemOf("riscv64-linux-gnu", "native").rfind("--march=native: this machine", 0), 0u);
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
