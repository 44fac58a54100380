/* Stopping the world: begin_stop, press and give_to_stopper against the ends of system calls, sysmon's
 * retake and threads that are still to be made.
 *
 * 2 ps, 3 ms, and up to 3 more that startm makes. The world is stopped twice by a thread without a p. On p 0 goroutine 1 goes through
 * system calls and ends; p 1 is with an m whose thread is still to be made, which may take as long as
 * it likes, also until the world goes on; goroutine 2 waits in its queue. sysmon takes ps from system
 * calls and hands them on.
 *
 * Claims, for every interleaving: while the world is stopped no p is anybody's but the stopper's, and
 * no goroutine holds one (kb06); each p is counted once; a stop comes to its end, however long a
 * thread takes to be made or a call to return (kb06); when nothing moves any more both goroutines
 * have ended (kb06, kb07).
 *
 * Every read or write of what others may touch without a lock is a step of its own; what is touched
 * under sched.mu alone is one step with its neighbours. Labels and inlines carry the names of
 * src/sched/{stw,syscall,idle,m_lifecycle,findrunnable}.cpp.
 *
 * Left out: who computes without end (its p is taken as by retake_p: see the explorer's retake_test), the
 * poller and timers, spinning (an m that has no work gives its p up at once; whoever queues a
 * goroutine takes an idle p for it, as wakep does), GOMAXPROCS itself.
 *
 * BUG reverts one step, and the check must then fail:
 *   1 kb06  a stop takes no ps out of system calls: it waits for the call
 *   2 kb06  ps that enter a system call after the stop has begun are taken by nobody
 *   3 kb06  a p that is given up while the world stops goes to the idle list
 *   4 kb06  a p whose m is still to be made is waited for
 *   5 kb06  exitsyscall takes its old p by a store, not by an exchange
 *   6 kb06  the new thread takes the p that it was made for without asking whether it still has it
 *   7 kb06  who starts the world looks at the ps' queues only, and not at the global one
 *   8 kb07  who starts the world idles every p, whatever waits in its queue
 */
#ifndef BUG
#define BUG 0
#endif

#define PS 2
#define IDLE 0
#define RUNNING 1
#define SYSCALL 2
#define STOPPED 3 /* gcstop */
#define NONE 9
#define MS 6

#define bit_of(i) (1 << (i))

byte status[PS] = RUNNING;
byte ring[PS];              /* what waits on the p: a set of goroutines */
byte global;                /* the same, under mu */
byte idle_p;                /* a set, under mu */
byte holder[PS] = NONE;     /* which m has it; for the claims */
bit world_stops;            /* under mu; read without it as a hint (stop_wanted) */
byte stop_wait;
bit stopped;                /* the stopper says so; for the claims */
byte ended;                 /* a set of goroutines */
byte ms = 3;
byte next_p[MS] = NONE;      /* given to an m that sleeps, or is to be made */
bit starting_ms;                 /* m 1 is on sched.starting_ms */
byte k;                     /* a step's own */
byte idle_m;                /* a set: ms that sleep */
bit stops_over;

inline holds(i, me) {
    assert(!stopped);
    assert(holder[i] == NONE);
    holder[i] = me
}

/* under mu: i has been given up by whoever held it */
inline give_to_stopper(i) {
    status[i] = STOPPED;
    assert(stop_wait > 0);
    stop_wait--
}

/* under mu */
inline pidle_put(i) {
    if
#if BUG != 3
    :: world_stops -> give_to_stopper(i)
    :: else -> status[i] = IDLE; idle_p = idle_p | bit_of(i)
#else
    :: status[i] = IDLE; idle_p = idle_p | bit_of(i)
#endif
    fi
}

/* under mu: an m for p i, one that sleeps or a new one */
inline startm(i) {
    status[i] = RUNNING;
    if
    :: idle_m == 0 -> assert(ms < MS); run m(ms, i, 0); ms++
    :: else ->
        k = 0;
        do
        :: !(idle_m & bit_of(k)) -> k++
        :: else -> break
        od;
        idle_m = idle_m & ~bit_of(k);
        next_p[k] = i;
        k = 0
    fi
}

/* under mu: an idle p for what has just been queued */
inline wakep() {
    if
    :: idle_p & 1 -> idle_p = idle_p & ~1; startm(0)
    :: !(idle_p & 1) && (idle_p & 2) -> idle_p = idle_p & ~2; startm(1)
    :: else
    fi
}

