// rota_on_context(buf, f, arg): calls f(arg) as if the context in buf had called it, for the
// unwinder alone. The code runs on the caller's stack. The frame description says that the next
// frame's stack pointer, instruction pointer and frame pointer lie in buf. Nothing is written to
// the stack of buf.

    .text
    .globl rota_on_context
    .hidden rota_on_context
    .type rota_on_context, %function
    .align 4
rota_on_context:
    .cfi_startproc
    stp x19, x30, [sp, #-16]!
    mov x19, x0
    .cfi_escape 0x0f, 3, 0x83, 0, 0x06       // CFA: *(x19 + 0)
    .cfi_escape 0x10, 30, 2, 0x83, 8         // x30: saved at x19 + 8
    .cfi_escape 0x10, 29, 2, 0x83, 16        // x29: saved at x19 + 16
    mov x0, x2
    blr x1
    ldp x19, x30, [sp], #16
    ret
    .cfi_endproc
    .size rota_on_context, . - rota_on_context

    .section .note.GNU-stack, "", @progbits
