//===- MmaCodes.cpp - codes on their way to registers -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Codes, and the words that groups of them share, go through the ring as they are stored. A thread
// expands what its registers of B are to hold: numbers of 4 bits to whole numbers of 8, reals of a
// table to f32, scaled before they are multiplied. So a weight has the value that any other reader
// finds, and memory gives no more than its codes.
//
//===----------------------------------------------------------------------------------------===//

#include "MmaTask.h"

#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/TableCode.h"
#include "weft/Dialect/Weft/IR/ElementTypes.h"

using namespace mlir;
using namespace weft;

static Value word(LaneBuilder &lanes, int64_t value) {
  return arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getI32IntegerAttr(int32_t(value)));
}

static Value asWord(LaneBuilder &lanes, const Lanes &number) {
  return arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(), number.value);
}

//===----------------------------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------------------------===//

void MmaTask::addCodeCopies() {
  const CodedColumns &codes = *plan.shape.codes;
  addCodeCopies(plan.getCodeBytes() / codes.getCopyBytes(plan.schedule.tile[2]), std::nullopt);
  for (int64_t i = 0; i != codes.getNumWords(); ++i)
    addCodeCopies(plan.getNumGroups(), i);
  if (plan.hasTable())
    storeTable();
}

void MmaTask::addCodeCopies(int64_t ofColumn, std::optional<int64_t> word) {
  int64_t total = plan.schedule.tile[1] * ofColumn;
  for (int64_t first = 0; first < total; first += kBlockSize) {
    Lanes number = lanes.add(thread, lanes.constant(first));
    CodeCopy copy = makeCodeCopy(number, ofColumn, word);
    if (first + kBlockSize > total)
      copy.isOwn = lanes.compare(arith::CmpIPredicate::slt, number, lanes.constant(total));
    codeCopies.push_back(copy);
  }
}

/// Neighbouring threads copy what lies side by side of codes, and a word of neighbouring columns.
MmaTask::CodeCopy MmaTask::makeCodeCopy(const Lanes &number, int64_t ofColumn,
                                        std::optional<int64_t> word) {
  int64_t columns = plan.schedule.tile[1], k = plan.schedule.tile[2] / ofColumn;
  Lanes column = word ? lanes.mod(number, columns) : lanes.floorDiv(number, ofColumn);
  Lanes piece = word ? lanes.floorDiv(number, columns) : lanes.mod(number, ofColumn);
  CodeCopy copy;
  copy.word = word;
  copy.firstK = lanes.mul(piece, lanes.constant(k));
  Lanes position = lanes.add(firstColumn, column);
  copy.exists = lanes.compare(arith::CmpIPredicate::slt, position, sizeN);
  copy.row = getPackedRow(lanes.min(position, lanes.sub(sizeN, lanes.constant(1))));
  if (word) {
    Lanes line = lanes.add(piece, lanes.constant(*word * plan.getNumGroups()));
    Lanes place = lanes.add(lanes.mul(line, lanes.constant(columns)), column);
    copy.target = lanes.add(lanes.mul(place, lanes.constant(4)), lanes.constant(plan.getWords()));
    return copy;
  }
  Lanes bytes = lanes.mul(piece, lanes.constant(plan.getCodeBytes() / ofColumn));
  Lanes place = plan.getTileB().getPlace(lanes, column, lanes.floorDiv(bytes, kChunkBytes));
  copy.target = lanes.add(lanes.add(place, lanes.mod(bytes, kChunkBytes)),
                          lanes.constant(plan.getTileA().getBytes()));
  return copy;
}

void MmaTask::copyCodes(const CodeCopy &copy, const Lanes &stage, const Lanes &step) {
  const CodedColumns &codes = *plan.shape.codes;
  int64_t bytes = copy.word ? 4 : codes.getCopyBytes(plan.schedule.tile[2]);
  auto emitCopy = [&] {
    Lanes k = lanes.add(copy.firstK, lanes.mul(step, lanes.constant(plan.schedule.tile[2])));
    Lanes place = copy.word ? codes.getWordPlace(lanes, codes.getGroup(lanes, k), *copy.word)
                            : codes.getCodePlace(lanes, k);
    Value exists = lanes.andMask(copy.exists, existsInPart(k, step));
    Value source = getElementPointer(lanes, getColumns().pointer, lanes.b.getI8Type(),
                                     lanes.add(copy.row, place).value);
    Value size = lanes.select(exists, ::word(lanes, bytes), ::word(lanes, 0));
    nvx::CpAsyncOp::create(lanes.b, lanes.loc, getShared(lanes.add(stage, copy.target)), source,
                           size, uint32_t(bytes));
    return SmallVector<Value>();
  };
  if (copy.isOwn)
    lanes.ifThen(copy.isOwn, {}, emitCopy);
  else
    emitCopy();
}

