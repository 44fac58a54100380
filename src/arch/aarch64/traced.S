// rota_call_traced(f, arg, tracing): calls f(arg). Its frame's personality routine sees every
// exception that leaves f while the stack still stands, and is told `tracing`, which is in x19.

    .hidden DW.ref.rota_traced_personality
    .weak DW.ref.rota_traced_personality
    .section .data.rel.DW.ref.rota_traced_personality, "awG", @progbits, \
        DW.ref.rota_traced_personality, comdat
    .align 3
    .type DW.ref.rota_traced_personality, @object
    .size DW.ref.rota_traced_personality, 8
DW.ref.rota_traced_personality:
    .xword rota_traced_personality

    .text
    .globl rota_call_traced
    .hidden rota_call_traced
    .type rota_call_traced, %function
    .align 4
rota_call_traced:
    .cfi_startproc
    .cfi_personality 0x9b, DW.ref.rota_traced_personality
    stp x29, x30, [sp, #-32]!
    .cfi_adjust_cfa_offset 32
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    str x19, [sp, #16]
    .cfi_rel_offset x19, 16
    mov x29, sp
    mov x19, x2
    mov x9, x0
    mov x0, x1
    blr x9
    ldr x19, [sp, #16]
    .cfi_restore x19
    ldp x29, x30, [sp], #32
    .cfi_restore x30
    .cfi_restore x29
    .cfi_adjust_cfa_offset -32
    ret
    .cfi_endproc
    .size rota_call_traced, . - rota_call_traced

    .section .note.GNU-stack, "", @progbits
