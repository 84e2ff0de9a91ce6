//===- CompiledModel.h - a compiled model, loaded -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_COMPILEDMODEL_H
#define WEFT_RUNNER_COMPILEDMODEL_H

#include "weft/Runner/AlignedBuffer.h"
#include "weft/Runner/Profile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>
#include <vector>

namespace weft {

/// What weftc made of a model, with its weights and the scratch memory for one call at a time.
class CompiledModel {
public:
  /// Loads a shared library and maps its weights, or does with them what `weightsFlags` say (those
  /// of weft_weights_open_flags). `weightsPath` may be empty: then the file lies beside the
  /// library, with suffix ".weights".
  static llvm::Expected<std::unique_ptr<CompiledModel>>
  load(llvm::StringRef path, llvm::StringRef weightsPath, int weightsFlags = 0);
  /// A library that this program has just made, with the bytes of its weights file, 64-byte
  /// aligned; null if the model has none.
  static llvm::Expected<std::unique_ptr<CompiledModel>>
  load(llvm::StringRef path, std::unique_ptr<llvm::MemoryBuffer> weights);
  /// A model that is part of this program, with such bytes.
  explicit CompiledModel(const weft_model_info &info,
                         std::unique_ptr<llvm::MemoryBuffer> weights = nullptr)
      : CompiledModel(nullptr, info, std::move(weights)) {}
  CompiledModel(const CompiledModel &) = delete;
  ~CompiledModel();

  const weft_model_info &info() const { return *description; }
  llvm::ArrayRef<weft_entry_info> entries() const { return entriesOf(*description); }

  /// The entry called `name`; if that is empty, the only one, or the one that generates.
  llvm::Expected<const weft_entry_info *> findEntry(llvm::StringRef name) const;

  /// Calls the entry; `sizes`, `inputs` and `outputs` are as in weft_call.
  llvm::Error run(const weft_entry_info &entry, llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<const void *> inputs, llvm::ArrayRef<void *> outputs);

  /// The calls of a step (weft_step_call): the start of a sequence, and its next positions; with
  /// `last`, for the outputs of the last of these alone.
  llvm::Error start(const weft_step_info &step, AlignedBuffer &state, llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<const void *> inputs);
  llvm::Error advance(const weft_step_info &step, AlignedBuffer &state,
                      llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<const void *> inputs,
                      llvm::ArrayRef<void *> outputs, bool last = false);

  /// The library's own runtime: it has its own threads and its own profile.
  void setThreads(int count);
  /// 1 if the model is compiled for one.
  int threads() const;
  /// Whether it runs on a GPU.
  bool isOnDevice() const;
  /// From now on notes what kernels do in calls, beside what such a machine allows for.
  void startProfile(std::optional<MachineLimits> machine);
  /// Forgets all that was noted.
  void resetProfile();
  /// What was noted; null unless that was asked for.
  const Profile *getProfile() const { return profile.get(); }

  int64_t scratchBytes() const { return scratch.size(); }

private:
  CompiledModel(void *library, const weft_model_info &info,
                std::unique_ptr<llvm::MemoryBuffer> weights);
  llvm::Error check(const llvm::Twine &what, int code,
                    llvm::ArrayRef<weft_tensor_info> inputs) const;
  template <typename F> F *function(const char *name) const;
  void noteProfile(llvm::ArrayRef<int64_t> sizes);

  void *library = nullptr; ///< null: this program
  const weft_model_info *description;
  weft_weights weights = {nullptr, 0};              ///< of a file
  std::unique_ptr<llvm::MemoryBuffer> weightsBytes; ///< or else these
  AlignedBuffer scratch;
  std::unique_ptr<Profile> profile;
};

} // namespace weft

#endif // WEFT_RUNNER_COMPILEDMODEL_H
