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
    .align 8
    .type DW.ref.rota_goroutine_personality, @object
    .size DW.ref.rota_goroutine_personality, 8
DW.ref.rota_goroutine_personality:
    .quad rota_goroutine_personality

    .text
    .globl rota_gostart
    .hidden rota_gostart
    .type rota_gostart, @function
    .align 16
rota_gostart:
    .cfi_startproc
    .cfi_personality 0x9b, DW.ref.rota_goroutine_personality
    .cfi_undefined rip
    .cfi_undefined rbp
    xorl %ebp, %ebp
    xorl %ebx, %ebx
    xorl %r12d, %r12d
    xorl %r13d, %r13d
    xorl %r14d, %r14d
    xorl %r15d, %r15d
    leaq 1f(%rip), %rax
    pushq %rax
    jmp rota_goroutine_main
1:  ud2
    .cfi_endproc
    .size rota_gostart, . - rota_gostart

    .section .note.GNU-stack, "", @progbits
