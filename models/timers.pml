/* A timer that sends, and the poller that sleeps until it is due: start, stop, reset, delivery, release.
 *
 * A user starts the timer and then stops it, resets it and receives from it, in any order, up to three
 * times, and drops it at last. A clock (an m that runs due timers, twice, so that two deliveries may be
 * under way at once) takes it out of the heap when it pleases. The poller announces its sleep, reads the
 * heap's earliest moment and sleeps; a reset may move that moment from far to near. (src/time/chan_timer.cpp,
 * src/timer/heap.cpp, wake_poller in src/sched/m/wakeup.cpp, sleep_in_poller in src/sched/loop/findrunnable.cpp.)
 *
 * Claims, for every interleaving: nothing is received after a stop, and after a reset nothing but the value
 * of that reset (kb29); stop says "running" exactly if it keeps a value from the receiver (kb29); the value of
 * a start that nobody ends comes (kb30); no delivery touches a timer that has been released (kb47); nobody
 * sleeps past the earliest moment (kb27).
 *
 * heap_mu guards in_heap and earliest, chan_mu the value and who may void it. What is done under heap_mu is
 * one step. Memory is sequentially consistent here: timer.earliest and timer.poller are seq_cst on both
 * sides. Left out: the heap's order (tests/timer), periods, moves between heaps.
 *
 * BUG reverts one step, and the check must then fail:
 *   1 kb29  stop leaves what is under way
 *   2 kb29  stop leaves what is in the channel
 *   3 kb29  the delivery looks whether it is void before it has the channel's lock
 *   4 kb29  what has come due is marked after the heap's lock is released
 *   5 kb30  reset starts the timer before it voids what is under way
 *   6 kb47  the last one out does not wait for deliveries under way
 *   7 kb47  the last one out stops nothing
 *   8 kb27  an earlier moment is stored after the look at the poller
 *   9 kb27  the poller reads the heap before it announces its sleep
 *  10 kb27  a break that comes before the sleep is lost
 */
#ifndef BUG
#define BUG 0
#endif

#define NONE 3   /* earliest: no timer */
#define FAR 2
#define NEAR 1

bit heap_mu, chan_mu;
bit in_heap, due, freed;
byte in_flight, starts, value;  /* value: the start whose value waits in the channel, 0: none */
byte earliest = NONE;
bit last_poll = 1;              /* 0: somebody sleeps in the poller, or is about to */
byte poll_until;                /* 0: not known yet */
bit broken, asleep, dropped;
byte expects;                   /* the start whose value may be received; 0: none may */
bit got;                        /* and has been */

#define touch assert(!freed)

/* Two ms that run due timers. */
proctype clock() {
    bit mine;
    do
    :: atomic {
        in_heap && !heap_mu ->
        touch;
        in_heap = 0;
        earliest = NONE;
#if BUG != 4
        due = 1;
#endif
        in_flight++
       };
#if BUG == 4
       due = 1;
#endif
#if BUG == 3
       atomic { mine = due; due = 0 };
#endif
       atomic { !chan_mu -> chan_mu = 1; touch };
#if BUG != 3
       atomic { mine = due; due = 0 };
#endif
       touch;
       if
       :: mine -> assert(value == 0); value = starts
       :: else
       fi;
       touch;
       atomic { chan_mu = 0; mine = 0 };
       atomic { touch; in_flight-- }
    :: atomic { dropped && !in_heap && in_flight == 0 -> break }
    od
}

/* Who makes the earliest moment an earlier one owes the poller a break. */
inline start(when) {
    atomic { !heap_mu -> heap_mu = 1 };
#if BUG == 8
    look(when);
    atomic { in_heap = 1; earliest = when; heap_mu = 0 }
#else
    atomic { in_heap = 1; earliest = when; heap_mu = 0 };
    look(when)
#endif
}

inline look(when) {
    if
    :: last_poll == 0 ->
        if
        :: poll_until == 0 || poll_until > when -> broken = 1
        :: else
        fi
    :: else  /* an m is woken and looks itself: nobody sleeps */
    fi
}

/* Under chan_mu. `was`: something was kept from the receiver. */
inline void_all() {
    atomic { !heap_mu -> was = in_heap; in_heap = 0; earliest = NONE };
#if BUG != 1
    atomic { was = was | due; due = 0 };
#endif
#if BUG != 2
    atomic { was = was | (value != 0); value = 0 }
#endif
}

/* The user's stop and reset hold chan_mu; a value that may still come belongs to the start that ends. */
proctype user() {
    byte steps;
    bit was;
    atomic { starts = 1; expects = 1 };
    start(FAR);
    do
    :: steps < 3 -> steps++;
        if
        :: atomic { !chan_mu -> chan_mu = 1 };  /* stop */
            void_all();
            atomic { assert(was == (expects != 0 && !got)); expects = 0; got = 0; chan_mu = 0; was = 0 }
        :: atomic { !chan_mu -> chan_mu = 1 };  /* reset, to an earlier moment */
#if BUG == 5
            atomic { starts++; was = in_heap };
            start(NEAR);
            atomic { was = was | due; due = 0 };
            atomic { was = was | (value != 0); value = 0 };
            atomic { expects = starts; got = 0; chan_mu = 0; was = 0 }
#else
            void_all();
            atomic { assert(was == (expects != 0 && !got)); starts++; expects = starts; got = 0; was = 0 };
            start(NEAR);
            chan_mu = 0
#endif
        :: atomic {  /* receive */
            !chan_mu && value != 0 ->
            assert(value == expects && !got);
            got = 1;
            value = 0
           }
        fi
    :: break
    od;
    if
    :: expects != 0 && !got ->  /* nobody ends this start: its value must come */
        atomic { !chan_mu && value != 0 -> assert(value == expects); value = 0; got = 1 }
    :: else
    fi;
    if
    :: true ->  /* start it once more, so that it is dropped while it is running */
        atomic { !chan_mu -> chan_mu = 1 };
        void_all();
        atomic { starts++; expects = starts; got = 0; was = 0 };
        start(NEAR);
        chan_mu = 0
    :: true
    fi;
    /* The last reference goes. */
#if BUG != 7
    atomic { !heap_mu -> in_heap = 0; earliest = NONE };
#endif
#if BUG != 6
    in_flight == 0;
#endif
    atomic { freed = 1; dropped = 1 }
}

/* One sleep; what ends it looks again. */
proctype poller() {
    byte until;
#if BUG == 9
    until = earliest;
    last_poll = 0;
#else
    last_poll = 0;
    until = earliest;
#endif
    poll_until = until;
#if BUG == 10
    broken = 0;
#endif
    asleep = 1;
    broken || dropped;
    atomic { asleep = 0; last_poll = 1; poll_until = 0 }
}

/* When the user is between two steps, nobody sleeps past the earliest moment, unless its break is on
 * its way: heap_mu is free, and the chan_mu of the reset that owes it as well. */
proctype observer() {
end_unseen:
    atomic {
        asleep && !broken && !heap_mu && !chan_mu && !dropped && starts > 1 ->
        assert(earliest >= poll_until)
    }
}

init {
    atomic { run clock(); run clock(); run user(); run poller(); run observer() }
}
