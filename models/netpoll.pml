/* One direction of a descriptor: its word, who reads, who polls, a deadline, the close, and whoever gets
 * the number and the record afterwards.
 *
 * The peer sends two bytes, one by one, and then its end, or falls silent after the first. A reader reads,
 * and waits where there is nothing; a read that has taken all waits first the next time (`drained`). Two ms
 * poll, one in the greatest scene: the kernel tells one of them of each change, once. A deadline is set and
 * then moved far away; the clock may claim it first. Another goroutine closes the descriptor when it
 * pleases; the last call under way gives back the number, and then the record. A dialer gets both, with an
 * event for the old use perhaps still in flight.
 * (src/netpoll/poll_word.hpp, poll_desc.cpp, poller.cpp; src/fd/fd.cpp, fd_mutex.cpp, poll_wait.cpp.)
 *
 * Claims, for every interleaving: no change is slept through, so that the reader reads all and then the end
 * unless somebody closes (kb33); nobody is readied who has not parked (kb04); the number is the reader's as
 * long as it reads, the close wakes it, and returns (kb34); a deadline that has been moved ends nothing,
 * and takes nothing along (kb28, kb37); a dialer is connected when it says so (kb32); those who wait are
 * counted as long as they do, and in the end nobody is (kb35). In one of the scenes the deadline, the close
 * and the reuse meet: a deadline of the old use, whoever is just moving it, ends nothing of the new one.
 *
 * A step on the word is one step, as are those under a lock. Memory is sequentially consistent here; the
 * explorer has the word under a weaker one (tests/model/poll_test.cpp). Left out: the other direction, which
 * shares nothing but the record; readers that queue for their turn.
 *
 * BUG reverts one step, and the check must then fail:
 *   1 kb33  whoever takes `ready` stores what it has made of what it saw
 *   2 kb33  a goroutine looks and then stores itself into the word
 *   3 kb04  a goroutine is in the word before it has parked
 *   4 kb33  a short read means "drained" also when the end has come with the bytes
 *   5 kb34  close gives back the number while a call is under way
 *   6 kb34  close takes the goroutine out and leaves no mark
 *   7 kb28  a deadline is claimed under the heap's lock and told of later
 *   8 kb37  a deadline that is moved takes `ready` along
 *   9 kb35  whom the close has woken remains counted
 *  10 kb32  a dialer takes `ready` for a connection
 *  11 kb32  a record that is used again begins as its last owner left it
 *  12 kb35  one that waits is counted when it has been waiting already
 *  13 kb28  close leaves the deadline in the heap, and who has the record next is woken by it
 *  14 kb32  a deadline is moved without a reference to the descriptor
 */
#ifndef BUG
#define BUG 0
#endif

#define READY 1
#define EXPIRED 2
#define CLOSED 4
#define BITS 7
#define g_of(i) (8 << (i))
#define READER 0
#define DIALER 1

#define NONE 0              /* limit */
#define NEAR 1
#define FAR 2

byte word, waiters;
bit ended, drained;         /* poll_desc::ended, fd::drained_ */
byte generation;            /* of the record */
bit mu_closed;              /* fd_mutex; its references: */
byte refs;
bit gone, freed;            /* the number is given back, the record is */
bit mu, evicted;            /* poll_desc::mu, and what it guards beside the deadline */

byte data, tag;             /* the kernel's: bytes that wait, the tag of the number in epoll */
bit fin, edge, connected;   /* the peer's end, epoll has something to tell, the dialer has a peer */
byte owner = 1;             /* whose the number is: 0 nobody's, 1 the reader's, 2 the dialer's */

bit timer_on;               /* the deadline is in the heap, and near */
byte limit;                 /* what the user wants */
bit parked[2], readied[2];
byte got;                   /* bytes read */
bit saw_end, closes;        /* the scene: somebody closes */
bit reader_done, close_done;

inline goready(gs) {
    atomic {
        assert((gs & (gs - 1)) == 0);
        assert(parked[gs / g_of(1)] && !readied[gs / g_of(1)]);
        readied[gs / g_of(1)] = 1
    }
}

/* Whoever was in the word goes on. */
inline let_go(counted) {
    if
    :: out != 0 ->
        goready(out);
        if
        :: counted -> atomic { assert(waiters > 0); waiters-- }
        :: else
        fi
    :: else
    fi;
    out = 0
}

inline set(bits) { atomic { out = word & ~BITS; word = (word & BITS) | (bits) } }

/* No deadline but the near one is ever told of. */
inline load_word() { atomic { seen = word; assert(!(seen & EXPIRED) || limit == NEAR) } }

/* seen: what the call finds; READY is used up. */
inline take() {
    do
    :: load_word();
        assert(seen <= BITS);
        if
        :: seen & CLOSED -> seen = CLOSED; break
        :: !(seen & CLOSED) && (seen & EXPIRED) -> break
        :: seen == 0 -> break
        :: seen == READY ->
#if BUG == 1
            word = 0;
            break
#else
            if
            :: atomic { word == seen -> word = 0 }; break
            :: atomic { word != seen -> skip }
            fi
#endif
        fi
    od
}

/* poll_wait: returns with `seen`, which is not 0. */
inline wait(me) {
    do
    :: take();
        if
        :: seen != 0 -> break
        :: else
        fi;
#if BUG == 3
        atomic { waiters++; seen = word };
        if
        :: atomic { seen == 0 -> word = word | g_of(me) }; parked[me] = 1
        :: else -> waiters--
        fi;
#else
        parked[me] = 1;  /* gopark: off its stack; begin_wait */
#if BUG != 12
        waiters++;
#endif
#if BUG == 2
        seen = word;
        if
        :: seen == 0 -> word = g_of(me)
        :: else -> atomic { waiters--; parked[me] = 0 }
        fi;
#else
        if
        :: atomic { word == 0 -> word = g_of(me) }
        :: atomic { word != 0 -> parked[me] = 0; waiters = waiters - (BUG != 12) }
        fi;
#endif
#if BUG == 12
        waiters = waiters + parked[me];
#endif
#endif
        if
        :: parked[me] -> atomic { readied[me] -> parked[me] = 0; readied[me] = 0 }
        :: else
        fi
    od
}