/// What the codes stand for, each in a bank of its own.
void MmaTask::storeTable() {
  Value own = lanes.compare(arith::CmpIPredicate::slt, thread, lanes.constant(kTableSize));
  lanes.ifThen(own, {}, [&] {
    ArrayRef<float> values(infoOf(plan.shape.codes->getTable()).values, kTableSize);
    Value value = lookUpBySelects(lanes, asWord(lanes, thread), values);
    Lanes place = lanes.add(lanes.constant(plan.getTable()), lanes.mul(thread, lanes.constant(4)));
    LLVM::StoreOp::create(lanes.b, lanes.loc, value, getShared(place), /*alignment=*/4);
    return SmallVector<Value>();
  });
}

//===----------------------------------------------------------------------------------------===//
// To registers
//===----------------------------------------------------------------------------------------===//

/// The registers of B for the values of k of one product.
SmallVector<Value> MmaTask::loadCodes(const Lanes &step, int64_t k) {
  SmallVector<Value> registers;
  for (int64_t block = 0; block != getNumB(); ++block)
    llvm::append_range(registers, plan.shape.codes->isNumbers() ? loadNumbers(step, k, block)
                                                                : loadReals(step, k, block));
  return registers;
}

/// The column of the thread in the tile.
Lanes MmaTask::getColumn(int64_t block) {
  Lanes group = lanes.floorDiv(lane, 4);
  return lanes.add(warpColumn, lanes.add(group, lanes.constant(block * kMmaColumns)));
}

/// Four bytes of codes, `offset` bytes behind those of k.
Value MmaTask::loadCodeWord(const Lanes &step, int64_t k, int64_t block, const Lanes &offset) {
  int64_t bytes = k * plan.shape.codes->getBits() / 8;
  Lanes place =
      plan.getTileB().getPlace(lanes, getColumn(block), lanes.constant(bytes / kChunkBytes));
  int64_t start = plan.getTileA().getBytes() + bytes % kChunkBytes;
  place = lanes.add(lanes.add(place, offset), lanes.constant(start));
  return LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(),
                              getShared(lanes.add(getStage(step), place)), /*alignment=*/4);
}

/// A word of the group of k.
Value MmaTask::loadWord(const Lanes &step, int64_t k, int64_t block, int64_t word) {
  int64_t groups = plan.getNumGroups(), line = word * groups + k * groups / plan.schedule.tile[2];
  int64_t start = plan.getWords() + line * plan.schedule.tile[1] * 4;
  Lanes place = lanes.add(lanes.mul(getColumn(block), lanes.constant(4)), lanes.constant(start));
  return LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(),
                              getShared(lanes.add(getStage(step), place)), /*alignment=*/4);
}

/// Four whole numbers a register, (u - z) m of a number u. Half a byte is one; a word has eight, of
/// which the lower halves come first. u m + 128 - z m is a byte without a sign, so four of them are
/// computed at once.
SmallVector<Value> MmaTask::loadNumbers(const Lanes &step, int64_t k, int64_t block) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  const CodedColumns &codes = *plan.shape.codes;
  auto shiftBy = [&](Value x, const Lanes &bits) -> Value {
    return arith::ShRUIOp::create(b, loc, x, asWord(lanes, bits));
  };
  Lanes firstK =
      lanes.add(lanes.mul(step, lanes.constant(plan.schedule.tile[2])), lanes.constant(k));
  Lanes inWord = lanes.mod(codes.getGroup(lanes, firstK), 4);
  Value shared = shiftBy(loadWord(step, k, block, 0), lanes.mul(inWord, lanes.constant(8)));
  Value factor = arith::AndIOp::create(b, loc, shared, word(lanes, 15));
  Value zero = arith::ShRUIOp::create(b, loc, shared, word(lanes, 4));
  zero = arith::AndIOp::create(b, loc, zero, word(lanes, 15));
  Value start =
      arith::SubIOp::create(b, loc, word(lanes, 128), arith::MulIOp::create(b, loc, zero, factor));
  start = arith::MulIOp::create(b, loc, start, word(lanes, 0x01010101));
  Lanes inGroup = lanes.mod(lane, 4), half = lanes.mod(lane, 2);
  SmallVector<Value> registers;
  for (int64_t i = 0; i != kRegistersB; ++i) {
    Lanes offset =
        lanes.add(lanes.mul(lanes.floorDiv(inGroup, 2), lanes.constant(4)), lanes.constant(8 * i));
    Value numbers =
        shiftBy(loadCodeWord(step, k, block, offset), lanes.mul(half, lanes.constant(4)));
    numbers = arith::AndIOp::create(b, loc, numbers, word(lanes, 0x0f0f0f0f));
    numbers = arith::MulIOp::create(b, loc, numbers, factor);
    numbers = arith::AddIOp::create(b, loc, numbers, start);
    registers.push_back(arith::XOrIOp::create(b, loc, numbers, word(lanes, int32_t(0x80808080))));
  }
  return registers;
}