/* An m: with p `mine`, or NONE. Goroutine 1 makes `calls` system calls. */
proctype m(byte me; byte mine; byte calls) {
    byte gp, old;
    if
    :: atomic { mine != NONE -> holds(mine, me) }; goto schedule
    :: mine == NONE
    fi;

stopm:
    atomic {
        if
        :: global != 0 && idle_p != 0 ->  /* looked at again under mu */
            if
            :: idle_p & 1 -> mine = 0
            :: !(idle_p & 1) -> mine = 1
            fi;
            idle_p = idle_p & ~bit_of(mine);
            status[mine] = RUNNING;
            holds(mine, me);
            goto schedule
        :: else -> idle_m = idle_m | bit_of(me)
        fi
    };
end_sleeps:
    atomic { next_p[me] != NONE -> mine = next_p[me]; next_p[me] = NONE; holds(mine, me) };

schedule:
    if  /* honour_stops */
    :: world_stops ->
        atomic {
            if
            :: world_stops -> holder[mine] = NONE; give_to_stopper(mine); mine = NONE
            :: else
            fi
        };
        if
        :: mine == NONE -> goto stopm
        :: else
        fi
    :: else
    fi;
    atomic {  /* findrunnable */
        if
        :: ring[mine] & 1 -> gp = 1; ring[mine] = ring[mine] & ~1
        :: ring[mine] & 2 -> gp = 2; ring[mine] = ring[mine] & ~2
        :: ring[mine] == 0 && (global & 1) -> gp = 1; global = global & ~1
        :: ring[mine] == 0 && (global & 2) -> gp = 2; global = global & ~2
        :: ring[mine] == 0 && global == 0 ->
            holder[mine] = NONE;
            pidle_put(mine);
            mine = NONE;
            goto stopm
        fi
    };
    if
    :: gp == 1 && calls > 0 -> calls--
    :: else -> ended = ended | gp; goto schedule
    fi;

entersyscall:
    old = mine;
    atomic { assert(!stopped); holder[mine] = NONE; status[mine] = SYSCALL };
    mine = NONE;

exitsyscall:  /* at any time, or only when the world goes on: the stopper does not wait for it */
    if
    :: true
    :: true -> stops_over
    fi;
#if BUG == 5
    if
    :: status[old] == SYSCALL -> status[old] = RUNNING; mine = old; atomic { holds(old, me) }
#else
    if
    :: atomic { status[old] == SYSCALL -> status[old] = RUNNING; mine = old; holds(old, me) }
#endif
    :: else ->
        atomic {  /* take_idle_p, after_slow_exit */
            if
            :: idle_p & 1 -> mine = 0
            :: !(idle_p & 1) && (idle_p & 2) -> mine = 1
            :: idle_p == 0 -> global = global | 1
            fi;
            if
            :: mine != NONE ->
                idle_p = idle_p & ~bit_of(mine);
                status[mine] = RUNNING;
                holds(mine, me)
            :: else
            fi
        }
    fi;
    if
    :: mine == NONE -> goto stopm
    :: else -> ring[mine] = ring[mine] | 1; goto schedule
    fi
}

/* The thread of m 1, which was made for p 1. */
proctype newborn() {
    if
    :: true
    :: true -> stops_over
    fi;
    atomic {  /* finish_start */
#if BUG == 6
        if
        :: starting_ms -> starting_ms = 0
        :: else
        fi;
        next_p[1] = NONE;
        status[1] = RUNNING;
        run m(1, 1, 0)
#else
        starting_ms = 0;
        if
        :: next_p[1] != NONE -> next_p[1] = NONE; run m(1, 1, 0)
        :: else -> run m(1, NONE, 0)
        fi
#endif
    }
}

/* Takes ps from system calls and hands them on, if it comes to look. */
proctype sysmon() {
    byte i;
    byte left = 2;
    do
    :: left > 0 ->
        if
        :: i = 0
        :: i = 1
        fi;
        left--;
        if
        :: atomic { status[i] == SYSCALL -> status[i] = RUNNING }; /* retake_syscall_p */
            atomic {  /* handoffp */
                if
                :: ring[i] != 0 || global != 0 -> startm(i)
                :: else -> pidle_put(i)
                fi
            }
        :: status[i] != SYSCALL
        fi
    :: break
    od
}

inline take_syscall_p(i) {
    if
    :: status[i] == SYSCALL -> status[i] = STOPPED; stop_wait--
    :: else
    fi
}

inline take_unborn() {
    if
    :: starting_ms -> starting_ms = 0; next_p[1] = NONE; status[1] = STOPPED; stop_wait--
    :: else
    fi
}

/* A thread without a p that stops the world, twice. */
proctype stopper() {
    byte times = 1;
    byte i;
again:
    atomic {  /* begin_stop */
        stop_wait = PS;
        world_stops = 1;
        if
        :: idle_p & 1 -> status[0] = STOPPED; stop_wait--
        :: else
        fi;
        if
        :: idle_p & 2 -> status[1] = STOPPED; stop_wait--
        :: else
        fi;
        idle_p = 0;
#if BUG != 1
        take_syscall_p(0);
        take_syscall_p(1);
#endif
#if BUG != 4
        take_unborn()
#endif
    };
end_waits:
    do
    :: stop_wait == 0 -> break
#if BUG != 1 && BUG != 2
    :: atomic { status[0] == SYSCALL -> take_syscall_p(0) }  /* press */
    :: atomic { status[1] == SYSCALL -> take_syscall_p(1) }
#endif
    od;
    atomic {
        stopped = 1;
        assert(holder[0] == NONE && holder[1] == NONE);
        assert(status[0] == STOPPED && status[1] == STOPPED)
    };
    /* what the world was stopped for */
    atomic {  /* start_the_world */
        stopped = 0;
        world_stops = 0;
        i = 0;
        do
        :: i < PS ->
            if
#if BUG != 8
            :: ring[i] != 0 -> startm(i)
#endif
            :: else -> status[i] = IDLE; idle_p = idle_p | bit_of(i)
            fi;
            i++
        :: else -> break
        od;
#if BUG != 7
        if
        :: global != 0 -> wakep()
        :: else
        fi
#endif
    };
    times--;
    if
    :: times > 0 -> goto again
    :: else -> stops_over = 1
    fi
}

init {
    atomic {
        ring[0] = 1;
        ring[1] = 2;
        next_p[1] = 1;
        starting_ms = 1;
        run m(0, 0, 2);
        run m(2, NONE, 0);
        run newborn();
        run sysmon();
        run stopper()
    };
    timeout;
    assert(stops_over);
    assert(ended == 3)
}
