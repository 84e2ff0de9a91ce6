//===- RoleTable.h - what the tensors and special tokens of models are for ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A compiled model says what its tensors are called and which shapes they have, and the files
// beside it name special tokens and settings. What they are for is told by a table, Roles.json:
//
//   inputs           for every role of an input the tensors that have it
//   tasks            what results are, the first that fits: for every role of a result the tensors
//                    that have it, and settings of the task
//   special_tokens   for every role of a token its names in config.json, generation_config.json and
//                    the files of the tokenizer; the first that is there counts
//
// A tensor is told by its names, its type (real, int or bool) and its shape, of numbers and words:
// `tokens` and `vocabulary` are those of the text, `classes` is a number that the model fixes,
// every other word is any number.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_TASKS_ROLETABLE_H
#define WEFT_RUNNER_TASKS_ROLETABLE_H

#include "weft/Runner/Interface.h"
#include "weft/Runner/Tensors.h"

#include <array>
#include <optional>

namespace weft {

/// What an input takes.
enum class InputRole { TokenIds, TokenTypes, AttentionMask, Pixels };

/// What the results say: pieces of the second text, classes of the whole, words for masks, classes
/// of tokens, one score for each token.
enum class Task { Spans, Classes, Masks, TokenClasses, TokenScores };

/// What a special token is for.
enum class TokenRole { Begin, End, Mask, DecoderStart, DecoderSecond };

/// What the words of a shape are for one text; 0 is no extent.
struct TextSizes {
  int64_t tokens = 0, vocabulary = 0;
};

/// Tensors by names, type and shape.
struct TensorPattern {
  /// An extent: a number, or, if that is 0, what a word says.
  struct Dim {
    int64_t size = 0;
    std::string word;
  };
  std::vector<std::string> names;
  ElementKind kind = ElementKind::Real;
  std::vector<Dim> shape;

  /// Whether a tensor is one of these; without `sizes` every word is any number.
  bool fits(llvm::StringRef name, ElementKind kind, llvm::ArrayRef<int64_t> shape,
            const TextSizes *sizes) const;
  /// "'pixel_values' of channels, height and width"
  std::string str() const;
};

/// How a task is known, and how its results are read.
struct TaskRule {
  Task task;
  std::vector<TensorPattern> results; ///< starts and ends of spans; otherwise scores
  int64_t mostTokens = 0;             ///< of a span
  /// Setting and value of config.json that say of classes that several may hold; or empty.
  std::string notExclusiveKey, notExclusiveValue;
};

/// A task whose results are there, in the order of the rule.
struct FoundTask {
  const TaskRule *rule;
  llvm::SmallVector<const OwnedTensor *, 2> results;
};

/// The table.
class RoleTable {
public:
  /// The one that is part of this library.
  static const RoleTable &standard();
  /// Another one; errors read "NAME: PLACE: what is wrong".
  static llvm::Expected<RoleTable> parse(llvm::StringRef json, llvm::StringRef name);

  /// How an input is known that has this role.
  const TensorPattern &pattern(InputRole role) const { return inputs[size_t(role)]; }
  /// The input of an entry with this role; null if it has none.
  const weft_tensor_info *find(const weft_entry_info &entry, InputRole role) const;

  /// What results of the entry are; nothing if no task has such.
  std::optional<FoundTask> findTask(const weft_entry_info &entry,
                                    llvm::ArrayRef<OwnedTensor> results, TextSizes sizes) const;

  /// Without the suffix "_id" that such a setting has in config.json.
  llvm::ArrayRef<std::string> names(TokenRole role) const { return tokens[size_t(role)]; }

private:
  friend class RoleTableReader;

  std::array<TensorPattern, 4> inputs;
  std::vector<TaskRule> tasks;
  std::array<std::vector<std::string>, 5> tokens;
};

} // namespace weft

#endif // WEFT_RUNNER_TASKS_ROLETABLE_H
