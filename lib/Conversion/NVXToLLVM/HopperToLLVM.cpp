//===- HopperToLLVM.cpp - assembly for the instructions of sm_90a ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// LLVM has no intrinsics for products of four warps, and a product that is under way owns
// registers, which only operands of assembly can say: what goes in comes out in the same place. So
// all of it is assembly, which LLVM keeps in its order.
//
//===----------------------------------------------------------------------------------------===//

#include "HopperToLLVM.h"

#include "weft/Conversion/NVXToLLVM/Passes.h"

#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weft;

/// The letter of a register in the constraints of assembly.
static StringRef getLetter(Type type) {
  if (type.isF32())
    return "f";
  return type.isInteger(32) ? "r" : "l";
}

/// `$first` to the register in front of `$first + count`, in braces.
static std::string listRegisters(size_t first, size_t count) {
  std::string list;
  for (size_t i = 0; i != count; ++i)
    list += (i ? ", $" : "$") + llvm::utostr(first + i);
  return "{" + list + "}";
}

namespace {

/// A line of assembly. Tied operands are registers that are results, too, numbered `$0`, `$1`, ...;
/// the numbers of others follow twice as many.
class Assembly {
public:
  Assembly(ConversionPatternRewriter &b, Location loc, ValueRange tied = {}) : b(b), loc(loc) {
    for (auto [i, value] : llvm::enumerate(tied)) {
      results.push_back(value.getType());
      constraints += (i ? ",=" : "=") + getLetter(value.getType()).str();
    }
    for (size_t i = 0; i != tied.size(); ++i)
      constraints += "," + llvm::utostr(i);
    llvm::append_range(operands, tied);
    number = 2 * tied.size();
  }

  /// The name of the operand. Places in shared memory are numbers of 32 bits.
  std::string add(Value value) {
    if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(value.getType());
        pointer && pointer.getAddressSpace() == 3)
      value = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), value);
    operands.push_back(value);
    constraints += (constraints.empty() ? "" : ",") + getLetter(value.getType()).str();
    return "$" + llvm::utostr(number++);
  }

  /// In the place of the op, whose results are the tied registers.
  void replace(Operation *op, const Twine &text) {
    constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), results);
    auto line = LLVM::InlineAsmOp::create(
        b, loc,
        results.empty()       ? TypeRange()
        : results.size() == 1 ? TypeRange(results[0])
                              : TypeRange(type),
        operands, text.str(), constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
        /*operand_attrs=*/ArrayAttr());
    SmallVector<Value> members;
    for (size_t i = 0; i != results.size(); ++i)
      members.push_back(results.size() == 1
                            ? line.getRes()
                            : LLVM::ExtractValueOp::create(b, loc, line.getRes(), int64_t(i)));
    b.replaceOp(op, members);
  }

private:
  ConversionPatternRewriter &b;
  Location loc;
  SmallVector<Type> results;
  SmallVector<Value> operands;
  std::string constraints;
  size_t number = 0;
};

/// An instruction without results: `write` adds the operands and makes the text.
template <typename Op> struct LowerPlain : OpConversionPattern<Op> {
  using Write = std::string (*)(Op op, typename Op::Adaptor adaptor, Assembly &assembly);
  LowerPlain(MLIRContext *context, Write write) : OpConversionPattern<Op>(context), write(write) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Assembly assembly(rewriter, op.getLoc());
    assembly.replace(op, write(op, adaptor, assembly));
    return success();
  }

private:
  Write write;
};

/// Registers go through it unchanged.
template <typename Op> struct LowerTied : OpConversionPattern<Op> {
  using Write = std::string (*)(Op op);
  LowerTied(MLIRContext *context, Write write) : OpConversionPattern<Op>(context), write(write) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Assembly assembly(rewriter, op.getLoc(), adaptor.getRegisters());
    assembly.replace(op, write(op));
    return success();
  }

private:
  Write write;
};

struct LowerWgmma : OpConversionPattern<nvx::WgmmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::WgmmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    size_t sums = adaptor.getC().size();
    Assembly assembly(rewriter, op.getLoc(), adaptor.getC());
    SmallVector<std::string> a;
    for (Value value : adaptor.getA())
      a.push_back(assembly.add(value));
    std::string rows = a.size() == 1 ? a[0] : "{" + llvm::join(a, ", ") + "}";
    std::string columns = assembly.add(adaptor.getB());
    Type element = op.getElement();
    StringRef type = element.isBF16() ? "bf16" : element.isF16() ? "f16" : "tf32";
    // Signs of both factors, and of 16 bits which of those in shared memory are turned.
    std::string flags = "1, 1";
    if (!element.isTF32())
      flags += (a.size() == 1 ? ", 0, " : ", ") + std::string(op.getTrans() ? "1" : "0");
    assembly.replace(op, "wgmma.mma_async.sync.aligned.m64n" + Twine(2 * sums) + "k" +
                             (element.isTF32() ? "8" : "16") + ".f32." + type + "." + type + " " +
                             listRegisters(0, sums) + ", " + rows + ", " + columns + ", " +
                             (op.getOnly() ? "0" : "1") + ", " + flags + ";");
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------------------------===//
// Barriers and copies
//===----------------------------------------------------------------------------------------===//

static std::string writeInit(nvx::MBarrierInitOp op, nvx::MBarrierInitOp::Adaptor adaptor,
                             Assembly &assembly) {
  return "mbarrier.init.shared.b64 [" + assembly.add(adaptor.getBarrier()) + "], " +
         llvm::utostr(op.getArrivals()) + ";";
}

