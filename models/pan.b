	switch (t->back) {
	default: Uerror("bad return move");
	case  0: goto R999; /* nothing to undo */

		 /* PROC :init: */

	case 3: // STATE 1
		;
		;
		delproc(0, now._nr_pr-1);
		;
		goto R999;

	case 4: // STATE 2
		;
		;
		delproc(0, now._nr_pr-1);
		;
		goto R999;

	case 5: // STATE 3
		;
		;
		delproc(0, now._nr_pr-1);
		;
		goto R999;

	case 6: // STATE 4
		;
		;
		delproc(0, now._nr_pr-1);
		;
		goto R999;

	case 7: // STATE 5
		;
		;
		delproc(0, now._nr_pr-1);
		;
		goto R999;
;
		;
		;
		;
		;
		;
		;
		;
		;
		;
		
	case 13: // STATE 12
		;
		p_restor(II);
		;
		;
		goto R999;

		 /* PROC sysmon */
;
		;
		
	case 15: // STATE 3
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 16: // STATE 19
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 17: // STATE 19
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 18: // STATE 19
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 19: // STATE 19
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 20: // STATE 19
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 21: // STATE 19
		;
		now.mu = trpt->bup.ovals[2];
		now.unborn = trpt->bup.ovals[1];
		now.idle_m = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 23: // STATE 23
		;
		now.next_p[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[1];
		now.spinning[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 24: // STATE 26
		;
		((P2 *)_this)->w = trpt->bup.ovals[1];
		now.park[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;
;
		;
		
	case 26: // STATE 32
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 27: // STATE 48
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 28: // STATE 48
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 29: // STATE 48
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 30: // STATE 48
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 31: // STATE 48
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 32: // STATE 48
		;
		now.mu = trpt->bup.ovals[2];
		now.unborn = trpt->bup.ovals[1];
		now.idle_m = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 34: // STATE 52
		;
		now.next_p[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[1];
		now.spinning[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 35: // STATE 55
		;
		((P2 *)_this)->w = trpt->bup.ovals[1];
		now.park[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 36: // STATE 59
		;
		((P2 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		;
		;
		;
		;
		;
		;
		
	case 41: // STATE 63
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 42: // STATE 64
		;
		((P2 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 43: // STATE 75
		;
	/* 0 */	((P2 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 44: // STATE 76
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;

	case 45: // STATE 78
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 46: // STATE 94
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 47: // STATE 94
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 48: // STATE 94
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 49: // STATE 94
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 50: // STATE 94
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 51: // STATE 94
		;
		now.mu = trpt->bup.ovals[2];
		now.unborn = trpt->bup.ovals[1];
		now.idle_m = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 53: // STATE 98
		;
		now.next_p[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[1];
		now.spinning[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 54: // STATE 101
		;
		((P2 *)_this)->w = trpt->bup.ovals[1];
		now.park[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 55: // STATE 106
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 57: // STATE 110
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 58: // STATE 113
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 59: // STATE 129
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 60: // STATE 129
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 61: // STATE 129
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 62: // STATE 129
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 63: // STATE 129
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 64: // STATE 129
		;
		now.mu = trpt->bup.ovals[2];
		now.unborn = trpt->bup.ovals[1];
		now.idle_m = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 66: // STATE 133
		;
		now.next_p[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[1];
		now.spinning[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 67: // STATE 136
		;
		((P2 *)_this)->w = trpt->bup.ovals[1];
		now.park[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;
;
		;
		
	case 69: // STATE 141
		;
		now.idle_p = trpt->bup.oval;
		;
		goto R999;

	case 70: // STATE 142
		;
		now.idle_p_count = trpt->bup.oval;
		;
		goto R999;

	case 71: // STATE 144
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 73: // STATE 147
		;
		((P2 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 75: // STATE 149
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 77: // STATE 151
		;
		((P2 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 78: // STATE 158
		;
	/* 0 */	((P2 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 79: // STATE 159
		;
		((P2 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 81: // STATE 165
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;
;
		
	case 82: // STATE 169
		goto R999;

	case 83: // STATE 167
		;
		((P2 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 84: // STATE 174
		;
	/* 0 */	((P2 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 85: // STATE 176
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 87: // STATE 180
		;
		((P2 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 89: // STATE 182
		;
		((P2 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 91: // STATE 184
		;
		((P2 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 93: // STATE 188
		;
		now.idle_p = trpt->bup.oval;
		;
		goto R999;

	case 94: // STATE 189
		;
		now.idle_p_count = trpt->bup.oval;
		;
		goto R999;

	case 95: // STATE 194
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 97: // STATE 197
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 98: // STATE 201
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 100: // STATE 205
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 101: // STATE 221
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 102: // STATE 221
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 103: // STATE 221
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 104: // STATE 221
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 105: // STATE 221
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P2 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 106: // STATE 221
		;
		now.mu = trpt->bup.ovals[2];
		now.unborn = trpt->bup.ovals[1];
		now.idle_m = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 108: // STATE 225
		;
		now.next_p[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[1];
		now.spinning[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 109: // STATE 228
		;
		((P2 *)_this)->w = trpt->bup.ovals[1];
		now.park[ Index(((P2 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 110: // STATE 238
		;
		((P2 *)_this)->q = trpt->bup.ovals[1];
		((P2 *)_this)->won = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 111: // STATE 253
		;
		p_restor(II);
		;
		;
		goto R999;

		 /* PROC foreign_thread */

	case 112: // STATE 4
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 113: // STATE 8
		;
		now.global = trpt->bup.ovals[1];
		now.begun = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 114: // STATE 10
		;
		now.runq_size = trpt->bup.oval;
		;
		goto R999;

	case 115: // STATE 11
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 116: // STATE 13
		;
		((P1 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 118: // STATE 15
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 120: // STATE 17
		;
		((P1 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 121: // STATE 24
		;
	/* 0 */	((P1 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 122: // STATE 25
		;
		((P1 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 124: // STATE 31
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;
;
		
	case 125: // STATE 35
		goto R999;

	case 126: // STATE 33
		;
		((P1 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 127: // STATE 40
		;
	/* 0 */	((P1 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 128: // STATE 42
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 130: // STATE 46
		;
		((P1 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 132: // STATE 48
		;
		((P1 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 134: // STATE 50
		;
		((P1 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 136: // STATE 54
		;
		now.idle_p = trpt->bup.oval;
		;
		goto R999;

	case 137: // STATE 55
		;
		now.idle_p_count = trpt->bup.oval;
		;
		goto R999;

	case 138: // STATE 60
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 140: // STATE 63
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 141: // STATE 67
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 143: // STATE 71
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 144: // STATE 87
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P1 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 145: // STATE 87
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P1 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 146: // STATE 87
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P1 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 147: // STATE 87
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P1 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 148: // STATE 87
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P1 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 149: // STATE 87
		;
		now.mu = trpt->bup.ovals[2];
		now.unborn = trpt->bup.ovals[1];
		now.idle_m = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 151: // STATE 91
		;
		now.next_p[ Index(((P1 *)_this)->w, 3) ] = trpt->bup.ovals[1];
		now.spinning[ Index(((P1 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 152: // STATE 94
		;
		((P1 *)_this)->w = trpt->bup.ovals[1];
		now.park[ Index(((P1 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 153: // STATE 104
		;
		((P1 *)_this)->q = trpt->bup.ovals[1];
		((P1 *)_this)->won = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 154: // STATE 111
		;
		now.list_has = trpt->bup.ovals[1];
		now.list_mu = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 155: // STATE 113
		;
		now.list_mu = trpt->bup.oval;
		;
		goto R999;

	case 156: // STATE 118
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 157: // STATE 122
		;
		now.global = trpt->bup.ovals[1];
		now.begun = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 158: // STATE 124
		;
		now.runq_size = trpt->bup.oval;
		;
		goto R999;

	case 159: // STATE 125
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 160: // STATE 127
		;
		((P1 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 162: // STATE 129
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 164: // STATE 131
		;
		((P1 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 165: // STATE 138
		;
	/* 0 */	((P1 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 166: // STATE 139
		;
		((P1 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 168: // STATE 145
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;
;
		
	case 169: // STATE 149
		goto R999;

	case 170: // STATE 147
		;
		((P1 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 171: // STATE 154
		;
	/* 0 */	((P1 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 172: // STATE 156
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 174: // STATE 160
		;
		((P1 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 176: // STATE 162
		;
		((P1 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 178: // STATE 164
		;
		((P1 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 180: // STATE 168
		;
		now.idle_p = trpt->bup.oval;
		;
		goto R999;

	case 181: // STATE 169
		;
		now.idle_p_count = trpt->bup.oval;
		;
		goto R999;

	case 182: // STATE 174
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 184: // STATE 177
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 185: // STATE 181
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 187: // STATE 185
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 188: // STATE 201
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P1 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 189: // STATE 201
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P1 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 190: // STATE 201
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P1 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 191: // STATE 201
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P1 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 192: // STATE 201
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P1 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 193: // STATE 201
		;
		now.mu = trpt->bup.ovals[2];
		now.unborn = trpt->bup.ovals[1];
		now.idle_m = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 195: // STATE 205
		;
		now.next_p[ Index(((P1 *)_this)->w, 3) ] = trpt->bup.ovals[1];
		now.spinning[ Index(((P1 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 196: // STATE 208
		;
		((P1 *)_this)->w = trpt->bup.ovals[1];
		now.park[ Index(((P1 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 197: // STATE 218
		;
		((P1 *)_this)->q = trpt->bup.ovals[1];
		((P1 *)_this)->won = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 198: // STATE 223
		;
		p_restor(II);
		;
		;
		goto R999;

		 /* PROC m */

	case 199: // STATE 1
		;
	/* 0 */	((P0 *)_this)->gp = trpt->bup.oval;
		;
		;
		goto R999;

	case 200: // STATE 7
		;
		((P0 *)_this)->next = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 202: // STATE 14
		;
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = trpt->bup.ovals[1];
		((P0 *)_this)->next = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;
;
		;
		;
		;
		
	case 205: // STATE 24
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 206: // STATE 29
		;
		((P0 *)_this)->rest = trpt->bup.ovals[2];
		now.global = trpt->bup.ovals[1];
		((P0 *)_this)->next = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 207: // STATE 32
		;
		now.global = trpt->bup.ovals[1];
		((P0 *)_this)->rest = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;
;
		
	case 208: // STATE 35
		goto R999;
;
		;
		
	case 210: // STATE 38
		;
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = trpt->bup.oval;
		;
		goto R999;

	case 211: // STATE 39
		;
		((P0 *)_this)->rest = trpt->bup.oval;
		;
		goto R999;

	case 212: // STATE 43
		;
		now.runq_size = trpt->bup.oval;
		;
		goto R999;

	case 213: // STATE 45
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		;
		;
		
	case 216: // STATE 56
		;
		((P0 *)_this)->busy = trpt->bup.oval;
		;
		goto R999;

	case 217: // STATE 57
		;
	/* 0 */	((P0 *)_this)->busy = trpt->bup.oval;
		;
		;
		goto R999;

	case 218: // STATE 58
		;
		((P0 *)_this)->busy = trpt->bup.oval;
		;
		goto R999;

	case 219: // STATE 61
		;
		((P0 *)_this)->busy = trpt->bup.oval;
		;
		goto R999;

	case 220: // STATE 62
		;
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = trpt->bup.oval;
		;
		goto R999;

	case 221: // STATE 63
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 222: // STATE 64
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;

	case 223: // STATE 71
		;
		((P0 *)_this)->rest = trpt->bup.ovals[1];
		((P0 *)_this)->next = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 224: // STATE 77
		;
		now.ring[ Index((2-((P0 *)_this)->pp), 2) ] = trpt->bup.ovals[1];
		((P0 *)_this)->rest = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 225: // STATE 77
		;
		now.ring[ Index((2-((P0 *)_this)->pp), 2) ] = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 227: // STATE 80
		;
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = trpt->bup.oval;
		;
		goto R999;

	case 228: // STATE 81
		;
		((P0 *)_this)->rest = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 230: // STATE 92
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 231: // STATE 97
		;
		((P0 *)_this)->rest = trpt->bup.ovals[2];
		now.global = trpt->bup.ovals[1];
		((P0 *)_this)->next = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 232: // STATE 100
		;
		now.global = trpt->bup.ovals[1];
		((P0 *)_this)->rest = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;
;
		
	case 233: // STATE 103
		goto R999;
;
		;
		
	case 235: // STATE 106
		;
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = trpt->bup.oval;
		;
		goto R999;

	case 236: // STATE 107
		;
		((P0 *)_this)->rest = trpt->bup.oval;
		;
		goto R999;

	case 237: // STATE 111
		;
		now.runq_size = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 239: // STATE 114
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 241: // STATE 121
		;
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = trpt->bup.oval;
		;
		goto R999;

	case 242: // STATE 122
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 243: // STATE 123
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;

	case 244: // STATE 125
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 246: // STATE 132
		;
		now.idle_p = trpt->bup.oval;
		;
		goto R999;

	case 247: // STATE 133
		;
		now.idle_p_count = trpt->bup.oval;
		;
		goto R999;

	case 248: // STATE 135
		;
		((P0 *)_this)->pp = trpt->bup.oval;
		;
		goto R999;
;
		;
		;
		;
		
	case 251: // STATE 138
		;
		((P0 *)_this)->pp = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 253: // STATE 140
		;
		((P0 *)_this)->pp = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 255: // STATE 142
		;
		((P0 *)_this)->pp = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 257: // STATE 146
		;
		now.idle_p = trpt->bup.oval;
		;
		goto R999;

	case 258: // STATE 147
		;
		now.idle_p_count = trpt->bup.oval;
		;
		goto R999;

	case 259: // STATE 152
		;
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = trpt->bup.oval;
		;
		goto R999;

	case 260: // STATE 153
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 261: // STATE 154
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;

	case 262: // STATE 156
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 263: // STATE 162
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 265: // STATE 165
		;
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 267: // STATE 167
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 268: // STATE 168
		;
		((P0 *)_this)->work = trpt->bup.oval;
		;
		goto R999;

	case 269: // STATE 169
		;
		((P0 *)_this)->work = trpt->bup.oval;
		;
		goto R999;

	case 270: // STATE 170
		;
		((P0 *)_this)->work = trpt->bup.oval;
		;
		goto R999;

	case 271: // STATE 171
		;
		((P0 *)_this)->work = trpt->bup.oval;
		;
		goto R999;

	case 272: // STATE 174
		;
		((P0 *)_this)->work = trpt->bup.ovals[1];
	/* 0 */	((P0 *)_this)->work = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 273: // STATE 176
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 275: // STATE 180
		;
		((P0 *)_this)->pp = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 277: // STATE 182
		;
		((P0 *)_this)->pp = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 279: // STATE 184
		;
		((P0 *)_this)->pp = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 281: // STATE 188
		;
		now.idle_p = trpt->bup.oval;
		;
		goto R999;

	case 282: // STATE 189
		;
		now.idle_p_count = trpt->bup.oval;
		;
		goto R999;

	case 283: // STATE 194
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;

	case 284: // STATE 196
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 286: // STATE 199
		;
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = trpt->bup.oval;
		;
		goto R999;

	case 287: // STATE 200
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 288: // STATE 201
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 290: // STATE 215
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 291: // STATE 220
		;
		now.idle_m = trpt->bup.ovals[1];
		now.park[ Index(((P0 *)_this)->self, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 292: // STATE 222
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 293: // STATE 225
		;
		now.park[ Index(((P0 *)_this)->self, 3) ] = trpt->bup.oval;
		;
		goto R999;
;
		
	case 294: // STATE 228
		goto R999;
;
		;
		;
		;
		
	case 297: // STATE 233
		;
		now.next_p[ Index(((P0 *)_this)->self, 3) ] = trpt->bup.ovals[1];
		((P0 *)_this)->pp = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;
;
		;
		
	case 299: // STATE 237
		;
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 301: // STATE 239
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 302: // STATE 240
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 304: // STATE 242
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 306: // STATE 244
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 307: // STATE 251
		;
	/* 0 */	((P0 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 308: // STATE 252
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 310: // STATE 258
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;
;
		
	case 311: // STATE 262
		goto R999;

	case 312: // STATE 260
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 313: // STATE 267
		;
	/* 0 */	((P0 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 314: // STATE 269
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 316: // STATE 273
		;
		((P0 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 318: // STATE 275
		;
		((P0 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 320: // STATE 277
		;
		((P0 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 322: // STATE 281
		;
		now.idle_p = trpt->bup.oval;
		;
		goto R999;

	case 323: // STATE 282
		;
		now.idle_p_count = trpt->bup.oval;
		;
		goto R999;

	case 324: // STATE 287
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 326: // STATE 290
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 327: // STATE 294
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 329: // STATE 298
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 330: // STATE 314
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 331: // STATE 314
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 332: // STATE 314
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 333: // STATE 314
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 334: // STATE 314
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 335: // STATE 314
		;
		now.mu = trpt->bup.ovals[2];
		now.unborn = trpt->bup.ovals[1];
		now.idle_m = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 337: // STATE 318
		;
		now.next_p[ Index(((P0 *)_this)->w, 3) ] = trpt->bup.ovals[1];
		now.spinning[ Index(((P0 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 338: // STATE 321
		;
		((P0 *)_this)->w = trpt->bup.ovals[1];
		now.park[ Index(((P0 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 339: // STATE 331
		;
		((P0 *)_this)->q = trpt->bup.ovals[1];
		((P0 *)_this)->won = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 340: // STATE 341
		;
		((P0 *)_this)->next = trpt->bup.ovals[3];
		((P0 *)_this)->gp = trpt->bup.ovals[2];
		now.runs = trpt->bup.ovals[1];
		now.saved = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;
;
		;
		
	case 342: // STATE 347
		;
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = trpt->bup.ovals[1];
		now.begun = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 343: // STATE 349
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 345: // STATE 351
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 347: // STATE 353
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 348: // STATE 360
		;
	/* 0 */	((P0 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 349: // STATE 361
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 351: // STATE 367
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;
;
		
	case 352: // STATE 371
		goto R999;

	case 353: // STATE 369
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 354: // STATE 376
		;
	/* 0 */	((P0 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 355: // STATE 378
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 357: // STATE 382
		;
		((P0 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 359: // STATE 384
		;
		((P0 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 361: // STATE 386
		;
		((P0 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 363: // STATE 390
		;
		now.idle_p = trpt->bup.oval;
		;
		goto R999;

	case 364: // STATE 391
		;
		now.idle_p_count = trpt->bup.oval;
		;
		goto R999;

	case 365: // STATE 396
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 367: // STATE 399
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 368: // STATE 403
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 370: // STATE 407
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 371: // STATE 423
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 372: // STATE 423
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 373: // STATE 423
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 374: // STATE 423
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 375: // STATE 423
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 376: // STATE 423
		;
		now.mu = trpt->bup.ovals[2];
		now.unborn = trpt->bup.ovals[1];
		now.idle_m = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 378: // STATE 427
		;
		now.next_p[ Index(((P0 *)_this)->w, 3) ] = trpt->bup.ovals[1];
		now.spinning[ Index(((P0 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 379: // STATE 430
		;
		((P0 *)_this)->w = trpt->bup.ovals[1];
		now.park[ Index(((P0 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 380: // STATE 440
		;
		((P0 *)_this)->q = trpt->bup.ovals[1];
		((P0 *)_this)->won = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 381: // STATE 451
		;
		((P0 *)_this)->gp = trpt->bup.ovals[2];
		now.ended = trpt->bup.ovals[1];
		now.runs = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 382: // STATE 459
		;
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = trpt->bup.ovals[1];
		now.begun = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 383: // STATE 461
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 385: // STATE 463
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 387: // STATE 465
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 388: // STATE 472
		;
	/* 0 */	((P0 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 389: // STATE 473
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 391: // STATE 479
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;
;
		
	case 392: // STATE 483
		goto R999;

	case 393: // STATE 481
		;
		((P0 *)_this)->won = trpt->bup.oval;
		;
		goto R999;

	case 394: // STATE 488
		;
	/* 0 */	((P0 *)_this)->won = trpt->bup.oval;
		;
		;
		goto R999;

	case 395: // STATE 490
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 397: // STATE 494
		;
		((P0 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 399: // STATE 496
		;
		((P0 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 401: // STATE 498
		;
		((P0 *)_this)->q = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 403: // STATE 502
		;
		now.idle_p = trpt->bup.oval;
		;
		goto R999;

	case 404: // STATE 503
		;
		now.idle_p_count = trpt->bup.oval;
		;
		goto R999;

	case 405: // STATE 508
		;
		now.need_spinning = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 407: // STATE 511
		;
		now.nmspinning = trpt->bup.oval;
		;
		goto R999;

	case 408: // STATE 515
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 410: // STATE 519
		;
		now.mu = trpt->bup.oval;
		;
		goto R999;

	case 411: // STATE 535
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 412: // STATE 535
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 413: // STATE 535
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 414: // STATE 535
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 415: // STATE 535
		;
		now.mu = trpt->bup.ovals[3];
		now.unborn = trpt->bup.ovals[2];
		now.idle_m = trpt->bup.ovals[1];
		((P0 *)_this)->w = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 416: // STATE 535
		;
		now.mu = trpt->bup.ovals[2];
		now.unborn = trpt->bup.ovals[1];
		now.idle_m = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 418: // STATE 539
		;
		now.next_p[ Index(((P0 *)_this)->w, 3) ] = trpt->bup.ovals[1];
		now.spinning[ Index(((P0 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 419: // STATE 542
		;
		((P0 *)_this)->w = trpt->bup.ovals[1];
		now.park[ Index(((P0 *)_this)->w, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 420: // STATE 552
		;
		((P0 *)_this)->q = trpt->bup.ovals[1];
		((P0 *)_this)->won = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 421: // STATE 558
		;
		now.list_mu = trpt->bup.oval;
		;
		goto R999;

	case 422: // STATE 561
		;
		now.list_has = trpt->bup.oval;
		;
		goto R999;

	case 423: // STATE 563
		;
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = trpt->bup.ovals[1];
		((P0 *)_this)->next = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 424: // STATE 567
		;
		((P0 *)_this)->gp = trpt->bup.ovals[2];
		now.runs = trpt->bup.ovals[1];
		now.saved = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 425: // STATE 569
		;
		now.list_mu = trpt->bup.oval;
		;
		goto R999;
;
		;
		;
		;
		
	case 428: // STATE 578
		;
		p_restor(II);
		;
		;
		goto R999;
	}

