//===- ObjectFiles.h - machine code of kernels that were compiled before --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A program that runs with several seeds, or again with other sizes, has the same kernels each
// time, and most of its time is their compilation. A folder keeps their objects by the sum of what
// they were compiled from, for any number of programs at once.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_OBJECTFILES_H
#define WEFT_LIB_EMULATOR_MACHINE_OBJECTFILES_H

#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace weft::emulator {

class ObjectFiles : public llvm::ObjectCache {
public:
  /// Makes the folder if there is none, and takes old files out of one that has grown. `processor`
  /// is what the objects are for: its name and features.
  static llvm::Expected<std::unique_ptr<ObjectFiles>> open(llvm::StringRef folder,
                                                           llvm::StringRef processor);

  /// Names the module by all that it is now, before anything is done with it.
  void name(llvm::Module &code) const;
  /// Whether there was an object of the named module a moment ago.
  bool has(const llvm::Module &code) const;

  void notifyObjectCompiled(const llvm::Module *code, llvm::MemoryBufferRef object) override;
  std::unique_ptr<llvm::MemoryBuffer> getObject(const llvm::Module *code) override;

private:
  ObjectFiles(llvm::StringRef folder, llvm::StringRef processor)
      : folder(folder), processor(processor) {}
  std::string getPath(const llvm::Module &code) const;

  std::string folder, processor;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_OBJECTFILES_H
