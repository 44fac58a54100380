// rota_call_traced(f, arg, tracing): calls f(arg). Its frame's personality routine sees every
// exception that leaves f while the stack still stands, and is told `tracing`, which is in rbx.

    .hidden DW.ref.rota_traced_personality
    .weak DW.ref.rota_traced_personality
    .section .data.rel.DW.ref.rota_traced_personality, "awG", @progbits, \
        DW.ref.rota_traced_personality, comdat
    .align 8
    .type DW.ref.rota_traced_personality, @object
    .size DW.ref.rota_traced_personality, 8
DW.ref.rota_traced_personality:
    .quad rota_traced_personality

    .text
    .globl rota_call_traced
    .hidden rota_call_traced
    .type rota_call_traced, @function
    .align 16
rota_call_traced:
    .cfi_startproc
    .cfi_personality 0x9b, DW.ref.rota_traced_personality
    pushq %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbx, 0
    movq %rdx, %rbx
    movq %rdi, %rax
    movq %rsi, %rdi
    call *%rax
    popq %rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbx
    ret
    .cfi_endproc
    .size rota_call_traced, . - rota_call_traced

    .section .note.GNU-stack, "", @progbits
