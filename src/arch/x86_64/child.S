// long rota_clone_child(unsigned long flags, void* top, void (*start)(void*), void* argument)
//
// The system call clone, with a stack for the child, which calls `start` there and never returns.
// Returns the child's number in the parent, or an errno value with its sign turned. The kernel
// keeps all registers but rax, rcx and r11, and gives the child a copy of them.

    .text
    .globl rota_clone_child
    .hidden rota_clone_child
    .type rota_clone_child, @function
    .align 16
rota_clone_child:
    .cfi_startproc
    movq %rdx, %r9          // start: no flag lets the kernel read the fifth and sixth argument
    movq %rcx, %r8          // argument
    xorl %edx, %edx
    xorl %r10d, %r10d
    movl $56, %eax          // clone
    syscall
    testq %rax, %rax
    jz 1f
    ret
1:  .cfi_undefined rip
    xorl %ebp, %ebp
    movq %r8, %rdi
    call *%r9
    ud2
    .cfi_endproc
    .size rota_clone_child, . - rota_clone_child

    .section .note.GNU-stack, "", @progbits
