/* A select's claim: two channels, two selects over both, a plain receiver between them, a sender to
 * either, a time limit, and the closes that end it all.
 *
 * A select locks both channels, leaves a sudog in each queue and parks; its locks are released when
 * its registers are saved. Who takes a sudog out of a queue may wake its goroutine only by winning
 * the claim that the sudogs of one select share; so may the timer of the second select, under the
 * heap's lock. The woken one removes its other sudogs, each under its channel's lock, stops its
 * timer, and its frame is gone: nobody may touch a sudog or a claim after that.
 *
 * Claims, for every interleaving: a goroutine is readied once, and only when it has parked; nobody
 * touches a frame that is gone (kb21); the select knows which case has won, and by value or by close
 * (kb20); a value is received once or left to its sender (kb19); no queue loses a waiter, so that
 * all have returned when both channels are closed; nobody waits for a lock for ever (kb22).
 *
 * A lock, and the steps under it that only its holder can see, are one step each; the claim is a
 * step of its own. A sender that finds nobody keeps its value: waiting senders are receivers in the
 * mirror. Names are those of src/chan/waitq.hpp, select.cpp and timed.cpp.
 *
 * BUG reverts one step, and the check must then fail:
 *   1 kb20  a claim is taken in two steps
 *   2 kb19  a sender gives its value to a select that has been won elsewhere
 *   3 kb19  taking a sudog out of the middle cuts off those behind it
 *   4 kb21  close claims its waiters after it has released the lock
 *   5 kb22  a select locks the channels as they stand in its cases
 *   6 kb20  the woken select looks for a value to learn which case has won
 *   7 kb19  a select leaves its losing sudog in the queue
 *   8 kb48  a select that has been served does not stop its timer
 *   9 kb04  a select releases its locks before it has parked
 */
#ifndef BUG
#define BUG 0
#endif

#define NONE 9
#define OPEN 8
#define TIMED_OUT 7
#define PLAIN 4            /* the sudog of the plain receiver, which has no claim */
#define goroutine(s) ((s) / 2)
#define number(s) ((s) % 2)
#define sudog_of(me, c) (2 * (me) + (c))

typedef queue { byte at[3]; byte n };
queue recvq[2];
bit locked[2], closed[2];
bit heap_locked, timer_on;
byte claim[2];
bit alive[5];              /* the frame of that sudog is there */
byte value[5];             /* what was put into it */
bit parked[3], readied[3];
byte received, kept, returned, ended;

inline acquire(c) { atomic { !locked[c] -> locked[c] = 1 } }
inline release(c) { locked[c] = 0 }

/* won: whether s is ours to wake. */
inline take_claim(s, desired) {
    if
    :: s == PLAIN -> won = 1
    :: else ->
#if BUG == 1
        won = (claim[goroutine(s)] == OPEN);
        if
        :: won -> claim[goroutine(s)] = desired
        :: else
        fi
#else
        atomic {
            assert(alive[s]);
            won = (claim[goroutine(s)] == OPEN);
            if
            :: won -> claim[goroutine(s)] = desired
            :: else
            fi
        }
#endif
    fi
}

inline goready(gp) {
    atomic {
        assert(parked[gp] && !readied[gp]);
        parked[gp] = 0;
        readied[gp] = 1
    }
}

inline enqueue(c, s) { recvq[c].at[recvq[c].n] = s; recvq[c].n = recvq[c].n + 1 }

inline take_first(c) {
    atomic {
        s = recvq[c].at[0];
        recvq[c].at[0] = recvq[c].at[1];
        recvq[c].at[1] = recvq[c].at[2];
        recvq[c].at[2] = 0;
        recvq[c].n = recvq[c].n - 1;
        assert(alive[s])
    }
}

/* The first one that is ours to wake is in s, or NONE. */
inline dequeue(c) {
    do
    :: recvq[c].n == 0 -> s = NONE; break
    :: else ->
        take_first(c);
        take_claim(s, number(s));
        if
        :: won || BUG == 2 -> break
        :: else
        fi
    od;
    won = 0
}

inline remove(c, mine) {
    atomic {
        i = 0;
        do
        :: i < recvq[c].n && recvq[c].at[i] != mine -> i++
        :: else -> break
        od;
        if
        :: i < recvq[c].n ->
            recvq[c].n = (BUG == 3 -> i : recvq[c].n - 1);
            do
            :: i < 2 -> recvq[c].at[i] = recvq[c].at[i + 1]; i++
            :: else -> recvq[c].at[2] = 0; break
            od
        :: else
        fi;
        i = 0
    }
}

inline lock_all() {
    if
    :: BUG == 5 && me == 1 -> acquire(1); acquire(0)
    :: else -> acquire(0); acquire(1)
    fi
}