/// What a code of 4 bits stands for: computed, where the table counts; else read.
Value MmaTask::lookUp(Value code) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  if (plan.hasTable()) {
    Value bytes = arith::ShLIOp::create(b, loc, code, word(lanes, 2));
    bytes = arith::IndexCastOp::create(b, loc, b.getIndexType(), bytes);
    Lanes place = lanes.uniform(bytes, {0, 4 * (kTableSize - 1)});
    return LLVM::LoadOp::create(b, loc, b.getF32Type(),
                                getShared(lanes.add(place, lanes.constant(plan.getTable()))),
                                /*alignment=*/4);
  }
  // The last bits of 2^23.
  constexpr float base = 1 << 23;
  Value bits = arith::OrIOp::create(b, loc, code, word(lanes, llvm::bit_cast<int32_t>(base)));
  float first = infoOf(plan.shape.codes->getTable()).values[0];
  return arith::SubFOp::create(b, loc, LLVM::BitcastOp::create(b, loc, b.getF32Type(), bits),
                               lanes.floatConstant(base - first));
}

/// E4M3 as an f32 that is no subnormal number on the way, which may count as 0: where the exponent
/// is 0, the number is what the same bits with exponent 1 stand for, less 2^-6.
static Value decodeFp8(LaneBuilder &lanes, Value code) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  constexpr int64_t one = 8, bias = (127 - 7) << 3;
  Value number = arith::AndIOp::create(b, loc, code, word(lanes, 127));
  Value isSmall =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, word(lanes, one));
  Value added = lanes.select(isSmall, word(lanes, bias + one), word(lanes, bias));
  Value less = lanes.select(isSmall, lanes.floatConstant(0x1p-6), lanes.floatConstant(0));
  number = arith::AddIOp::create(b, loc, number, added);
  number = arith::ShLIOp::create(b, loc, number, word(lanes, 20));
  Value real = LLVM::BitcastOp::create(b, loc, b.getF32Type(), number);
  real = LLVM::BitcastOp::create(b, loc, b.getI32Type(),
                                 arith::SubFOp::create(b, loc, real, less).getResult());
  Value sign = arith::AndIOp::create(b, loc, code, word(lanes, 128));
  sign = arith::ShLIOp::create(b, loc, sign, word(lanes, 24));
  real = arith::OrIOp::create(b, loc, real, sign);
  return LLVM::BitcastOp::create(b, loc, b.getF32Type(), real);
}

/// A scale or a shift of the group of k.
Value MmaTask::loadShared(const Lanes &step, int64_t k, int64_t block, bool isShift) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  const CodeTableInfo &info = infoOf(plan.shape.codes->getTable());
  int64_t ofGroup = info.shift == CodeShift::None ? 1 : 2;
  auto load = [&](int64_t number, ElementType type) -> Value {
    Value loaded = loadWord(step, k, block, number);
    Type storage = getStorageType(b.getContext(), type);
    if (storage.isF32())
      return LLVM::BitcastOp::create(b, loc, storage, loaded);
    unsigned bits = storage.getIntOrFloatBitWidth();
    loaded = arith::TruncIOp::create(b, loc, b.getIntegerType(bits), loaded);
    if (storage.isInteger(8))
      return arith::SIToFPOp::create(b, loc, b.getF32Type(), loaded);
    loaded = LLVM::BitcastOp::create(b, loc, getMemoryType(storage), loaded);
    return extendElement(lanes, loaded, storage);
  };
  Value value = load(isShift ? 1 : 0, isShift ? info.shiftType : info.scale);
  if (info.span == 0)
    return value;
  Value outer = load(ofGroup + (isShift ? 1 : 0), info.outer);
  return arith::MulFOp::create(b, loc, value, outer);
}

/// A register for each of two numbers, four apart: those of k + lane % 4 and the fourth behind it.
SmallVector<Value> MmaTask::loadReals(const Lanes &step, int64_t k, int64_t block) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  const CodedColumns &codes = *plan.shape.codes;
  bool isShort = codes.getBits() == 4;
  CodeTable table = codes.getTable();
  Value scale = loadShared(step, k, block, /*isShift=*/false);
  Value shift;
  if (infoOf(table).shift != CodeShift::None)
    shift = loadShared(step, k, block, /*isShift=*/true);
  Value own = asWord(lanes, lanes.mul(lanes.mod(lane, 4), lanes.constant(codes.getBits())));
  SmallVector<Value> registers;
  for (int64_t i = 0; i != kRegistersB; ++i) {
    Lanes offset = lanes.constant(isShort ? 0 : 4 * i);
    Value code = arith::ShRUIOp::create(b, loc, loadCodeWord(step, k, block, offset), own);
    if (isShort && i)
      code = arith::ShRUIOp::create(b, loc, code, word(lanes, 16));
    Value real;
    if (isShort)
      real = lookUp(arith::AndIOp::create(b, loc, code, word(lanes, 15)));
    else if (infoOf(table).numbers == CodeTable::Fp8)
      real = decodeFp8(lanes, code);
    else
      real = decodeBytes(lanes, arith::TruncIOp::create(b, loc, b.getI8Type(), code), table);
    real = applyShared(lanes, real, scale, shift, table);
    registers.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), real));
  }
  return registers;
}
