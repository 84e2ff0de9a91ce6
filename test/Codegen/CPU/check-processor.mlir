// RUN: weft-opt %s --weft-check-processor=features=avx,avx512f,amx-tile,amx-bf16 | FileCheck %s
// RUN: weft-opt %s --weft-check-processor=features=sse3,lzcnt | FileCheck %s --check-prefix=FEW
// RUN: weft-opt %s --weft-check-processor | FileCheck %s --check-prefix=NONE
// RUN: not weft-opt %s --weft-check-processor=features=wings 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Each word is asked for, and compared with what is needed of it: AVX with OSXSAVE, then what the leaves beyond have, if
// the processor knows them; the registers that the system keeps; the permission to use tiles. The answer is kept.
// CHECK: llvm.mlir.global internal @weft.processor.answer(0 : i32)
// CHECK: llvm.func internal @weft.processor() -> i32 attributes {target_cpu = "x86-64"}
// CHECK: %[[KEPT:.+]] = llvm.mlir.addressof @weft.processor.answer
// CHECK: llvm.load %[[KEPT]] atomic monotonic
// CHECK: "cpuid"
// CHECK: llvm.mlir.constant(402653184 : i32)
// CHECK: llvm.cond_br %{{.+}}, ^{{.+}}, ^[[FAIL:bb[0-9]+]]
// CHECK: llvm.icmp "uge"
// CHECK: "cpuid"
// CHECK: llvm.mlir.constant(65536 : i32)
// CHECK: llvm.mlir.constant(20971520 : i32)
// CHECK: ".byte 0x0f, 0x01, 0xd0"
// CHECK: llvm.mlir.constant(393446 : i32)
// CHECK: "syscall"
// CHECK: llvm.store %{{.+}}, %[[KEPT]] atomic monotonic
// CHECK: llvm.return
// CHECK: ^[[FAIL]]:
// CHECK: llvm.mlir.constant(9 : i32)
// CHECK: llvm.store
// CHECK: llvm.mlir.constant(8 : i32)
// CHECK: llvm.return

// FEW: "cpuid"
// FEW: llvm.mlir.constant(1 : i32)
// FEW: llvm.mlir.constant(-2147483647 : i32)
// FEW: llvm.mlir.constant(32 : i32)
// FEW-NOT: ".byte
// FEW-NOT: "syscall"

// NONE-NOT: weft.processor
// UNKNOWN: no processor can be asked for the feature 'wings'
module {
}
