//===- Pending.cpp - parts of the pipeline that are not there yet
//------------------------------===//

#include "weft/Codegen/CPU/TargetInfo.h"
#include "weft/Frontend/Frontend.h"
#include "weft/Target/Target.h"

#include "llvm/IR/Module.h"

using namespace llvm;
namespace weft {
[[gnu::weak]] Expected<TargetInfo> resolveTarget(StringRef, StringRef) {
  TargetInfo info;
  info.vectorWidth = 16;
  info.numVectorRegisters = 32;
  return info;
}
[[gnu::weak]] std::unique_ptr<llvm::Module> translateToLLVM(mlir::ModuleOp, LLVMContext &,
                                                            const TargetInfo &, unsigned) {
  return nullptr;
}
[[gnu::weak]] Error emitFile(llvm::Module &, const TargetInfo &, unsigned, FileKind, StringRef) {
  return createStringError("pending");
}
[[gnu::weak]] std::string findRuntimeLibrary(StringRef) { return ""; }
[[gnu::weak]] Error linkSharedLibrary(llvm::Module &, const TargetInfo &, unsigned,
                                      const LinkOptions &, StringRef) {
  return createStringError("pending");
}
[[gnu::weak]] Error linkExecutable(llvm::Module &, const TargetInfo &, unsigned,
                                   const LinkOptions &, StringRef) {
  return createStringError("pending");
}
} // namespace weft
