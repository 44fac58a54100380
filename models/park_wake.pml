/* The wake-up protocol: park, ready, wakep, spinning, need_spinning, handoffp and the last look.
 *
 * 2 ps, 3 ms, up to 3 submissions, in several scenes: goroutine 1 starts goroutine 2, and ends or
 * parks; a foreign thread starts goroutine 4 and readies goroutine 1; sysmon hands on a p that it has
 * taken from a system call. One goroutine computes for ever and gives its p to nobody: all others
 * must find another one. (Goroutines are 1, 2 and 4: bits of a set.)
 *
 * Claims, for every interleaving: when nothing moves any more there is no runnable goroutine beside
 * an idle p (kb01, kb02); a goroutine runs on one m at a time and only from saved registers (kb04);
 * no wake-up of an m is lost (kb03); counts and lists agree (kb05); a p that is handed on with work
 * in its queue finds an m (kb07). Nothing runs in circles: the search for work ends (-DNP).
 *
 * Every read or write of what others may touch without a lock is a step of its own; what is touched
 * under sched.mu alone is one step with its neighbours. Memory is sequentially consistent
 * here: that the fences make it so is the business of the explorer (tests/model). Labels and inlines
 * carry the names of src/sched/{wakeup,findrunnable,idle,m_lifecycle,park,schedule}.cpp.
 *
 * Left out: timers and the poller, ticks, run()'s home thread, wait_for_work (it repeats from_global
 * and from_other_ps), wake-ups that are left to sysmon (owed_wakeups.pml), more than 3 ms (startm
 * waits for one that is on its way to the idle list).
 * A run queue is a set here; run_queue.pml has its inside.
 *
 * BUG reverts one step, and the check must then fail:
 *   1 kb01  the last look comes before the spinner is taken off the count
 *   2 kb01  no last look
 *   3 kb02  a spinner that finds work wakes no successor
 *   4 kb01  wakep sees no idle p and leaves no word in need_spinning
 *   5 kb01  an m that has not spun gives up its p without reading need_spinning afterwards
 *   6 kb07  handoffp idles the p without reading need_spinning afterwards
 *   7 kb01  the submitter looks for idle ps before it queues (what a missing fence amounts to)
 *   8 kb04  the list is unlocked before the registers are saved
 *   9 kb03  a wake-up of an m that does not sleep yet leaves no token
 *  10 kb01  the last look reads the global queue behind the ps' queues
 *  11 kb05  startm takes an m without taking it off the idle list
 *  12 kb07  handoffp idles a p although there is work in its queue
 */
#ifndef BUG
#define BUG 0
#endif

#define PS 2
#define CLEAR 0
#define SET 1
#define SLEEPING 2
#define FOUND_SPINNING 8 /* goroutine 1, by an m that spun */
#define STARTS_2 1
#define PARKS 2
#define SPINNING 4 /* in next_p: the m shall spin */

#define bit_of(i) (1 << (i))
#define lowest(set) ((set) & -(set))
#define size_of(set) (((set) & 1) + (((set) >> 1) & 1) + (((set) >> 2) & 1))

bit mu;                      /* sched.mu */
byte ring[PS];               /* p::runq and runnext: a set of goroutines */
byte global, runq_size;      /* sched.runq under mu, and its length for those without */
byte idle_p, idle_p_count;   /* the idle list, under mu: a set; and its length */
byte nmspinning;
bit need_spinning;
byte idle_m, unborn = 6;     /* sets; an m that is not born yet is one that newm makes */
byte next_p[3], park[3];     /* park: m::park, a note */
bit list_mu, list_has;       /* where goroutine 1 waits */
byte saved = 7;              /* goroutines whose registers are saved */

byte computes, script, all;  /* the scene: see init */
byte runs, ended;            /* goroutines that run, and that have ended */

/* --- idle.cpp, under mu --- */

inline pidle_put(p) {
    assert(ring[p - 1] == 0 && !(idle_p & bit_of(p - 1)));
    idle_p = idle_p | bit_of(p - 1);
    idle_p_count++
}

