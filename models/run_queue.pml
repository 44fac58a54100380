/* A p's run queue: ring and runnext, with its owner, two thieves, overflow, and who asks "empty?".
 *
 * 4 slots and 3-bit indices that begin just before they wrap. The owner puts goroutines, each in
 * runnext or at the tail, and takes as it likes in between; thieves take half of the ring, and
 * runnext through its gate. A full ring spills half to the global queue. The owner's restartable
 * sequence at runnext (sys/thread/asymmetric.hpp) is a load, a compare and a store with steps of others in
 * between, which restart_owners() breaks off; the owner may use a locked instruction at any time.
 *
 * Claims, for every interleaving (kb16): each goroutine comes out exactly once, and none is left;
 * runq_empty() does not say "empty" while a goroutine is there that was there before it looked,
 * unless the owner is in the middle of a put: what it exchanges out of runnext is in its hands until
 * it is in the ring, and a wakep follows.
 *
 * Every access to a shared word is a step. Memory is sequentially consistent here; the orders that
 * make it so are the explorer's business (tests/model). Labels and inlines carry the names of
 * src/sched/queue/run_queue.cpp. A thief's own ring is left out: what it has copied and won is out. With
 * 3 bits and fewer than 8 goroutines no index comes round to the same value.
 *
 * BUG reverts one step, and the check must then fail:
 *   1 kb16  a thief advances the head before it has copied
 *   2 kb16  the owner takes from the ring by a plain store
 *   3 kb16  a put publishes the tail before it has filled the slot
 *   4 kb16  a thief empties runnext without restarting the owner
 *   5 kb16  a thief empties runnext by a plain store
 *   6 kb16  overflow spills what thieves have taken meanwhile
 *   7 kb01  runq_empty does not look at runnext
 *   8 kb16  a thief does not look again whether the head is where it copied from
 */
#ifndef BUG
#define BUG 0
#endif

#define SLOTS 4
#define index(i) ((i) & 7)
#define slot(i) ring[(i) & 3]
#define length(h, t) (((t) - (h)) & 7)
#define bit_of(gp) (1 << ((gp) - 1))

byte ring[SLOTS];
byte head = 6, tail = 6;
byte runnext;
bit gate;
bit sequence, restarted;  /* the owner is inside its sequence; somebody has asked it to start over */
byte here, out;           /* sets: being put, or put, and not yet taken; taken */
byte there;               /* those that have been put */
bit putting, disturbed;   /* the owner is putting; it has done so while the looker looked */
byte last;                /* the goroutine that it puts last */
bit nexts;                /* puts into runnext, too */

inline comes_out(gp) {
    assert(gp != 0 && (here & bit_of(gp)) != 0 && (out & bit_of(gp)) == 0);
    here = here & ~bit_of(gp);
    there = there & ~bit_of(gp);
    out = out | bit_of(gp)
}

/* A get has taken it; a put carries it on to the ring. */
#define retaken_next(desired) there = there & ~((desired) == 0 && old != 0 -> bit_of(old) : 0)

/* What runnext held is in old. */
inline owner_exchange(desired) {
    if
    :: atomic { sequence = 1; locked = 1 };
        if
        :: gate != 0
        :: else ->
            old = runnext;
            atomic {
                if
                :: restarted -> old = 0
                :: else -> runnext = desired; locked = 0; retaken_next(desired)
                fi
            }
        fi;
        atomic { sequence = 0; restarted = 0 }
    :: atomic { true -> locked = 1 }
    fi;
    if
    :: locked -> atomic { old = runnext; runnext = desired; locked = 0; retaken_next(desired) }
    :: else
    fi
}

