/* What the network brings is left to the m that looked: sched.single_poller, who sleeps in the poller, and
 * sysmon, which looks after those who are left and ends it all.
 *
 * Two ps, three ms. The network brings two goroutines at a time, EVENTS times: the m that looks runs one and
 * queues the other in the ring of its p. One of those that run may compute for ever, or go into a call and
 * not come back, so that sysmon takes its p; the others end. Under `single` the m wakes nobody for what it has
 * queued, and an m without a p does not sleep in the poller beside one that has a p. One that nobody has
 * called gives up its p beside another one that has looked, whatever waits. sysmon goes from one way to the
 * other, or is about to print and never looks again; where all rest it sleeps deeply, and shares all behind
 * that, or does not.
 * (src/sched/policy/poll_trial.cpp, poll.cpp, findrunnable.cpp, sysmon.cpp, wakeup.cpp.)
 *
 * Claims, for every interleaving: when nothing moves any more and a p is idle, no goroutine is left in a
 * queue (kb12), nothing that the network has is left with the kernel, and the next would not be: somebody
 * sleeps in the poller, or sysmon is awake and looks (kb15). But where sysmon has taken a p from a call and
 * prints, it may be the only one, and looks when it has printed.
 *
 * Steps under sched.mu are one step. Light and heavy fences make memory sequentially consistent here. What
 * wakep promises is the business of park_wake.pml: it is one step here, and starts an m that looks at all
 * queues before it gives up its p. A p that sysmon has not seen moving is any p at any time.
 *
 * BUG reverts one step, and the check must then fail:
 *   1 kb12  an m looks whether it is alone before it queues
 *   2 kb12  sysmon ends it and wakes nobody
 *   3 kb12  sysmon wakes an m and then ends it
 *   4 kb12  sysmon looks after nobody who is left
 *   5 kb15  no m sleeps in the poller, not even the last one with a p
 *   6 kb15  an m decides where it sleeps while it still has its p
 *   7 kb15  sysmon sleeps deeply and does not ask whether anybody is in the poller
 *   8 kb12  an m gives up its p beside another one while some are in its own ring
 */
#ifndef BUG
#define BUG 0
#endif

#define PS 2
#define MS 3
#define EVENTS 1  /* two take too long */
#define RESCUES 3

byte idle;                 /* ps */
byte ring, global;         /* goroutines in the rings of all ps, and in the global queue */
byte ready;                /* events that the kernel has not told of */
bit single;
bit polled, broken;        /* somebody sleeps in the poller; his sleep is broken */
bit need, spinning;        /* need_spinning; one m spins */
byte wanted;               /* ms that have been given a p, and spin */
bit computes, called;      /* somebody does, for ever; or somebody has gone into a call, */
bit in_call;               /* and its p is there with it */
bit deep, blind;           /* sysmon sleeps deeply; it prints for ever */
byte resting;              /* ms without a p, and not in the poller */
byte rescues;

#define takes_idle_p() idle--; deep = 0
#define work (ring + global > 0)

/* Some p is given to an m that spins, if there is one and nobody spins yet. */
inline wakep() {
    atomic {
        if
        :: idle == 0 -> need = 1
        :: idle > 0 && !spinning -> takes_idle_p(); spinning = 1; wanted++
        :: else
        fi
    }
}

