//===- Checkpoint.h - A model's tensors by the names the model uses -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A checkpoint is a safetensors file or a folder of them, or a GGUF file. Its tensors are found by
// the names that a model's text uses; the model's CheckpointRules translate between the two. The
// rules also say which tensors nobody needs, so that everything else that does not fit is an error.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_CHECKPOINT_H
#define WEFT_IMPORT_CHECKPOINT_H

#include "weft/Import/CheckpointRules.h"
#include "weft/Import/StoredWeight.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace weft {

/// What a model wants from a checkpoint.
struct WeightRequest {
  /// Its own name, then those it is tied to: the first that the checkpoint has is taken. A name
  /// with `{N}` in it stands for several tensors (StoredWeight.h).
  std::vector<std::string> names;
  /// The view: the tensor may have any shape of the same row-major elements.
  std::vector<int64_t> shape;
  /// How its elements are stored: the tensor has any type of the same kind, or for a bool integers.
  ElementType type = ElementType::F32;
  /// Where the model declares it ("gpt2.weft:13:9"), for messages; may be empty.
  std::string location;
};

/// True if a tensor of `stored` shape can be seen as `view` by splitting and merging neighbouring
/// dimensions. [6, 4] cannot be seen as [4, 6], although both have 24 elements: that would be a
/// transposed tensor read wrongly.
bool isRowMajorView(llvm::ArrayRef<int64_t> stored, llvm::ArrayRef<int64_t> view);

/// What match() finds wrong.
struct CheckpointProblems;

/// The tensors of a file or a folder of files, by the names of a model.
class Checkpoint {
public:
  /// Opens a .safetensors file, a .gguf file (the first, of a model in parts), or a folder with
  /// `model.safetensors` or with shards listed in `model.safetensors.index.json`.
  static llvm::Expected<Checkpoint> open(llvm::StringRef path, CheckpointRules rules);
  /// Whether the folder has one of these files.
  static bool isIn(llvm::StringRef folder);

  /// The tensor that the model calls `name`, or nullptr. The exact name has precedence over one
  /// that differs by a prefix.
  const StoredTensor *find(llvm::StringRef name) const;

  /// The tensors of the weight that the model calls `name`; nothing if any is missing. One that the
  /// rules call "experts.{}.w1.weight" is all of "experts.{8}.w1.weight".
  StoredWeight findWeight(llvm::StringRef name) const;

  /// Whether there is a tensor that the rules call so, with a `*` for any characters.
  bool hasMatch(llvm::StringRef pattern) const;

  /// A weight per request (nothing where `mayBeMissing` says so and there is none). The error
  /// lists what is missing, of the wrong shape or type, or in the checkpoint without being
  /// requested or ignored, one line each; of many such tensors the first ones, below a line that
  /// counts them.
  llvm::Expected<std::vector<StoredWeight>> match(
      llvm::ArrayRef<WeightRequest> requests,
      llvm::function_ref<bool(size_t)> mayBeMissing = [](size_t) { return false; }) const;

  /// The same of some requests of many: what is not requested is no error.
  llvm::Expected<std::vector<StoredWeight>> matchSome(llvm::ArrayRef<WeightRequest> requests) const;

  /// Adds a tensor that is computed from others, by the name that the model uses; it takes the
  /// place of one that the files have. The others count as used.
  void addComputed(StoredTensor tensor, llvm::ArrayRef<const StoredTensor *> from);

  /// All that were added so, in order; of one name the last counts.
  llvm::ArrayRef<std::unique_ptr<StoredTensor>> computedTensors() const { return computed; }

  /// What was opened: a file or a folder.
  llvm::StringRef path() const { return location; }
  /// The files that it is read from, with the index of shards.
  llvm::ArrayRef<std::string> filePaths() const { return paths; }
  /// All tensors under their own names.
  llvm::ArrayRef<const StoredTensor *> tensors() const { return list; }

private:
  llvm::Error addFolder();
  llvm::Error addShards(llvm::StringRef indexPath);
  llvm::Error addGguf();
  llvm::Error addFile(TensorFile file);
  llvm::Error nameTensors();
  llvm::StringRef withoutPrefix(llvm::StringRef name) const;
  std::string renamed(llvm::StringRef name) const;
  bool isIgnored(llvm::StringRef name) const;
  std::vector<StoredWeight> findRequested(llvm::ArrayRef<WeightRequest> requests,
                                          llvm::function_ref<bool(size_t)> mayBeMissing,
                                          CheckpointProblems &problems) const;
  void checkTensor(const WeightRequest &request, llvm::ArrayRef<int64_t> shape,
                   const StoredTensor &tensor, CheckpointProblems &problems) const;
  void reportMissing(const WeightRequest &request, CheckpointProblems &problems) const;

  std::string location;
  std::vector<std::string> paths;
  CheckpointRules rules;
  std::vector<TensorFile> files;
  std::vector<const StoredTensor *> list;
  llvm::StringMap<const StoredTensor *> byName, byShortName; // after renaming; without prefix
  std::vector<std::unique_ptr<StoredTensor>> computed;
  llvm::DenseSet<const StoredTensor *> usedByComputed;
};

} // namespace weft

#endif // WEFT_IMPORT_CHECKPOINT_H