inline unlock_all() { release(1); release(0) }

/* What a case that has won brought, and that it is the right one. */
inline account(c) {
    atomic {
        if
        :: value[sudog_of(me, c)] != 0 -> received++
        :: else -> assert(closed[c])
        fi
    }
}

proctype chooser(byte me; bit limited) {
    byte i, w;
    lock_all();
    atomic {
        if
        :: closed[0] || closed[1] -> unlock_all(); goto done
        :: else
        fi;
        claim[me] = OPEN;
        alive[sudog_of(me, 0)] = 1;
        alive[sudog_of(me, 1)] = 1;
        enqueue(0, sudog_of(me, 0));
        enqueue(1, sudog_of(me, 1))
    }
#if BUG == 9
    unlock_all();
    parked[me] = 1;
#else
    parked[me] = 1;
    if
    :: limited -> atomic { !heap_locked -> timer_on = 1 }
    :: else
    fi;
    unlock_all();
#endif
    atomic { readied[me] -> readied[me] = 0 }
#if BUG == 6
    w = (value[sudog_of(me, 0)] != 0 -> 0 : 1);
#else
    w = claim[me];
#endif
    if
    :: w != 0 -> acquire(0); if :: BUG != 7 -> remove(0, sudog_of(me, 0)) :: else fi; release(0)
    :: else
    fi;
    if
    :: w != 1 -> acquire(1); if :: BUG != 7 -> remove(1, sudog_of(me, 1)) :: else fi; release(1)
    :: else
    fi;
    if
    :: limited && w != TIMED_OUT && BUG != 8 -> atomic { !heap_locked -> timer_on = 0 }
    :: else
    fi;
    if
    :: w != TIMED_OUT -> account(w)
    :: else
    fi;
    d_step { alive[sudog_of(me, 0)] = 0; alive[sudog_of(me, 1)] = 0; w = 0 }
done:
    returned++
}

proctype plain_receiver() {
    acquire(1);
    if
    :: closed[1] -> release(1); goto done
    :: else
    fi;
    d_step { alive[PLAIN] = 1; enqueue(1, PLAIN) }
    parked[2] = 1;
    release(1);
    atomic { readied[2] -> readied[2] = 0 }
    d_step {
        if
        :: value[PLAIN] != 0 -> received++
        :: else -> assert(closed[1])
        fi;
        alive[PLAIN] = 0
    }
done:
    returned++
}

/* The timer of select 1 comes due: its claim is taken under the heap's lock. */
proctype clock() {
    bit won;
end:  /* a timer that is never started, or stopped, leaves it waiting */
    atomic { timer_on && !heap_locked -> heap_locked = 1; timer_on = 0 }
    take_claim(2, TIMED_OUT);
    heap_locked = 0;
    if
    :: won -> goready(1)
    :: else
    fi
}

proctype sender(byte c) {
    byte s;
    bit won;
    atomic {
        !locked[c];
        if
        :: closed[c] -> kept++; goto done
        :: else -> locked[c] = 1
        fi
    }
    dequeue(c);
    if
    :: atomic { s == NONE -> kept++; release(c) }
    :: else ->
        atomic { assert(alive[s] && value[s] == 0); value[s] = 1 }
        release(c);
        goready(goroutine(s))
    fi;
done:
    ended++
}

/* Closes both channels, in either order. */
proctype closer(byte c) {
    byte s, list[3], n, k, round;
    bit won;
again:
    atomic { !locked[c] -> locked[c] = 1; closed[c] = 1 }
#if BUG == 4
    do
    :: recvq[c].n == 0 -> break
    :: else -> take_first(c); list[n] = s; n++
    od;
#else
    do
    :: dequeue(c);
        if
        :: s == NONE -> break
        :: else -> list[n] = s; n++
        fi
    od;
#endif
    release(c);
    do
    :: k == n -> break
    :: else ->
        s = list[k];
        k++;
#if BUG == 4
        take_claim(s, number(s));
        if
        :: won -> goready(goroutine(s))
        :: else
        fi
#else
        goready(goroutine(s))
#endif
    od;
    atomic { s = 0; n = 0; k = 0; won = 0; list[0] = 0; list[1] = 0; list[2] = 0 }
    if
    :: round == 0 -> round = 1; c = 1 - c; goto again
    :: else -> ended++
    fi
}

init {
    atomic {
        claim[0] = OPEN;
        claim[1] = OPEN;
        run chooser(0, 0);
        run chooser(1, 1);
        run plain_receiver();
        run clock();
        if
        :: true -> run sender(0)
        :: true -> run sender(1)
        fi;
        if
        :: true -> run closer(0)
        :: true -> run closer(1)
        fi
    }
    (returned == 3 && ended == 2);
    assert(received + kept == 1)
}