inline pidle_get(p) {
    p = (idle_p & 1 -> 1 : idle_p);
    if
    :: p != 0 -> idle_p = idle_p & ~bit_of(p - 1); idle_p_count--
    :: else
    fi
}

/* Takes and gives mu; `unless_found` counts the caller out of the spinners. */
inline pidle_get_spinning(p, unless_found) {
    atomic { !mu -> mu = 1; pidle_get(p) };
    atomic { need_spinning = (p == 0); mu = (p == 0 && unless_found) };
    if
    :: p == 0 && unless_found -> atomic { nmspinning--; mu = 0 }
    :: else
    fi
}

/* --- m_lifecycle.cpp --- */

inline startm(p, spin) {
    atomic {
        !mu && (idle_m | unborn) != 0;
        if  /* midle_get, or new_m_record */
        :: idle_m != 0 -> w = lowest(idle_m)
        :: else -> w = lowest(unborn)
        fi;
#if BUG != 11
        idle_m = idle_m & ~w;
#endif
        unborn = unborn & ~w;
        w = w >> 1;
        assert(next_p[w] == 0);
        next_p[w] = p | spin;
#if BUG == 9
    };
    atomic {  /* note::wakeup */
        if
        :: park[w] == SLEEPING -> park[w] = SET
        :: else
        fi;
#else
        park[w] = SET;  /* note::wakeup leaves a token, whatever the m is at */
#endif
        w = 0
    }
}

inline handoffp(p) {
    won = 0;
    if
#if BUG != 12
    :: ring[p - 1] != 0 -> startm(p, 0)
#endif
    :: else ->
        if
        :: runq_size != 0 -> startm(p, 0)
        :: else ->
            if
            :: nmspinning == 0 ->
                if
                :: idle_p_count == 0 ->
                    atomic {
                        if
                        :: nmspinning == 0 -> nmspinning = 1; won = 1
                        :: else
                        fi
                    }
                :: else
                fi
            :: else
            fi;
            if
            :: won -> need_spinning = 0; startm(p, SPINNING)
            :: else ->  /* try_idle */
                atomic { !mu -> mu = 1 };
                if
                :: global != 0 -> mu = 0; startm(p, 0)
                :: else ->
                    atomic { pidle_put(p); mu = 0 };
#if BUG != 6
                    if
                    :: need_spinning -> wakep()
                    :: else
                    fi
#endif
                fi
            fi
        fi
    fi
}

/* --- wakeup.cpp --- */

inline wakep() {
    won = 1;
    if
    :: idle_p_count == 0 ->
#if BUG != 4
        need_spinning = 1;
#endif
        if
        :: idle_p_count == 0 -> won = 0
        :: else
        fi
    :: else
    fi;
    if
    :: !won
    :: won && nmspinning != 0 -> won = 0
    :: else ->  /* wakep_slow */
        atomic {
            if
            :: nmspinning == 0 -> nmspinning = 1
            :: else -> won = 0
            fi
        }
    fi;
    if
    :: won ->
        pidle_get_spinning(q, 1);
        if
        :: q != 0 -> startm(q, SPINNING)
        :: else
        fi
    :: else
    fi;
    atomic { won = 0; q = 0 }
}

/* --- run_queue.cpp, newproc.cpp, park.cpp --- */

inline goready_local(g) {
#if BUG == 7
    wakep();
    ring[pp - 1] = ring[pp - 1] | g
#else
    ring[pp - 1] = ring[pp - 1] | g;
    wakep()
#endif
}

inline goready_global(g) {
#if BUG == 7
    wakep();
    atomic { !mu; global = global | (g); runq_size = size_of(global) }
#else
    atomic { !mu; global = global | (g); runq_size = size_of(global) };
    wakep()
#endif
}

/* Takes and gives mu. Half of what there is (2 ps) and one: to run, or into the ring. */
inline global_get() {
    atomic {
        !mu;
        next = lowest(global);
        global = global & ~next;
        if
        :: global != 0 ->
            rest = lowest(global);
            global = global & ~rest;
            ring[pp - 1] = ring[pp - 1] | rest;
            mu = 1
        :: else -> runq_size = 0
        fi
    };
    if
    :: rest != 0 -> atomic { rest = 0; runq_size = size_of(global); mu = 0 }
    :: else
    fi
}