inline give_number_back() {
    atomic { edge = 0; tag = 0 };
    owner = 0;
    generation++;
    freed = 1;
    gone = 1
}

inline leave() {
    atomic { refs--; last = (mu_closed && refs == 0) };
    if
    :: last -> give_number_back()
    :: else
    fi;
    last = 0
}

proctype reader() {
    byte seen, n;
    bit last;
    do
    :: atomic {  /* acquire_read */
        if
        :: mu_closed -> break
        :: else -> refs++
        fi
    };
        atomic { load_word(); seen = seen & (CLOSED | EXPIRED) };  /* poll_check */
        if
        :: seen == 0 && drained -> wait(READER); drained = (seen != READY)
        :: seen == 0 && !drained -> seen = READY
        :: else
        fi;
        n = 0;
        do
        :: seen == READY && n == 0 ->
            atomic {  /* io_receive */
                assert(owner == 1);
                n = (data > 0 -> data : (fin -> 9 : 0));
                got = got + data;
                data = 0
            };
            if
            :: n == 0 -> wait(READER)
            :: n == 9 -> saw_end = 1
            :: else -> drained = (BUG == 4 || !ended)
            fi
        :: else -> break
        od;
        leave();
        if
        :: saw_end || (seen & CLOSED) -> break
        :: (seen & EXPIRED) && !(seen & CLOSED) ->
            /* Too late; once the deadline has been moved it goes on. */
            limit == FAR || evicted || mu_closed
        :: else
        fi;
        atomic { seen = 0; n = 0 }
    od;
    reader_done = 1
}

proctype peer() {
    atomic { data++; edge = edge | (tag == 1) };
    if
    :: !closes ->
        atomic { data++; edge = edge | (tag == 1) };
        atomic { fin = 1; edge = edge | (tag == 1) }
    :: else  /* nothing more comes */
    fi
}

proctype poller() {
    byte told, out;
    bit r, e;
end:
    do
    :: atomic { edge ->
            edge = 0;
            told = tag;
            r = (told == 1 -> data > 0 || fin : connected);
            e = fin && told == 1
        };
        if
        :: r && told == generation ->
            if
            :: e -> ended = 1
            :: else
            fi;
            set(READY);
            let_go(1)
        :: else
        fi;
        atomic { told = 0; r = 0; e = 0 }
    od
}

/* Runs what is due. */
proctype clock() {
    byte out;
end:
    do
    :: atomic { timer_on ->  /* the heap's lock */
            timer_on = 0;
#if BUG != 7
            set(EXPIRED)
#endif
        };
#if BUG == 7
        set(EXPIRED);
#endif
        let_go(1)
    od
}

/* fd::set_deadline: while it is inside, the record is not given back. */
inline enter() {
    atomic {
        if
        :: mu_closed -> inside = 0
        :: else -> inside = 1; refs = refs + (BUG != 14)
        fi
    }
}

inline leave_if_inside() {
    if
    :: inside && BUG != 14 -> leave()
    :: else
    fi
}

proctype user() {
    bit inside, last;
    enter();
    if
    :: inside ->
        if
        :: atomic { !mu && !evicted -> limit = NEAR; timer_on = 1 }
        :: evicted
        fi
    :: else
    fi;
    leave_if_inside();
    enter();
    if
    :: inside ->
        atomic { !mu -> mu = 1 };
        if
        :: !evicted ->
            timer_on = 0;
            atomic { word = word & ~(EXPIRED | (BUG == 8 -> READY : 0)); limit = FAR }
        :: else
        fi;
        mu = 0
    :: else
    fi;
    leave_if_inside()
}

proctype closer() {
    byte out;
    bit last;
    atomic { mu_closed = 1; refs++ };
    atomic { !mu -> mu = 1; evicted = 1 };  /* poll_evict */
#if BUG != 13
    timer_on = 0;
#endif
    atomic { out = word & ~BITS; word = (word & BITS) | (BUG == 6 -> 0 : CLOSED); mu = 0 };
    let_go(BUG != 9);
#if BUG == 5
    give_number_back();
    refs--;
#else
    leave();
#endif
    gone;
    close_done = 1
}

/* Gets the number and the record that the reader had. */
proctype dialer() {
    byte seen;
    freed && owner == 0;
    atomic { freed = 0; owner = 2; ended = 0; evicted = 0; limit = NONE };
#if BUG != 11
    word = 0;  /* poll_desc_new */
#endif
    tag = generation;
    do
    :: wait(DIALER);
        assert(!(seen & (CLOSED | EXPIRED)));
        if
        :: connected || BUG == 10 -> break
        :: else
        fi
    od;
    assert(connected)
}

proctype dialed() {
    owner == 2 && tag != 0;
    atomic { connected = 1; edge = 1 }
}

init {
    atomic {
        tag = 1;
        generation = 1;
        if
        :: closes = 1; run closer(); run dialer(); run dialed(); run poller()
        :: closes = 1; run closer(); run user(); run clock(); run poller()
        :: closes = 1; run closer(); run user(); run clock(); run dialer(); run dialed()
        :: run user(); run clock(); run poller()
        fi;
        run reader();
        run peer();
        run poller()
    };
    timeout;
    assert(reader_done);
    assert(!closes || close_done);
    assert(closes || (got == 2 && saw_end));
    assert(waiters == 0)
}