static std::string writeArrive(nvx::MBarrierArriveOp, nvx::MBarrierArriveOp::Adaptor adaptor,
                               Assembly &assembly) {
  return "mbarrier.arrive.shared.b64 _, [" + assembly.add(adaptor.getBarrier()) + "];";
}

static std::string writeExpect(nvx::MBarrierExpectOp op, nvx::MBarrierExpectOp::Adaptor adaptor,
                               Assembly &assembly) {
  return "mbarrier.arrive.expect_tx.shared.b64 _, [" + assembly.add(adaptor.getBarrier()) + "], " +
         llvm::utostr(op.getBytes()) + ";";
}

/// Names in braces are known inside of them alone.
static std::string writeWait(nvx::MBarrierWaitOp, nvx::MBarrierWaitOp::Adaptor adaptor,
                             Assembly &assembly) {
  std::string barrier = assembly.add(adaptor.getBarrier()),
              parity = assembly.add(adaptor.getParity());
  return "{\n.reg .pred ended;\nagain:\nmbarrier.try_wait.parity.shared.b64 ended, [" + barrier +
         "], " + parity + ";\n@!ended bra again;\n}";
}

/// `[map, {x, y}]`: a box.
static std::string writeBox(Value map, ValueRange coordinates, Assembly &assembly) {
  std::string name = assembly.add(map);
  SmallVector<std::string> places;
  for (Value coordinate : coordinates)
    places.push_back(assembly.add(coordinate));
  return "[" + name + ", {" + llvm::join(places, ", ") + "}]";
}

static std::string writeLoad(nvx::TmaLoadOp op, nvx::TmaLoadOp::Adaptor adaptor,
                             Assembly &assembly) {
  std::string target = assembly.add(adaptor.getTarget());
  std::string box = writeBox(adaptor.getMap(), adaptor.getCoordinates(), assembly);
  return "cp.async.bulk.tensor." + llvm::utostr(op.getCoordinates().size()) +
         "d.shared::cluster.global.mbarrier::complete_tx::bytes [" + target + "], " + box + ", [" +
         assembly.add(adaptor.getBarrier()) + "];";
}

static std::string writeStore(nvx::TmaStoreOp op, nvx::TmaStoreOp::Adaptor adaptor,
                              Assembly &assembly) {
  std::string box = writeBox(adaptor.getMap(), adaptor.getCoordinates(), assembly);
  return "cp.async.bulk.tensor." + llvm::utostr(op.getCoordinates().size()) +
         "d.global.shared::cta.bulk_group " + box + ", [" + assembly.add(adaptor.getSource()) +
         "];";
}

void weft::populateHopperToLLVM(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LowerPlain<nvx::MBarrierInitOp>>(context, writeInit);
  patterns.add<LowerPlain<nvx::MBarrierArriveOp>>(context, writeArrive);
  patterns.add<LowerPlain<nvx::MBarrierExpectOp>>(context, writeExpect);
  patterns.add<LowerPlain<nvx::MBarrierWaitOp>>(context, writeWait);
  patterns.add<LowerPlain<nvx::TmaLoadOp>>(context, writeLoad);
  patterns.add<LowerPlain<nvx::TmaStoreOp>>(context, writeStore);
  patterns.add<LowerPlain<nvx::TmaCommitOp>>(
      context, [](auto, auto, Assembly &) { return std::string("cp.async.bulk.commit_group;"); });
  patterns.add<LowerPlain<nvx::TmaWaitOp>>(context, [](auto op, auto, Assembly &) {
    return std::string("cp.async.bulk.wait_group") + (op.getRead() ? ".read " : " ") +
           llvm::utostr(op.getPending()) + ";";
  });
  patterns.add<LowerPlain<nvx::MBarrierFenceOp>>(context, [](auto, auto, Assembly &) {
    return std::string("fence.mbarrier_init.release.cluster;");
  });
  patterns.add<LowerPlain<nvx::AsyncFenceOp>>(context, [](auto, auto, Assembly &) {
    return std::string("fence.proxy.async.shared::cta;");
  });
  patterns.add<LowerPlain<nvx::NamedBarrierOp>>(context, [](auto op, auto, Assembly &) {
    return std::string(op.getArrive() ? "bar.arrive " : "bar.sync ") + llvm::utostr(op.getId()) +
           ", " + llvm::utostr(op.getThreads()) + ";";
  });
  patterns.add<LowerPlain<nvx::WgmmaCommitOp>>(context, [](auto, auto, Assembly &) {
    return std::string("wgmma.commit_group.sync.aligned;");
  });
  patterns.add<LowerPlain<nvx::MaxRegistersOp>>(context, [](auto op, auto, Assembly &) {
    return "setmaxnreg." + std::string(op.getMore() ? "inc" : "dec") + ".sync.aligned.u32 " +
           llvm::utostr(op.getCount()) + ";";
  });
  patterns.add<LowerTied<nvx::WgmmaFenceOp>>(
      context, [](auto) { return std::string("wgmma.fence.sync.aligned;"); });
  patterns.add<LowerTied<nvx::OpaqueOp>>(context, [](auto) { return std::string(); });
  patterns.add<LowerTied<nvx::WgmmaWaitOp>>(context, [](auto op) {
    return "wgmma.wait_group.sync.aligned " + llvm::utostr(op.getPending()) + ";";
  });
  patterns.add<LowerWgmma>(context);
}
