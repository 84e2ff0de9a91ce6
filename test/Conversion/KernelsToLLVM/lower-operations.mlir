// RUN: weft-opt %s --weft-lower-operations=libm=true | FileCheck %s
// RUN: weft-opt %s --weft-lower-operations | FileCheck %s --check-prefix=APART
// RUN: weft-opt %s --weft-lower-operations=reassociate=true | FileCheck %s --check-prefix=ANY

// One conversion: index is i64 from the argument to the result, without casts.
// CHECK-LABEL: llvm.func @numbers(%arg0: i64, %arg1: f32) -> i64
// CHECK-NOT: unrealized_conversion_cast
// CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i64
// CHECK: llvm.cond_br
func.func @numbers(%i: index, %x: f32) -> index {
  %one = arith.constant 1 : index
  %small = arith.cmpi slt, %i, %one : index
  cf.cond_br %small, ^first, ^second
^first:
  %sum = arith.addi %i, %one : index
  return %sum : index
^second:
  return %i : index
}

// What has an intrinsic is none of libm's; what has none is called for each lane, or left.
// CHECK-LABEL: llvm.func @functions
// CHECK-COUNT-2: llvm.call @cbrtf
// CHECK: llvm.intr.sqrt(%{{.*}}) : (vector<2xf32>) -> vector<2xf32>
// APART-LABEL: llvm.func @functions
// APART: math.cbrt
// APART: llvm.intr.sqrt
func.func @functions(%x: vector<2xf32>) -> vector<2xf32> {
  %cube = math.cbrt %x : vector<2xf32>
  %root = math.sqrt %cube : vector<2xf32>
  return %root : vector<2xf32>
}

// Slices and halves of vectors are shuffles; a sum keeps its order unless it need not.
// CHECK-LABEL: llvm.func @vectors
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [2, 3] : vector<4xf32>
// CHECK: llvm.shufflevector
// CHECK-NOT: = vector.
// APART-LABEL: llvm.func @vectors
// APART: "llvm.intr.vector.reduce.fadd"(%{{.*}}) <{fastmathFlags = #llvm.fastmath<none>}>
// ANY-LABEL: llvm.func @vectors
// ANY: "llvm.intr.vector.reduce.fadd"(%{{.*}}) <{fastmathFlags = #llvm.fastmath<reassoc>}>
func.func @vectors(%x: vector<4xf32>, %y: vector<4xf32>) -> (vector<4xf32>, f32) {
  %high = vector.extract_strided_slice %x {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  %put = vector.insert_strided_slice %high, %y {offsets = [0], strides = [1]} : vector<2xf32> into vector<4xf32>
  %sum = vector.reduction <add>, %x : vector<4xf32> into f32
  return %put, %sum : vector<4xf32>, f32
}

// Branches that do the same are one: joined kernels have the same product in several.
// CHECK-LABEL: llvm.func @same
// CHECK-COUNT-1: llvm.fmul
// CHECK-NOT: llvm.fmul
// CHECK: llvm.return
func.func @same(%which: i32, %x: f32) -> f32 {
  cf.switch %which : i32, [default: ^third(%x : f32), 0: ^first, 1: ^second]
^first:
  %a = arith.mulf %x, %x : f32
  cf.br ^third(%a : f32)
^second:
  %b = arith.mulf %x, %x : f32
  cf.br ^third(%b : f32)
^third(%result: f32):
  return %result : f32
}

// Loops are none of its business, and what is in them is.
// CHECK-LABEL: llvm.func @loop
// CHECK: scf.for
// CHECK: llvm.fadd
func.func @loop(%n: index, %x: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = scf.for %i = %zero to %n step %one iter_args(%carried = %x) -> f32 {
    %next = arith.addf %carried, %x : f32
    scf.yield %next : f32
  }
  return %sum : f32
}
