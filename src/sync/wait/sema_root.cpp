// The treap of one root of the semaphore table. prev is the left child, next the right child.
#include "sync/wait/sema_root.hpp"

#include "base/check.hpp"

namespace rota::rt {

namespace {

bool before(const void* a, const void* b) {
    return reinterpret_cast<std::uintptr_t>(a) < reinterpret_cast<std::uintptr_t>(b);
}

}  // namespace

// The link that points, or would point, to the node of `address`.
sudog** sema_root::find(const void* address, sudog*& parent) {
    parent = nullptr;
    sudog** link = &treap_;
    while (*link != nullptr && (*link)->wait_on != address) {
        parent = *link;
        link = before(address, parent->wait_on) ? &parent->prev : &parent->next;
    }
    return link;
}

// Puts `by` at old's place in the tree.
void sema_root::replace(sudog& old, sudog& by) {
    by.ticket = old.ticket;
    by.parent = old.parent;
    by.prev = old.prev;
    by.next = old.next;
    if (by.prev != nullptr) by.prev->parent = &by;
    if (by.next != nullptr) by.next->parent = &by;
    if (by.parent == nullptr) treap_ = &by;
    else if (by.parent->prev == &old) by.parent->prev = &by;
    else by.parent->next = &by;
    old.parent = old.prev = old.next = nullptr;
}

void sema_root::queue(const void* address, sudog& s, bool lifo, std::uint32_t ticket) {
    s.wait_on = const_cast<void*>(address);
    s.prev = s.next = s.parent = s.wait_link = s.wait_tail = nullptr;
    sudog* parent = nullptr;
    sudog** const link = find(address, parent);
    if (sudog* const first = *link) {
        if (lifo) {
            replace(*first, s);
            s.wait_link = first;
            s.wait_tail = first->wait_tail != nullptr ? first->wait_tail : first;
            first->wait_tail = nullptr;
            return;
        }
        sudog* const last = first->wait_tail != nullptr ? first->wait_tail : first;
        last->wait_link = &s;
        first->wait_tail = &s;
        return;
    }
    s.ticket = ticket | 1;  // never 0: that means "not in the tree"
    s.parent = parent;
    *link = &s;
    while (s.parent != nullptr && s.parent->ticket > s.ticket) {
        if (s.parent->prev == &s) rotate_right(*s.parent);
        else rotate_left(*s.parent);
    }
}

const g* sema_root::first_at(const void* address) {
    sudog* parent = nullptr;
    const sudog* const s = *find(address, parent);
    return s == nullptr ? nullptr : s->gp;
}

sudog* sema_root::dequeue(const void* address) {
    sudog* parent = nullptr;
    sudog* const s = *find(address, parent);
    if (s == nullptr) return nullptr;
    if (sudog* const second = s->wait_link) {
        replace(*s, *second);
        second->wait_tail = s->wait_tail == second ? nullptr : s->wait_tail;
    } else {
        // Rotate s down to a leaf, keeping heap order, and cut it off.
        while (s->next != nullptr || s->prev != nullptr) {
            if (s->next == nullptr || (s->prev != nullptr && s->prev->ticket < s->next->ticket))
                rotate_right(*s);
            else rotate_left(*s);
        }
        if (s->parent == nullptr) treap_ = nullptr;
        else if (s->parent->prev == s) s->parent->prev = nullptr;
        else s->parent->next = nullptr;
    }
    s->parent = s->prev = s->next = s->wait_link = s->wait_tail = nullptr;
    s->ticket = 0;
    return s;
}

namespace {

const sudog* leftmost(const sudog* s) {
    while (s->prev != nullptr) s = s->prev;
    return s;
}

// In the order of addresses; null behind the last one.
const sudog* next_in_tree(const sudog* s) {
    if (s->next != nullptr) return leftmost(s->next);
    while (s->parent != nullptr && s->parent->next == s) s = s->parent;
    return s->parent;
}

}  // namespace

void sema_root::visit_waiters(void (*visit)(void* arg, const sudog& s), void* arg) const {
    if (treap_ == nullptr) return;
    for (const sudog* node = leftmost(treap_); node != nullptr; node = next_in_tree(node)) {
        for (const sudog* s = node; s != nullptr; s = s->wait_link) visit(arg, *s);
    }
}

//     p             p
//     |             |
//     x             y
//    / \     ->    / \        rotate_left(x); rotate_right(y) undoes it
//   a   y         x   c
//      / \       / \                  .
//     b   c     a   b
void sema_root::rotate_left(sudog& x) {
    sudog* const up = x.parent;
    sudog& y = *x.next;
    sudog* const b = y.prev;
    y.prev = &x;
    x.parent = &y;
    x.next = b;
    if (b != nullptr) b->parent = &x;
    y.parent = up;
    if (up == nullptr) treap_ = &y;
    else if (up->prev == &x) up->prev = &y;
    else up->next = &y;
}

void sema_root::rotate_right(sudog& y) {
    sudog* const up = y.parent;
    sudog& x = *y.prev;
    sudog* const b = x.next;
    x.next = &y;
    y.parent = &x;
    y.prev = b;
    if (b != nullptr) b->parent = &y;
    x.parent = up;
    if (up == nullptr) treap_ = &x;
    else if (up->prev == &y) up->prev = &x;
    else up->next = &x;
}

}  // namespace rota::rt
