//===- Schedule.h - the fields of `weft.lowering` as structs -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What an emitter can be told is a struct that names its members once and says which values they
// may have:
//
//   struct CheckSchedule {
//     int64_t width = 1;
//     template <typename Fields> void visit(Fields &fields) { fields("width", width); }
//     void check(ScheduleRules &rules, CheckOp op) const { rules.requireWidth(width); }
//   };
//
// Choosers fill it and make an attribute of it (`getLowering`), emitters get it back
// (`readSchedule`) and do what it says. Attributes are read from text too, so reading them is where
// errors are found.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_SCHEDULE_H
#define WEFT_CODEGEN_COMMON_SCHEDULE_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Whether vectors may have so many lanes.
bool isVectorWidth(int64_t width);

/// Notes where a schedule asks for what its emitter cannot do. The first rule that is broken
/// becomes an error on the anchor.
class ScheduleRules {
public:
  ScheduleRules(mlir::Operation *anchor, LoweringAttr lowering)
      : anchor(anchor), lowering(lowering) {}

  /// `expected` says what the field should have been.
  void require(bool holds, llvm::StringRef field, const llvm::Twine &expected);
  /// The lanes of a vector.
  void requireWidth(int64_t width);
  /// Something that is written out as often as the field says.
  void requireRepetition(int64_t times, llvm::StringRef field);
  /// Something that is no property of one field.
  void requireWhole(bool holds, const llvm::Twine &problem);

  bool hold() const { return !broken; }

private:
  mlir::Operation *anchor;
  LoweringAttr lowering;
  bool broken = false;
};

/// Reads fields: numbers are 1 or more, optional ones may be missing.
class ScheduleReader {
public:
  explicit ScheduleReader(LoweringAttr lowering) : schedule(lowering.getSchedule()) {}

  void operator()(llvm::StringRef name, int64_t &value);
  void operator()(llvm::StringRef name, std::optional<int64_t> &value);
  void operator()(llvm::StringRef name, std::optional<unsigned> &value); ///< a position: 0 or more
  void operator()(llvm::StringRef name, bool &value);
  void operator()(llvm::StringRef name, std::optional<std::string> &value);
  void operator()(llvm::StringRef name, LoweringAttr &value); ///< null: none
  void operator()(llvm::StringRef name, llvm::SmallVector<int64_t> &values);

  /// An error for a field that is missing, is no such value, or was not asked for.
  mlir::LogicalResult finish(mlir::Operation *anchor, LoweringAttr lowering) const;

private:
  mlir::Attribute take(llvm::StringRef name, bool needed);
  void note(llvm::StringRef name, llvm::StringRef expected);

  mlir::DictionaryAttr schedule;
  llvm::SmallVector<llvm::StringRef> known;
  /// The first field that is wrong, and what it should be; missing if that is empty.
  std::optional<std::pair<llvm::StringRef, llvm::StringRef>> wrong;
};

/// Makes a dictionary of fields.
class ScheduleWriter {
public:
  explicit ScheduleWriter(mlir::MLIRContext *context) : b(context) {}

  void operator()(llvm::StringRef name, int64_t value) { add(name, b.getI64IntegerAttr(value)); }
  void operator()(llvm::StringRef name, std::optional<int64_t> value) {
    if (value)
      (*this)(name, *value);
  }
  void operator()(llvm::StringRef name, std::optional<unsigned> value) {
    if (value)
      (*this)(name, int64_t(*value));
  }
  void operator()(llvm::StringRef name, const std::optional<std::string> &value) {
    if (value)
      add(name, b.getStringAttr(*value));
  }
  void operator()(llvm::StringRef name, LoweringAttr value) {
    if (value)
      add(name, value);
  }
  void operator()(llvm::StringRef name, bool value) { add(name, b.getBoolAttr(value)); }
  void operator()(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    add(name, b.getI64ArrayAttr(values));
  }
  mlir::DictionaryAttr getSchedule() const { return fields.getDictionary(b.getContext()); }

private:
  void add(llvm::StringRef name, mlir::Attribute value) { fields.append(name, value); }

  mlir::Builder b;
  mlir::NamedAttrList fields;
};

template <typename Schedule>
LoweringAttr getLowering(mlir::MLIRContext *context, llvm::StringRef emitter, Schedule schedule) {
  ScheduleWriter writer(context);
  schedule.visit(writer);
  return LoweringAttr::get(context, emitter, writer.getSchedule());
}

/// The schedule of an anchor; nothing and an error if it is not whole or its emitter cannot do it.
template <typename Schedule, typename Op>
std::optional<Schedule> readSchedule(Op anchor, LoweringAttr lowering) {
  Schedule schedule;
  ScheduleReader reader(lowering);
  schedule.visit(reader);
  if (failed(reader.finish(anchor, lowering)))
    return std::nullopt;
  ScheduleRules rules(anchor, lowering);
  schedule.check(rules, anchor);
  return rules.hold() ? std::optional(schedule) : std::nullopt;
}

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_SCHEDULE_H
