// Maps, reductions, softmax, rows and checks at several vector widths against plain C.
// RUN: weft-opt %s --weft-assign-lowering="width=1 registers=16" --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.1.o
// RUN: cc -O1 %S/Inputs/elementwise.c %t.1.o -o %t.1.exe -lm && %t.1.exe
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16 threads=2" --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.8.o
// RUN: cc -O1 %S/Inputs/elementwise.c %t.8.o -o %t.8.exe -lm && %t.8.exe
// RUN: weft-opt %s --weft-assign-lowering="width=16" --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.16.o
// RUN: cc -O1 %S/Inputs/elementwise.c %t.16.o -o %t.16.exe -lm && %t.16.exe

module attributes {weft.symbols = #weft.bounds<T to 1024, S to 512>} {
func.func @add(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %b: memref<97xf32>, %out: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.map [t in T to 1024, d in D = 97] ins(%a[t, d], %b[d] : memref<?x97xf32>, memref<97xf32>) outs(%out : memref<?x97xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func @gather(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>}, %w: memref<100x13xf32>, %out: memref<13x?xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.map [d in D = 13, t in T to 1024] ins(%ids[t] : memref<?xi32>) outs(%out : memref<13x?xf32>) {
  ^bb0(%0: i32):
    %d = weft.index 0
    %i = arith.index_cast %0 : i32 to index
    %2 = weft.at %w[%i, %d] : memref<100x13xf32>
    weft.yield %2 : f32
  }
  return
}
func.func @mean(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<?xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.reduce mean [t in T to 1024, d in D = 97] ins(%a[t, d] : memref<?x97xf32>) outs(%out : memref<?xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %z = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %0, %z : f32
    weft.yield %p : i1
  }
  return
}
func.func @colmax(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<97xf32>) attributes {weft.kernel} {
  weft.reduce max [d in D = 97, t in T to 1024] ins(%a[t, d] : memref<?x97xf32>) outs(%out : memref<97xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
func.func @amax(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.reduce argmax [t in T to 1024, d in D = 97] ins(%a[t, d] : memref<?x97xf32>) outs(%out : memref<?xi32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
func.func @top(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<?x2xi32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.reduce argtop [t in T to 1024, j in 2, d in D = 97] ins(%a[t, d] : memref<?x97xf32>) outs(%out : memref<?x2xi32>) {
  ^bb0(%0: f32):
    %j = weft.index 1
    weft.yield %0, %j : f32, index
  }
  return
}
func.func @norm(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %w: memref<97xf32>, %out: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %means: memref<?xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.row axis 1 [t in T to 1024, d in D = 97] ins(%a[t, d], %w[d] : memref<?x97xf32>, memref<97xf32>) outs(%out, %means : memref<?x97xf32>, memref<?xf32>)
      attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>]} mean {
  ^bb0(%0: f32, %1: f32):
    weft.yield %0 : f32
  } mean {
  ^bb0(%mean: f32, %0: f32, %1: f32):
    %2 = arith.subf %0, %mean : f32
    %3 = arith.mulf %2, %2 : f32
    weft.yield %3 : f32
  } max {
  ^bb0(%mean: f32, %variance: f32, %0: f32, %1: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%mean: f32, %variance: f32, %max: f32, %0: f32, %1: f32):
    %c = arith.constant 1.0 : f32
    %2 = arith.subf %0, %mean : f32
    %3 = arith.addf %variance, %c : f32
    %4 = arith.divf %2, %3 : f32
    %5 = arith.mulf %4, %1 : f32
    %6 = arith.addf %5, %max : f32
    weft.yield %6, %mean : f32, f32
  }
  return
}
func.func @columns(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %mins: memref<97xf32>) attributes {weft.kernel} {
  weft.row axis 0 [t in T to 1024, d in D = 97] ins(%a[t, d] : memref<?x97xf32>) outs(%out, %mins : memref<?x97xf32>, memref<97xf32>)
      attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (d)>]} min {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%min: f32, %0: f32):
    %1 = arith.subf %0, %min : f32
    weft.yield %1, %min : f32, f32
  }
  return
}
func.func @softmax(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.softmax softmax axis 1 [t in T to 1024, d in D = 97] ins(%a[t, d] : memref<?x97xf32>) outs(%out : memref<?x97xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %t = weft.index 0
    %s = weft.index 1
    %c = arith.cmpi slt, %s, %t : index
    weft.yield %c : i1
  }
  return
}
func.func @lsoft(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<97x?xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.softmax log_softmax axis 0 [d in D = 97, t in T to 1024] ins(%a[t, d] : memref<?x97xf32>) outs(%out : memref<97x?xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
func.func @mm(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %w: memref<13x97xf32>, %bias: memref<13xf32>, %out: memref<?x13xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.contract [t in T to 1024, f in F = 13, d in D = 97] ins(%a[t, d], %w[f, d], %bias[f] : memref<?x97xf32>, memref<13x97xf32>, memref<13xf32>) outs(%out : memref<?x13xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func @check(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.check "range" [t in T to 1024] ins(%ids[t] : memref<?xi32>) {
  ^bb0(%0: i32):
    %c = arith.constant 100 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  return
}
func.func @inner(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.map [t in T to 1024, d in D = 97] outs(%out : memref<?x97xf32>) {
    %t = weft.index 0
    %d = weft.index 1
    %n = weft.size "T" : index
    %r = weft.inner sum (e in E = 5) {
    ^bb0(%e: index):
      %c = arith.addi %d, %e : index
      %c2 = arith.constant 2 : index
      %c3 = arith.subi %c, %c2 : index
      %x = weft.at %a[%t, %c3] : memref<?x97xf32>
      weft.yield %x : f32
    }
    %c7 = arith.constant 7 : index
    %q = arith.floordivsi %d, %c7 : index
    %qi = arith.index_cast %q : index to i32
    %qf = arith.sitofp %qi : i32 to f32
    %s = arith.addf %r, %qf : f32
    weft.yield %s : f32
  }
  return
}
}
