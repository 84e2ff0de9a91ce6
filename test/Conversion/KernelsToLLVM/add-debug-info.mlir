// Every function gets a subprogram, and every op one place: of fused formulas the last one, which the result stands for.
// RUN: weft-opt %s --weft-add-debug-info='directory=/home/models files=nn.weft=m.weft.d/nn.weft,<library>/far.weft=/far.weft' --mlir-print-debuginfo | FileCheck %s
// RUN: weft-opt %s --weft-add-debug-info='optimized=false' --mlir-print-debuginfo | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: llvm.func @entry
llvm.func @entry(%x: i64) -> i64 {
  // CHECK: llvm.add {{.*}} loc(#[[L5:.*]])
  %a = llvm.add %x, %x : i64 loc(fused["m.weft":4:1, fused["nn.weft":1:1, "m.weft":5:2]])
  // CHECK: llvm.add {{.*}} loc(#[[OF_NN:.*]])
  %b = llvm.add %a, %x : i64 loc(fused["m.weft":4:1, "nn.weft":9:4])
  // CHECK: llvm.add {{.*}} loc(#[[L5]])
  %c = llvm.add %b, %x : i64 loc("name"("m.weft":5:2))
  // What comes from nowhere stands where its function does.
  // CHECK: llvm.add {{.*}} loc(#[[L3:.*]])
  %d = llvm.add %c, %x : i64 loc(unknown)
  llvm.return %d : i64 loc(unknown)
  // CHECK: } loc(#[[ENTRY:.*]])
} loc("m.weft":3:1)

// CHECK-LABEL: llvm.func internal @layer
llvm.func internal @layer(%x: i64) -> i64 {
  // CHECK: llvm.add {{.*}} loc(#[[OF_FAR:.*]])
  %a = llvm.add %x, %x : i64 loc(callsite("<library>/far.weft":2:2 at "nn.weft":8:1))
  llvm.return %a : i64 loc("nn.weft":8:1)
  // CHECK: } loc(#[[LAYER:.*]])
} loc("nn.weft":7:1)

// A declaration has no lines.
// CHECK: llvm.func @weft_parallel_for{{.*}} loc(#[[NONE:.*]])
llvm.func @weft_parallel_for(!llvm.ptr, !llvm.ptr, i64) loc(unknown)

// CHECK-DAG: #[[NONE]] = loc(unknown)
// CHECK-DAG: #[[L3]] = loc("m.weft":3:1)
// CHECK-DAG: #[[L5]] = loc("m.weft":5:2)
// CHECK-DAG: #[[L7:.*]] = loc("nn.weft":7:1)
// CHECK-DAG: #[[L9:.*]] = loc("nn.weft":9:4)
// CHECK-DAG: #[[L2:.*]] = loc("<library>/far.weft":2:2)
// CHECK-DAG: #[[M:.*]] = #llvm.di_file<"m.weft" in "/home/models">
// CHECK-DAG: #[[NN:.*]] = #llvm.di_file<"m.weft.d/nn.weft" in "/home/models">
// CHECK-DAG: #[[FAR:.*]] = #llvm.di_file<"/far.weft" in "">
// CHECK: #[[UNIT:.*]] = #llvm.di_compile_unit<{{.*}}sourceLanguage = DW_LANG_C99, {{.*}}producer = "weftc {{.*}}", isOptimized = true, emissionKind = Full>
// CHECK: #[[ENTRY_DI:.*]] = #llvm.di_subprogram<{{.*}}compileUnit = #[[UNIT]], {{.*}}name = "entry", linkageName = "entry", file = #[[M]], line = 3, scopeLine = 3, subprogramFlags = "Definition|Optimized"
// CHECK: #[[LAYER_DI:.*]] = #llvm.di_subprogram<{{.*}}name = "layer", linkageName = "layer", file = #[[NN]], line = 7, scopeLine = 7, subprogramFlags = "LocalToUnit|Definition|Optimized"
// CHECK: #[[NN_DI:.*]] = #llvm.di_lexical_block_file<scope = #[[ENTRY_DI]], file = #[[NN]], discriminator = 0>
// CHECK: #[[FAR_DI:.*]] = #llvm.di_lexical_block_file<scope = #[[LAYER_DI]], file = #[[FAR]], discriminator = 0>
// CHECK-DAG: #[[ENTRY]] = loc(fused<#[[ENTRY_DI]]>[#[[L3]]])
// CHECK-DAG: #[[LAYER]] = loc(fused<#[[LAYER_DI]]>[#[[L7]]])
// CHECK-DAG: #[[OF_NN]] = loc(fused<#[[NN_DI]]>[#[[L9]]])
// CHECK-DAG: #[[OF_FAR]] = loc(fused<#[[FAR_DI]]>[#[[L2]]])

// PLAIN-DAG: #llvm.di_file<"nn.weft" in "">
// PLAIN-DAG: isOptimized = false
// PLAIN-DAG: subprogramFlags = Definition,