/* Half of the other p's queue: gone there first, here a step later. */
inline steal() {
    atomic {
        next = lowest(ring[2 - pp]);
        ring[2 - pp] = ring[2 - pp] & ~next;
        if
        :: size_of(ring[2 - pp]) > 1 -> rest = lowest(ring[2 - pp]); ring[2 - pp] = ring[2 - pp] & ~rest
        :: else
        fi
    };
    if
    :: rest != 0 -> atomic { ring[pp - 1] = ring[pp - 1] | rest; rest = 0 }
    :: else
    fi
}

/* --- findrunnable.cpp, schedule.cpp --- */

inline become_spinning() {
    atomic { spinning = 1; nmspinning++ };
    need_spinning = 0
}

inline work_anywhere() {
#if BUG != 10
    work = runq_size != 0;
#endif
    if
    :: work
    :: else -> work = ring[0] != 0
    fi;
    if
    :: work
    :: else -> work = ring[1] != 0
    fi;
#if BUG == 10
    if
    :: work
    :: else -> work = runq_size != 0
    fi
#endif
}

proctype m(byte self, pp, gp) {
    byte next, rest, q, w;
    bit spinning, won, work;
    if
    :: gp == 1 -> atomic { next = gp; gp = 0 }; goto start_running
    :: gp == FOUND_SPINNING -> atomic { next = 1; gp = 0; spinning = 1 }; goto found
    :: pp == 0 -> goto sleep
    :: else
    fi;

findrunnable:
    if
    :: pp == 0 -> goto last_look
    :: else
    fi;
    atomic {  /* from_local */
        next = lowest(ring[pp - 1]);
        ring[pp - 1] = ring[pp - 1] & ~next
    };
    if
    :: next != 0 -> goto found
    :: else
    fi;
    if  /* from_global */
    :: runq_size == 0
    :: else -> global_get()
    fi;
    if
    :: next != 0 -> goto found
    :: else
    fi;

    if  /* from_other_ps, may_spin */
    :: spinning
    :: else ->
        if  /* it is alone with a p, or others spin: of counts that may be old */
        :: goto keep_p_after_all
        :: become_spinning()
        fi
    fi;
    steal();
    if
    :: next != 0 -> goto found
    :: else
    fi;

keep_p_after_all:
    if
    :: atomic { !mu && global != 0 }; global_get();
        if
        :: next != 0 -> goto found
        :: else -> goto keep_p_after_all
        fi
    :: atomic { !mu && global == 0 && !spinning && need_spinning -> mu = 1 }
    :: atomic { !mu && global == 0 && (spinning || !need_spinning) -> mu = 1; work = 1 }
    fi;
    if
    :: work -> work = 0
    :: else -> become_spinning(); mu = 0; goto findrunnable
    fi;
    atomic { pidle_put(pp); pp = 0; mu = !spinning };
    if
    :: spinning
#if BUG == 5
    :: atomic { !spinning -> mu = 0 }
#else
    :: atomic { !spinning && !need_spinning -> mu = 0 }
    :: atomic { !spinning && need_spinning -> pidle_get(pp) };
        become_spinning();
        mu = 0;
        goto findrunnable
#endif
    fi;

last_look:
    if
    :: spinning ->
#if BUG == 1
        work_anywhere();
#endif
        atomic { assert(nmspinning > 0); spinning = 0; nmspinning-- };
#if BUG != 1 && BUG != 2
        work_anywhere();
#endif
        if
        :: work ->
            work = 0;
            pidle_get_spinning(pp, 0);
            if
            :: pp != 0 -> become_spinning(); goto findrunnable
            :: else
            fi
        :: else
        fi
    :: else
    fi;

    atomic {  /* stopm */
        !mu;
        assert(pp == 0 && !spinning && !(idle_m & bit_of(self)));
        park[self] = CLEAR;
        idle_m = idle_m | bit_of(self)
    };
sleep:
#if BUG == 9
    atomic {
        if
        :: park[self] == CLEAR -> park[self] = SLEEPING
        :: else
        fi
    };
#endif
end_asleep:
    atomic {
        park[self] == SET;
        pp = next_p[self] & ~SPINNING;
        spinning = next_p[self] / SPINNING;
        next_p[self] = 0;
        assert(pp != 0)
    };
    goto findrunnable;

found:
    if  /* stop_spinning_with_work */
    :: spinning ->
        atomic { assert(nmspinning > 0); spinning = 0; nmspinning-- };
#if BUG != 3
        wakep()
#endif
    :: else
    fi;
start_running:
    atomic {
        assert((saved & next) != 0 && (runs & next) == 0);
        saved = saved & ~next;
        runs = runs | next;
        gp = next;
        next = 0
    };
    if
    :: gp == 1 && script != 0 -> goto first_run
    :: else
    fi;
ends_or_computes:
    if
    :: gp == computes -> goto end_computes
    :: else -> atomic { runs = runs & ~gp; ended = ended | gp; gp = 0 }; goto findrunnable
    fi;

first_run:  /* of goroutine 1 */
    if
    :: script & STARTS_2 -> goready_local(2)
    :: else
    fi;
    if
    :: script & PARKS -> script = 0
    :: else -> script = 0; goto ends_or_computes
    fi;
    atomic { !list_mu -> list_mu = 1; list_has = 1 };  /* gopark */
    atomic {  /* leave_g: pick_next */
        next = lowest(ring[pp - 1]);
        ring[pp - 1] = ring[pp - 1] & ~next
    };
#if BUG == 8
    list_mu = 0;
#endif
    atomic { saved = saved | gp; runs = runs & ~gp; gp = 0 };  /* context_switch */
#if BUG != 8
    list_mu = 0;  /* finish_switch: commit_unlock */
#endif
    if
    :: next != 0 -> goto start_running
    :: else -> goto findrunnable
    fi;

end_computes:
    false
}

