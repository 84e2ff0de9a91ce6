// RUN: weft-opt --weft-fuse-products %s | FileCheck %s

// CHECK-LABEL: @sums
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[V:.*]]: vector<8xf64>)
// CHECK: %[[SUM:.*]] = llvm.intr.fma(%[[A]], %[[B]], %[[C]]) : (f32, f32, f32) -> f32
// CHECK: %[[OTHER:.*]] = llvm.intr.fma(%[[A]], %[[B]], %[[SUM]])
// CHECK: %[[SQUARE:.*]] = llvm.fmul %[[C]], %[[C]] : f32
// CHECK: llvm.intr.fma(%[[A]], %[[B]], %[[SQUARE]])
// CHECK: llvm.intr.fma(%[[V]], %[[V]], %[[V]])
llvm.func @sums(%a: f32, %b: f32, %c: f32, %v: vector<8xf64>) -> (!llvm.struct<(f32, vector<8xf64>)>) {
  %product = llvm.fmul %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
  %sum = llvm.fadd %product, %c : f32
  %other = llvm.fadd %sum, %product : f32
  %square = llvm.fmul %c, %c {fastmathFlags = #llvm.fastmath<contract>} : f32
  %both = llvm.fadd %product, %square : f32
  %all = llvm.fdiv %other, %both : f32
  %w = llvm.fmul %v, %v : vector<8xf64>
  %x = llvm.fadd %v, %w : vector<8xf64>
  %none = llvm.mlir.undef : !llvm.struct<(f32, vector<8xf64>)>
  %one = llvm.insertvalue %all, %none[0] : !llvm.struct<(f32, vector<8xf64>)>
  %two = llvm.insertvalue %x, %one[1] : !llvm.struct<(f32, vector<8xf64>)>
  llvm.return %two : !llvm.struct<(f32, vector<8xf64>)>
}

// CHECK-LABEL: @differences
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32)
// CHECK: %[[MINUS:.*]] = llvm.fneg %[[C]] : f32
// CHECK: llvm.intr.fma(%[[A]], %[[B]], %[[MINUS]])
// CHECK: %[[LESS:.*]] = llvm.fneg %[[A]] : f32
// CHECK: llvm.intr.fma(%[[LESS]], %[[B]], %[[C]])
llvm.func @differences(%a: f32, %b: f32, %c: f32) -> f32 {
  %product = llvm.fmul %a, %b : f32
  %less = llvm.fsub %product, %c : f32
  %rest = llvm.fsub %c, %product : f32
  %all = llvm.fdiv %less, %rest : f32
  llvm.return %all : f32
}

// What is rounded on its own is left alone: of two products the other is fused. Nobody is told of it afterwards.
// CHECK-LABEL: @rounded
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32)
// CHECK: %[[PRODUCT:.*]] = llvm.fmul %[[A]], %[[B]] : f32
// CHECK: %[[SUM:.*]] = llvm.fadd %[[PRODUCT]], %[[C]] : f32
// CHECK: llvm.intr.fma(%[[C]], %[[C]], %[[PRODUCT]])
// CHECK: llvm.fsub %[[SUM]], %[[PRODUCT]] : f32
llvm.func @rounded(%a: f32, %b: f32, %c: f32) -> f32 {
  %product = llvm.fmul %a, %b {weft.rounded} : f32
  %sum = llvm.fadd %product, %c : f32
  %square = llvm.fmul %c, %c : f32
  %both = llvm.fadd %product, %square : f32
  %less = llvm.fsub %sum, %product : f32
  %all = llvm.fdiv %less, %both : f32
  llvm.return %all : f32
}

// Must not fire: a sum without a product, a product of another block, a type without the instruction; and LLVM is not asked.
// CHECK-LABEL: @others
// CHECK-NOT: llvm.intr.fma
// CHECK-NOT: contract
// CHECK: llvm.fadd %{{.*}} {fastmathFlags = #llvm.fastmath<reassoc>} : f32
llvm.func @others(%a: f32, %b: f32, %h: f16) -> f32 {
  %plain = llvm.fadd %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
  %product = llvm.fmul %a, %plain {fastmathFlags = #llvm.fastmath<contract>} : f32
  %half = llvm.fmul %h, %h : f16
  %halves = llvm.fadd %half, %h : f16
  llvm.br ^next
^next:
  %sum = llvm.fadd %product, %b {fastmathFlags = #llvm.fastmath<contract, reassoc>} : f32
  %wide = llvm.fpext %halves : f16 to f32
  %all = llvm.fdiv %sum, %wide : f32
  llvm.return %all : f32
}