proctype m(bit has_p) {
    bit spins, is_alone, elsewhere, found;
    bit own;  /* some in the ring may be of its own p */
    if
    :: has_p -> has_p = 0
    :: else -> goto stopm
    fi;
findrunnable:
    atomic {
        own = own && ring > 0;
        if  /* from_local, from_other_ps, from_global, from_netpoll */
        :: ring > 0 -> ring--; own = own && ring > 0; goto runs
        :: ring == 0 && global > 0 -> global--; goto runs
        :: !work && ready > 0 && !polled -> ready--; goto brings
#if BUG == 8
        :: single && !spins && (idle + in_call < PS - 1) -> skip
#else
        :: single && !spins && !own && (idle + in_call < PS - 1) -> skip  /* may_idle */
#endif
        :: !work && (ready == 0 || polled) -> skip
        fi
    };
#if BUG == 6
    is_alone = single;
    elsewhere = is_alone && idle != PS;
#endif
    atomic {  /* keep_p_after_all */
        if
        :: global > 0 -> global--; goto runs
        :: else
        fi;
        if
        :: need && !spins -> need = 0; spins = 1; spinning = 1; goto findrunnable
        :: else -> idle++
        fi
    };
    if  /* last_look */
    :: spins ->
        spins = 0;
        spinning = 0;
        if
        :: work ->
            atomic {
                if
                :: idle > 0 -> takes_idle_p(); spins = 1; spinning = 1; goto findrunnable
                :: else -> need = 1
                fi
            }
        :: else
        fi
    :: else
    fi;
    /* sleep_in_poller, has_busy_poller */
#if BUG != 6
    is_alone = single;
#if BUG == 5
    elsewhere = is_alone;
#else
    elsewhere = is_alone && idle != PS;
#endif
#endif
    is_alone = 0;
    if
    :: elsewhere -> elsewhere = 0; goto stopm
    :: else
    fi;
    atomic {
        if
        :: polled -> goto stopm
        :: else -> polled = 1; rescues = 0
        fi
    };
end_polls:
    atomic {
        if
        :: ready > 0 -> ready--; found = 1
        :: broken -> found = 0
        fi;
        broken = 0
    };
    polled = 0;
    atomic {  /* take_idle_p */
        if
        :: idle > 0 ->
            takes_idle_p();
            if
            :: found -> found = 0; goto brings
            :: else -> goto findrunnable
            fi
        :: else
        fi
    };
    if  /* inject_ready */
    :: found -> found = 0; global = global + 2; wakep()
    :: else
    fi;
    goto stopm;

brings:
#if BUG == 1
    is_alone = single;
#endif
    ring++;
    own = 1;
#if BUG != 1
    is_alone = single;
#endif
    if
    :: is_alone -> is_alone = 0
    :: else -> wakep()
    fi;
runs:
    rescues = 0;
    if
    :: spins ->
        spins = 0;
        spinning = 0;
        if
        :: atomic { single && idle == 0 && !computes && !in_call } -> skip  /* another_m_polls */
        :: wakep()
        fi
    :: else
    fi;
    if
    :: atomic { !computes && !called -> computes = 1 }
    :: atomic { !computes && !called -> called = 1; in_call = 1 }
    :: goto findrunnable
    fi;
    /* It is another m that goes on here: there are as many as it takes. */
stopm:
    own = 0;
    resting++;
end_stopped:
    atomic { wanted > 0 -> wanted--; resting--; spins = 1 };
    goto findrunnable
}

/* The way ends. */
inline share() {
#if BUG == 3
    wakep();
    single = 0
#else
    single = 0;
#if BUG != 2
    wakep()
#endif
#endif
}

proctype sysmon() {
    bit changed;
end_round:
progress_round:  /* sysmon goes round for ever */
    do
#if BUG != 4
    :: single && work && idle > 0 && !spinning -> wakep()  /* look_after_all */
#endif
    :: atomic { ready > 0 && !polled -> ready--; global = global + 2 };  /* poll_if_stale */
        wakep()
    :: in_call ->  /* take_from_syscall, handoffp */
        in_call = 0;
        if
        :: (work || need) && !spinning -> need = 0; spinning = 1; wanted++
        :: else -> idle++
        fi
    :: !single && !changed ->
        changed = 1;
        single = 1;
        if
        :: atomic { polled -> broken = 1 }
        :: else
        fi
    :: single && !changed ->
        changed = 1;
        share()
    :: !changed && !in_call ->  /* prepare_to_block */
        if
        :: single -> share()
        :: else
        fi;
        blind = 1;
        break
    :: idle == PS && !deep ->  /* deep_sleep: somebody always waits for the network */
#if BUG != 7
        if
        :: !polled ->
            atomic {  /* all rest, and nothing has come of it the last times */
                if
                :: resting == MS && !polled -> rescues++; assert(rescues < RESCUES)
                :: else
                fi
            };
            wakep();
            goto end_round
        :: else
        fi;
#endif
        atomic {
            if
            :: idle == PS -> deep = 1
            :: else -> goto end_round
            fi
        };
end_deep:
        deep == 0;
        if
        :: share()  /* note_rest */
        :: skip     /* GODEBUG=pollalone=1 */
        fi
    od
}

proctype kernel() {
    byte sent;
end_kernel:
    do
    :: sent < EVENTS -> sent++; ready++
    od
}

init {
    atomic {
        if
        :: single = 1
        :: skip
        fi;
        if
        :: run m(1); run m(1)
        :: idle = 1; run m(1); run m(0)
        fi;
        run m(0);
        run kernel();
        run sysmon()
    };
    timeout;
    assert(wanted == 0);
    assert(idle == 0 || !work);
    assert(idle == 0 || ready == 0);
    assert(idle == 0 || polled || (!deep && (!blind || called)))
}