proctype foreign_thread(byte a, b) {
    byte q, w;
    bit won;
    if
    :: a != 0 -> goready_global(a)
    :: else
    fi;
    if  /* goroutine 1, where it parks, is found in the list */
    :: b == 1 -> atomic { list_has && !list_mu -> list_has = 0 }
    :: else
    fi;
    if
    :: b != 0 -> goready_global(b)
    :: else
    fi
}

/* sysmon holds p 2, taken from a system call. */
proctype sysmon() {
    byte q, w;
    bit won;
    handoffp(2)
}

/* Which goroutine computes for ever, what goroutine 1 does in its first run, what the foreign thread
 * submits, who has p 2, and whether m 0 runs goroutine 1 from the start or has just found it. */
#define scene(c, s, a, b, p2, g1) \
    computes = c; script = s; nmspinning = g1 / FOUND_SPINNING; run foreign_thread(a, b); p2; \
    run m(0, 1, g1)
#define p2_idle idle_p = 2; idle_p_count = 1; run m(1, 0, 0); run m(2, 0, 0)
#define p2_with_sysmon run sysmon(); run m(1, 0, 0); run m(2, 0, 0)
#define p2_searches unborn = 4; run m(1, 2, 0); run m(2, 0, 0)

init {
    atomic {
        if
        :: scene(1, 0, 0, 0, ring[1] = 4; p2_with_sysmon, FOUND_SPINNING); all = 5
        :: scene(1, STARTS_2, 0, 0, p2_with_sysmon, FOUND_SPINNING); all = 3
        :: scene(1, STARTS_2, 0, 0, p2_searches, FOUND_SPINNING); all = 3
        :: scene(2, 0, 2 | 4, 0, p2_searches, 1); all = 7
        :: scene(2, STARTS_2 | PARKS, 0, 1, p2_with_sysmon, 1); all = 3
        :: scene(2, STARTS_2, 4, 0, p2_with_sysmon, 1); all = 7
        :: scene(2, STARTS_2 | PARKS, 4, 1, p2_idle, 1); all = 7
        fi
    };
    timeout;
    assert(!mu && !list_mu && nmspinning == 0);
    assert(idle_p_count == size_of(idle_p) && runq_size == size_of(global));
    assert(idle_p == 0 || (ring[0] | ring[1] | global) == 0);
    assert((ring[0] | ring[1] | global | runs | ended) == all)
}
