// long rota_clone_child(unsigned long flags, void* top, void (*start)(void*), void* argument)
//
// The system call clone, with a stack for the child, which calls `start` there and never returns.
// Returns the child's number in the parent, or an errno value with its sign turned. The kernel
// keeps all general registers but x0, and gives the child a copy of them.

    .text
    .globl rota_clone_child
    .hidden rota_clone_child
    .type rota_clone_child, %function
    .align 4
rota_clone_child:
    .cfi_startproc
    mov x10, x2             // start
    mov x11, x3             // argument
    mov x2, xzr
    mov x3, xzr
    mov x4, xzr
    mov x8, #220            // clone
    svc #0
    cbz x0, 1f
    ret
1:  .cfi_undefined x30
    mov x29, xzr
    mov x0, x11
    blr x10
    brk #1
    .cfi_endproc
    .size rota_clone_child, . - rota_clone_child

    .section .note.GNU-stack, "", @progbits
