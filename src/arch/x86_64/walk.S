// rota_on_context(buf, f, arg): calls f(arg) as if the context in buf had called it, for the
// unwinder alone. The code runs on the caller's stack. The frame description says that the next
// frame's stack pointer, instruction pointer and frame pointer lie in buf. Nothing is written to
// the stack of buf.

    .text
    .globl rota_on_context
    .hidden rota_on_context
    .type rota_on_context, @function
    .align 16
rota_on_context:
    .cfi_startproc
    pushq %rbx
    movq %rdi, %rbx
    .cfi_escape 0x0f, 3, 0x73, 0, 0x06       // CFA: *(rbx + 0)
    .cfi_escape 0x10, 16, 2, 0x73, 8         // rip: saved at rbx + 8
    .cfi_escape 0x10, 6, 2, 0x73, 16         // rbp: saved at rbx + 16
    movq %rdx, %rdi
    call *%rsi
    popq %rbx
    ret
    .cfi_endproc
    .size rota_on_context, . - rota_on_context

    .section .note.GNU-stack, "", @progbits