inline ring_put(gp) {
    do
    :: h = head;
        if
        :: length(h, tail) != SLOTS ->
#if BUG == 3
            tail = index(tail + 1);
            slot(tail - 1) = gp;
#else
            slot(tail) = gp;
            tail = index(tail + 1);
#endif
            break
        :: else ->  /* put_slow: what we stored ourselves */
            atomic {
                first = slot(h);
                second = slot(h + 1);
                if
                :: head == h || BUG == 6 ->
                    head = index(h + 2);
                    comes_out(first);
                    comes_out(second);
                    comes_out(gp);
                    first = 0; second = 0;
                    break
                :: else -> first = 0; second = 0
                fi
            }
        fi
    od;
    h = 0
}

inline runq_get() {
    if
    :: runnext != 0 -> owner_exchange(0)
    :: else
    fi;
    do
    :: atomic { old != 0 -> comes_out(old); old = 0; break }
    :: old == 0 ->
        h = head;
        if
        :: h == tail -> break
        :: else
        fi;
        atomic {
            if
            :: head == h || BUG == 2 -> head = index(h + 1); comes_out(slot(h)); break
            :: else
            fi
        }
    od;
    h = 0
}

proctype owner(byte gp) {
    byte old, h, first, second;
    bit locked;
    do
    :: gp <= last ->
        atomic { here = here | bit_of(gp); putting = 1; disturbed = 1 };
        if  /* runq_put */
        :: nexts -> owner_exchange(gp);
            if
            :: old != 0 -> ring_put(old); old = 0
            :: else
            fi
        :: true -> ring_put(gp)
        fi;
        atomic { there = there | (bit_of(gp) & here); putting = 0; gp++ };
        if
        :: true -> runq_get()
        :: true
        fi
    :: gp > last && (head != tail || runnext != 0) -> runq_get()
    :: gp > last && head == tail && runnext == 0 -> break
    od
}

proctype thief(byte rounds) {
    byte h, t, n, first, second;
    bit won;
    do
    :: rounds == 0 -> break
    :: else ->
        rounds--;
        h = head;  /* grab */
        t = tail;
        atomic { n = length(h, t); n = n - n / 2; t = 0 };
        if
        :: n == 0 || n > SLOTS / 2
        :: else ->
#if BUG == 1
            atomic { won = (head == h); head = (won -> index(h + n) : head) };
#endif
            first = slot(h);
            if
            :: n == 2 -> second = slot(h + 1)
            :: else
            fi;
            atomic {
#if BUG != 1
                won = (head == h || BUG == 8);
                head = (won -> index(h + n) : head);
#endif
                if
                :: won -> comes_out(first);
                    if
                    :: n == 2 -> comes_out(second)
                    :: else
                    fi
                :: else
                fi;
                won = 0; first = 0; second = 0
            }
        fi;
        h = 0;
        if
        :: n == 0 && nexts ->  /* grab_runnext */
            first = runnext;
            if
            :: first != 0 ->
                atomic {
                    if
                    :: !gate -> gate = 1; won = 1
                    :: else
                    fi
                };
                if
                :: won ->
#if BUG != 4
                    atomic { restarted = sequence };  /* restart_owners */
#endif
                    atomic {
                        if
                        :: runnext == first || BUG == 5 -> runnext = 0; comes_out(first)
                        :: else
                        fi
                    };
                    atomic { gate = 0; won = 0 }
                :: else
                fi
            :: else
            fi;
            first = 0
        :: else
        fi;
        n = 0
    od
}

/* runq_empty, by an m that looks a last time. */
proctype looker() {
    byte before, t;
    bit next, ring_empty;
    atomic { before = there; disturbed = putting };
#if BUG != 7
    next = (runnext != 0);
#endif
    t = tail;
    ring_empty = (head == t);
    assert(disturbed || next || !ring_empty || (before & there) == 0)
}

init {
    atomic {
        if
        :: nexts = 1; last = 2; run owner(1); run looker(); run thief(1); run thief(1)
        :: last = 6; ring[2] = 1; ring[3] = 2; ring[0] = 3; tail = index(head + 3); here = 7; run owner(4); run thief(1); run thief(1)
        fi
    };
    timeout;
    assert(here == 0 && out == (1 << last) - 1 && head == tail && runnext == 0 && !gate)
}
