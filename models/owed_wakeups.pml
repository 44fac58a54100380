/* Wake-ups that are left to sysmon: wakep_later, wake_owed and sysmon_alert.
 *
 * Two submitters queue a goroutine each and leave the wake-up to sysmon, if sysmon is alert; the ms
 * that they run on compute for ever and take nothing back. sysmon is alert for ROUNDS rounds after
 * it has taken word; when it is not, its next round may be as far away as it likes (it sleeps).
 *
 * Claim, for every interleaving (kb01): when nothing moves any more no goroutine is left in a queue.
 * What wakep itself promises is the business of park_wake.pml: here it finds whatever is queued.
 * Every access to a shared word is a step. Labels carry the names of src/sched/{wakeup,sysmon}.cpp.
 *
 * BUG reverts one step, and the check must then fail:
 *   1 kb01  sysmon looks for word and work before it stops being alert, not after
 *   2 kb01  the submitter looks whether sysmon is alert before it leaves word
 *   3 kb01  the submitter queues its goroutine after it has looked whether sysmon is alert
 *   4 kb01  sysmon stops being alert and looks for nothing afterwards
 */
#ifndef BUG
#define BUG 0
#endif

#define ROUNDS 2

byte queued;  /* a set of goroutines that nobody has taken */
bit owed, alert;
byte left;    /* sysmon's alert_left */

#define wakep() queued = 0

proctype submitter(byte gp) {
    bit is_alert;
#if BUG == 2
    is_alert = alert;
#endif
#if BUG != 3
    queued = queued | gp;
#endif
    if
    :: owed
    :: else -> owed = 1
    fi;
#if BUG != 2
    is_alert = alert;
#endif
#if BUG == 3
    queued = queued | gp;
#endif
    if
    :: is_alert
    :: else -> wakep()
    fi
}

proctype sysmon() {
    bit taken, wanted;
progress_round:  /* sysmon goes round for ever */
    atomic { taken = owed; owed = 0 };
    if  /* settle_owed_wakeups */
    :: taken -> left = ROUNDS; alert = 1
    :: !taken && left > 0 ->
        left--;
        if
        :: left == 0 ->  /* stop_being_alert */
#if BUG == 1
            wanted = owed;
            wanted = wanted || queued != 0;
            alert = 0;
#else
            alert = 0;
#if BUG != 4
            wanted = owed;
            wanted = wanted || queued != 0;
#endif
#endif
            if
            :: wanted -> wakep(); wanted = 0
            :: else
            fi
        :: else
        fi
    :: else
    fi;
    if
    :: left > 0 && queued != 0 -> wakep()
    :: else
    fi;
    if
    :: left > 0 -> goto progress_round
    :: left == 0 -> goto progress_round
    :: left == 0 -> goto end_naps
    fi;
end_naps:
    false
}

init {
    atomic {
        if
        :: alert = 1; left = 1
        :: left = 0
        fi;
        run submitter(1);
        run submitter(2);
        run sysmon()
    };
    timeout;
    assert(queued == 0)
}
