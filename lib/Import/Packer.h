//===- Packer.h - weights as they lie in the weights file -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_IMPORT_PACKER_H
#define WEFT_LIB_IMPORT_PACKER_H

#include "weft/Import/Codes.h"
#include "weft/Import/WeightPacker.h"
#include "weft/Support/CodeTable.h"

#include "llvm/Support/raw_ostream.h"

namespace weft {

/// Whether the weight is codes of a table beside their scales.
bool isScaled(const PackedWeight &weight);
ScaledPanel getScaledPanel(const PackedWeight &weight);

/// Says that the weight cannot be codes.
llvm::Error refuseInfinite(const PackedWeight &weight, llvm::StringRef path);

/// Writes weights one after the other.
class Packer {
public:
  Packer(llvm::raw_ostream &os, PackingProgress progress) : os(os), progress(progress) {}

  void header(const WeightsFile &file);
  void seek(uint64_t offset);
  void reals(const PackedWeight &weight, WeightSource source);
  bool scaled(const PackedWeight &weight, WeightSource source);
  bool kept(const PackedWeight &weight, const StoredWeight &stored);
  llvm::Error coded(const PackedWeight &weight, WeightSource source, llvm::StringRef path);
  llvm::Error integers(const PackedWeight &weight, const StoredWeight &stored,
                       llvm::StringRef path);
  void fill(const PackedWeight &weight);

private:
  template <typename T> void put(llvm::ArrayRef<T> values) {
    os.write(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
    position += values.size() * sizeof(T);
    if (progress)
      progress(position);
  }
  void putReals(ElementType type, llvm::ArrayRef<float> values);
  void putIntegers(ElementType type, llvm::ArrayRef<int32_t> values);
  void rowMajor(ElementType type, int64_t count, WeightSource source);
  const CodedTensor &encoded(const PackedWeight &weight, WeightSource source);
  void codePanels(const PackedWeight &weight, const CodedTensor &coded);

  llvm::raw_ostream &os;
  PackingProgress progress;
  uint64_t position = 0;
  /// The parts of a tensor follow one another as a rule.
  CodedTensor lastCoded;
  std::tuple<std::string, std::vector<unsigned>, CodeFormat> lastKey;
};

} // namespace weft

#endif // WEFT_LIB_IMPORT_PACKER_H
