// rota_gostart: where a new goroutine begins, on its own empty stack, 16-byte aligned.
//
// The frame pointer is zero and the return address is undefined: a walk of the stack, by frame
// pointers or by CFI, ends here. The personality routine sees every exception that no frame above
// has caught. The callee-saved registers are zero as well. A pointer that the thread has left in
// one would stand on this stack for as long as the goroutine lives, and keep objects from being
// found unreachable (diag/leak/unreachable).
//
// It reaches rota_goroutine_main by a jump with a return address where a call would do: see
// sched/loop/goroutine.cpp.

    .hidden DW.ref.rota_goroutine_personality
    .weak DW.ref.rota_goroutine_personality
    .section .data.rel.DW.ref.rota_goroutine_personality, "awG", @progbits, \
        DW.ref.rota_goroutine_personality, comdat
    .align 3
    .type DW.ref.rota_goroutine_personality, @object
    .size DW.ref.rota_goroutine_personality, 8
DW.ref.rota_goroutine_personality:
    .xword rota_goroutine_personality

    .text
    .globl rota_gostart
    .hidden rota_gostart
    .type rota_gostart, %function
    .align 4
rota_gostart:
    .cfi_startproc
    .cfi_personality 0x9b, DW.ref.rota_goroutine_personality
    .cfi_undefined x30
    .cfi_undefined x29
    mov x29, xzr
    mov x19, xzr
    mov x20, xzr
    mov x21, xzr
    mov x22, xzr
    mov x23, xzr
    mov x24, xzr
    mov x25, xzr
    mov x26, xzr
    mov x27, xzr
    mov x28, xzr
    movi d8, #0
    movi d9, #0
    movi d10, #0
    movi d11, #0
    movi d12, #0
    movi d13, #0
    movi d14, #0
    movi d15, #0
    adr x30, 1f
    b rota_goroutine_main
1:  brk #1
    .cfi_endproc
    .size rota_gostart, . - rota_gostart

    .section .note.GNU-stack, "", @progbits
