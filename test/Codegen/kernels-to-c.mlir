// A second target, in a folder of its own (test/lib/CText): the emitters that know no processor write kernels as plain C.
// RUN: weft-opt %S/../Execution/Kernels/elementwise.mlir --test-kernels-to-c -o /dev/null > %t.c
// RUN: cc -O1 %S/../Execution/Kernels/Inputs/elementwise.c %t.c -o %t.exe -lm && %t.exe
// RUN: weft-opt %s --test-kernels-to-c -o /dev/null | FileCheck %s

// CHECK: void copy(char * [[X:v[0-9]+]], char * [[Y:v[0-9]+]], int64_t [[T:v[0-9]+]], char * {{v[0-9]+}})
// CHECK: int64_t [[N:v[0-9]+]] = [[T]];
// CHECK: for (int64_t [[I:v[0-9]+]] = {{.*}}; [[I]] < [[N]]; [[I]] +=
// CHECK: *(float *){{.*}} = {{v[0-9]+}};
module attributes {weft.symbols = #weft.bounds<T to 8, S to 4>} {
func.func @copy(%x: memref<?xf32> {weft.bounds = #weft.bounds<T to 8>}, %y: memref<?xf32> {weft.bounds = #weft.bounds<T to 8>}) attributes {weft.kernel} {
  weft.map [t in T to 8] ins(%x[t] : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
}
