//===- ObjectFiles.cpp - machine code of kernels that were compiled before ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/ObjectFiles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"

using namespace weft::emulator;

llvm::Expected<std::unique_ptr<ObjectFiles>> ObjectFiles::open(llvm::StringRef folder,
                                                               llvm::StringRef processor) {
  std::error_code error = llvm::sys::fs::create_directories(folder);
  if (!error && !llvm::sys::fs::is_directory(folder))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    return llvm::createStringError(error, folder + ": " + error.message());
  llvm::CachePruningPolicy policy; // once in 20 minutes what nobody asked for in a week
  policy.MaxSizeBytes = uint64_t(1) << 30;
  llvm::pruneCache(folder, policy);
  return std::unique_ptr<ObjectFiles>(new ObjectFiles(folder, processor));
}

void ObjectFiles::name(llvm::Module &code) const {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::WriteBitcodeToFile(code, os);
  os << LLVM_VERSION_STRING << processor;
  llvm::SHA1 sum;
  sum.update(llvm::StringRef(bytes.data(), bytes.size()));
  code.setModuleIdentifier(llvm::toHex(sum.final()));
}

/// The name is one that pruneCache knows.
std::string ObjectFiles::getPath(const llvm::Module &code) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "llvmcache-" + code.getModuleIdentifier());
  return std::string(path);
}

bool ObjectFiles::has(const llvm::Module &code) const {
  return llvm::sys::fs::exists(getPath(code));
}

std::unique_ptr<llvm::MemoryBuffer> ObjectFiles::getObject(const llvm::Module *code) {
  auto object = llvm::MemoryBuffer::getFile(getPath(*code), /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  return object ? std::move(*object) : nullptr;
}

/// Whole files alone have their names. One that cannot be written is compiled again.
void ObjectFiles::notifyObjectCompiled(const llvm::Module *code, llvm::MemoryBufferRef object) {
  std::string path = getPath(*code);
  llvm::consumeError(llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << object.getBuffer();
    return llvm::Error::success();
  }));
}
