#define rand	pan_rand
#define pthread_equal(a,b)	((a)==(b))
#if defined(HAS_CODE) && defined(VERBOSE)
	#ifdef BFS_PAR
		bfs_printf("Pr: %d Tr: %d\n", II, t->forw);
	#else
		cpu_printf("Pr: %d Tr: %d\n", II, t->forw);
	#endif
#endif
	switch (t->forw) {
	default: Uerror("bad forward move");
	case 0:	/* if without executable clauses */
		continue;
	case 1: /* generic 'goto' or 'skip' */
		IfNotBlocked
		_m = 3; goto P999;
	case 2: /* generic 'else' */
		IfNotBlocked
		if (trpt->o_pm&1) continue;
		_m = 3; goto P999;

		 /* PROC :init: */
	case 3: // STATE 1 - park_wake.pml:485 - [(run m(0,1,1))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][1] = 1;
		if (!(addproc(II, 1, 0, 0, 1, 1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 4: // STATE 2 - park_wake.pml:486 - [(run m(1,0,0))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][2] = 1;
		if (!(addproc(II, 1, 0, 1, 0, 0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 5: // STATE 3 - park_wake.pml:487 - [(run m(2,0,0))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][3] = 1;
		if (!(addproc(II, 1, 0, 2, 0, 0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 6: // STATE 4 - park_wake.pml:488 - [(run foreign_thread())] (0:0:0 - 1)
		IfNotBlocked
		reached[3][4] = 1;
		if (!(addproc(II, 1, 1, 0, 0, 0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 7: // STATE 5 - park_wake.pml:489 - [(run sysmon())] (0:0:0 - 1)
		IfNotBlocked
		reached[3][5] = 1;
		if (!(addproc(II, 1, 2, 0, 0, 0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 8: // STATE 7 - park_wake.pml:491 - [(timeout)] (0:0:0 - 1)
		IfNotBlocked
		reached[3][7] = 1;
		if (!(((trpt->tau)&1)))
			continue;
		_m = 1; goto P999; /* 0 */
	case 9: // STATE 8 - park_wake.pml:492 - [assert(((!(mu)&&!(list_mu))&&(nmspinning==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][8] = 1;
		spin_assert((( !(((int)now.mu))&& !(((int)now.list_mu)))&&(((int)now.nmspinning)==0)), "(( !(mu)&& !(list_mu))&&(nmspinning==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 10: // STATE 9 - park_wake.pml:493 - [assert(((idle_p_count==((((idle_p&1)+((idle_p>>1)&1))+((idle_p>>2)&1))+((idle_p>>3)&1)))&&(runq_size==((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1)))))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][9] = 1;
		spin_assert(((((int)now.idle_p_count)==((((((int)now.idle_p)&1)+((((int)now.idle_p)>>1)&1))+((((int)now.idle_p)>>2)&1))+((((int)now.idle_p)>>3)&1)))&&(((int)now.runq_size)==((((((int)now.global)&1)+((((int)now.global)>>1)&1))+((((int)now.global)>>2)&1))+((((int)now.global)>>3)&1)))), "((idle_p_count==((((idle_p&1)+((idle_p>>1)&1))+((idle_p>>2)&1))+((idle_p>>3)&1)))&&(runq_size==((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1))))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 11: // STATE 10 - park_wake.pml:494 - [assert(((idle_p==0)||(((ring[0]|ring[1])|global)==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][10] = 1;
		spin_assert(((((int)now.idle_p)==0)||(((((int)now.ring[0])|((int)now.ring[1]))|((int)now.global))==0)), "((idle_p==0)||(((ring[0]|ring[1])|global)==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 12: // STATE 11 - park_wake.pml:495 - [assert(((((((ring[0]|ring[1])|global)|runs)|ended)==begun)||list_has))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][11] = 1;
		spin_assert(((((((((int)now.ring[0])|((int)now.ring[1]))|((int)now.global))|((int)now.runs))|((int)now.ended))==((int)now.begun))||((int)now.list_has)), "((((((ring[0]|ring[1])|global)|runs)|ended)==begun)||list_has)", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 13: // STATE 12 - park_wake.pml:496 - [-end-] (0:0:0 - 1)
		IfNotBlocked
		reached[3][12] = 1;
		if (!delproc(1, II)) continue;
		_m = 3; goto P999; /* 0 */

		 /* PROC sysmon */
	case 14: // STATE 1 - park_wake.pml:128 - [((ring[(2-1)]!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][1] = 1;
		if (!((((int)now.ring[ Index((2-1), 2) ])!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 15: // STATE 2 - park_wake.pml:95 - [((!(mu)&&((idle_m|unborn)!=0)))] (20:0:1 - 1)
		IfNotBlocked
		reached[2][2] = 1;
		if (!(( !(((int)now.mu))&&((((int)now.idle_m)|((int)now.unborn))!=0))))
			continue;
		/* merge: mu = 1(0, 3, 20) */
		reached[2][3] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 16: // STATE 5 - park_wake.pml:98 - [((idle_m&1))] (21:0:4 - 1)
		IfNotBlocked
		reached[2][5] = 1;
		if (!((((int)now.idle_m)&1)))
			continue;
		/* merge: w = 0(21, 6, 21) */
		reached[2][6] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(21, 16, 21) */
		reached[2][16] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(21, 17, 21) */
		reached[2][17] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(21, 18, 21) */
		reached[2][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(21, 19, 21) */
		reached[2][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 17: // STATE 7 - park_wake.pml:99 - [((idle_m&2))] (21:0:4 - 1)
		IfNotBlocked
		reached[2][7] = 1;
		if (!((((int)now.idle_m)&2)))
			continue;
		/* merge: w = 1(21, 8, 21) */
		reached[2][8] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(21, 16, 21) */
		reached[2][16] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(21, 17, 21) */
		reached[2][17] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(21, 18, 21) */
		reached[2][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(21, 19, 21) */
		reached[2][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 18: // STATE 9 - park_wake.pml:100 - [((idle_m&4))] (21:0:4 - 1)
		IfNotBlocked
		reached[2][9] = 1;
		if (!((((int)now.idle_m)&4)))
			continue;
		/* merge: w = 2(21, 10, 21) */
		reached[2][10] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(21, 16, 21) */
		reached[2][16] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(21, 17, 21) */
		reached[2][17] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(21, 18, 21) */
		reached[2][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(21, 19, 21) */
		reached[2][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 19: // STATE 11 - park_wake.pml:101 - [(((idle_m==0)&&(unborn&2)))] (21:0:4 - 1)
		IfNotBlocked
		reached[2][11] = 1;
		if (!(((((int)now.idle_m)==0)&&(((int)now.unborn)&2))))
			continue;
		/* merge: w = 1(21, 12, 21) */
		reached[2][12] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(21, 16, 21) */
		reached[2][16] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(21, 17, 21) */
		reached[2][17] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(21, 18, 21) */
		reached[2][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(21, 19, 21) */
		reached[2][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 20: // STATE 13 - park_wake.pml:102 - [(((idle_m==0)&&!((unborn&2))))] (21:0:4 - 1)
		IfNotBlocked
		reached[2][13] = 1;
		if (!(((((int)now.idle_m)==0)&& !((((int)now.unborn)&2)))))
			continue;
		/* merge: w = 2(21, 14, 21) */
		reached[2][14] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(21, 16, 21) */
		reached[2][16] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(21, 17, 21) */
		reached[2][17] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(21, 18, 21) */
		reached[2][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(21, 19, 21) */
		reached[2][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 21: // STATE 17 - park_wake.pml:105 - [idle_m = (idle_m&~((1<<w)))] (0:21:3 - 6)
		IfNotBlocked
		reached[2][17] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(21, 18, 21) */
		reached[2][18] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(21, 19, 21) */
		reached[2][19] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 22: // STATE 21 - park_wake.pml:110 - [assert((!(spinning[w])&&(next_p[w]==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][21] = 1;
		spin_assert(( !(((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]))&&(((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ])==0)), "( !(spinning[w])&&(next_p[w]==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 23: // STATE 22 - park_wake.pml:111 - [spinning[w] = 0] (0:27:2 - 1)
		IfNotBlocked
		reached[2][22] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.spinning[ Index(((P2 *)_this)->w, 3) ] = 0;
#ifdef VAR_RANGES
		logval("spinning[sysmon:w]", ((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		/* merge: next_p[w] = 2(27, 23, 27) */
		reached[2][23] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.next_p[ Index(((P2 *)_this)->w, 3) ] = 2;
#ifdef VAR_RANGES
		logval("next_p[sysmon:w]", ((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 24: // STATE 25 - park_wake.pml:119 - [park[w] = 1] (0:253:2 - 1)
		IfNotBlocked
		reached[2][25] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.park[ Index(((P2 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("park[sysmon:w]", ((int)now.park[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		/* merge: w = 0(253, 26, 253) */
		reached[2][26] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(0, 251, 253) */
		reached[2][251] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 25: // STATE 30 - park_wake.pml:132 - [((runq_size!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][30] = 1;
		if (!((((int)now.runq_size)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 26: // STATE 31 - park_wake.pml:95 - [((!(mu)&&((idle_m|unborn)!=0)))] (49:0:1 - 1)
		IfNotBlocked
		reached[2][31] = 1;
		if (!(( !(((int)now.mu))&&((((int)now.idle_m)|((int)now.unborn))!=0))))
			continue;
		/* merge: mu = 1(0, 32, 49) */
		reached[2][32] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 27: // STATE 34 - park_wake.pml:98 - [((idle_m&1))] (50:0:4 - 1)
		IfNotBlocked
		reached[2][34] = 1;
		if (!((((int)now.idle_m)&1)))
			continue;
		/* merge: w = 0(50, 35, 50) */
		reached[2][35] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(50, 45, 50) */
		reached[2][45] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(50, 46, 50) */
		reached[2][46] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(50, 47, 50) */
		reached[2][47] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(50, 48, 50) */
		reached[2][48] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 28: // STATE 36 - park_wake.pml:99 - [((idle_m&2))] (50:0:4 - 1)
		IfNotBlocked
		reached[2][36] = 1;
		if (!((((int)now.idle_m)&2)))
			continue;
		/* merge: w = 1(50, 37, 50) */
		reached[2][37] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(50, 45, 50) */
		reached[2][45] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(50, 46, 50) */
		reached[2][46] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(50, 47, 50) */
		reached[2][47] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(50, 48, 50) */
		reached[2][48] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 29: // STATE 38 - park_wake.pml:100 - [((idle_m&4))] (50:0:4 - 1)
		IfNotBlocked
		reached[2][38] = 1;
		if (!((((int)now.idle_m)&4)))
			continue;
		/* merge: w = 2(50, 39, 50) */
		reached[2][39] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(50, 45, 50) */
		reached[2][45] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(50, 46, 50) */
		reached[2][46] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(50, 47, 50) */
		reached[2][47] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(50, 48, 50) */
		reached[2][48] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 30: // STATE 40 - park_wake.pml:101 - [(((idle_m==0)&&(unborn&2)))] (50:0:4 - 1)
		IfNotBlocked
		reached[2][40] = 1;
		if (!(((((int)now.idle_m)==0)&&(((int)now.unborn)&2))))
			continue;
		/* merge: w = 1(50, 41, 50) */
		reached[2][41] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(50, 45, 50) */
		reached[2][45] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(50, 46, 50) */
		reached[2][46] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(50, 47, 50) */
		reached[2][47] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(50, 48, 50) */
		reached[2][48] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 31: // STATE 42 - park_wake.pml:102 - [(((idle_m==0)&&!((unborn&2))))] (50:0:4 - 1)
		IfNotBlocked
		reached[2][42] = 1;
		if (!(((((int)now.idle_m)==0)&& !((((int)now.unborn)&2)))))
			continue;
		/* merge: w = 2(50, 43, 50) */
		reached[2][43] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(50, 45, 50) */
		reached[2][45] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(50, 46, 50) */
		reached[2][46] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(50, 47, 50) */
		reached[2][47] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(50, 48, 50) */
		reached[2][48] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 32: // STATE 46 - park_wake.pml:105 - [idle_m = (idle_m&~((1<<w)))] (0:50:3 - 6)
		IfNotBlocked
		reached[2][46] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(50, 47, 50) */
		reached[2][47] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(50, 48, 50) */
		reached[2][48] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 33: // STATE 50 - park_wake.pml:110 - [assert((!(spinning[w])&&(next_p[w]==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][50] = 1;
		spin_assert(( !(((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]))&&(((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ])==0)), "( !(spinning[w])&&(next_p[w]==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 34: // STATE 51 - park_wake.pml:111 - [spinning[w] = 0] (0:56:2 - 1)
		IfNotBlocked
		reached[2][51] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.spinning[ Index(((P2 *)_this)->w, 3) ] = 0;
#ifdef VAR_RANGES
		logval("spinning[sysmon:w]", ((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		/* merge: next_p[w] = 2(56, 52, 56) */
		reached[2][52] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.next_p[ Index(((P2 *)_this)->w, 3) ] = 2;
#ifdef VAR_RANGES
		logval("next_p[sysmon:w]", ((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 35: // STATE 54 - park_wake.pml:119 - [park[w] = 1] (0:253:2 - 1)
		IfNotBlocked
		reached[2][54] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.park[ Index(((P2 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("park[sysmon:w]", ((int)now.park[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		/* merge: w = 0(253, 55, 253) */
		reached[2][55] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(0, 249, 253) */
		reached[2][249] = 1;
		;
		/* merge: .(goto)(0, 251, 253) */
		reached[2][251] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 36: // STATE 59 - park_wake.pml:134 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[2][59] = 1;
		(trpt+1)->bup.oval = ((int)((P2 *)_this)->won);
		((P2 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("sysmon:won", ((int)((P2 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 37: // STATE 60 - park_wake.pml:136 - [((nmspinning==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][60] = 1;
		if (!((((int)now.nmspinning)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 38: // STATE 61 - park_wake.pml:138 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][61] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 39: // STATE 62 - park_wake.pml:139 - [((nmspinning==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][62] = 1;
		if (!((((int)now.nmspinning)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 40: // STATE 65 - park_wake.pml:139 - [((nmspinning!=0))] (0:0:0 - 3)
		IfNotBlocked
		reached[2][65] = 1;
		if (!((((int)now.nmspinning)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 41: // STATE 63 - park_wake.pml:139 - [nmspinning = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[2][63] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = 1;
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 42: // STATE 64 - park_wake.pml:139 - [won = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[2][64] = 1;
		(trpt+1)->bup.oval = ((int)((P2 *)_this)->won);
		((P2 *)_this)->won = 1;
#ifdef VAR_RANGES
		logval("sysmon:won", ((int)((P2 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 43: // STATE 75 - park_wake.pml:145 - [(won)] (0:0:1 - 1)
		IfNotBlocked
		reached[2][75] = 1;
		if (!(((int)((P2 *)_this)->won)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P2 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P2 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 44: // STATE 76 - park_wake.pml:145 - [need_spinning = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[2][76] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 0;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 45: // STATE 77 - park_wake.pml:95 - [((!(mu)&&((idle_m|unborn)!=0)))] (95:0:1 - 1)
		IfNotBlocked
		reached[2][77] = 1;
		if (!(( !(((int)now.mu))&&((((int)now.idle_m)|((int)now.unborn))!=0))))
			continue;
		/* merge: mu = 1(0, 78, 95) */
		reached[2][78] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 46: // STATE 80 - park_wake.pml:98 - [((idle_m&1))] (96:0:4 - 1)
		IfNotBlocked
		reached[2][80] = 1;
		if (!((((int)now.idle_m)&1)))
			continue;
		/* merge: w = 0(96, 81, 96) */
		reached[2][81] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(96, 91, 96) */
		reached[2][91] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(96, 92, 96) */
		reached[2][92] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(96, 93, 96) */
		reached[2][93] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(96, 94, 96) */
		reached[2][94] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 47: // STATE 82 - park_wake.pml:99 - [((idle_m&2))] (96:0:4 - 1)
		IfNotBlocked
		reached[2][82] = 1;
		if (!((((int)now.idle_m)&2)))
			continue;
		/* merge: w = 1(96, 83, 96) */
		reached[2][83] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(96, 91, 96) */
		reached[2][91] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(96, 92, 96) */
		reached[2][92] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(96, 93, 96) */
		reached[2][93] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(96, 94, 96) */
		reached[2][94] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 48: // STATE 84 - park_wake.pml:100 - [((idle_m&4))] (96:0:4 - 1)
		IfNotBlocked
		reached[2][84] = 1;
		if (!((((int)now.idle_m)&4)))
			continue;
		/* merge: w = 2(96, 85, 96) */
		reached[2][85] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(96, 91, 96) */
		reached[2][91] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(96, 92, 96) */
		reached[2][92] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(96, 93, 96) */
		reached[2][93] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(96, 94, 96) */
		reached[2][94] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 49: // STATE 86 - park_wake.pml:101 - [(((idle_m==0)&&(unborn&2)))] (96:0:4 - 1)
		IfNotBlocked
		reached[2][86] = 1;
		if (!(((((int)now.idle_m)==0)&&(((int)now.unborn)&2))))
			continue;
		/* merge: w = 1(96, 87, 96) */
		reached[2][87] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(96, 91, 96) */
		reached[2][91] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(96, 92, 96) */
		reached[2][92] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(96, 93, 96) */
		reached[2][93] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(96, 94, 96) */
		reached[2][94] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 50: // STATE 88 - park_wake.pml:102 - [(((idle_m==0)&&!((unborn&2))))] (96:0:4 - 1)
		IfNotBlocked
		reached[2][88] = 1;
		if (!(((((int)now.idle_m)==0)&& !((((int)now.unborn)&2)))))
			continue;
		/* merge: w = 2(96, 89, 96) */
		reached[2][89] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(96, 91, 96) */
		reached[2][91] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(96, 92, 96) */
		reached[2][92] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(96, 93, 96) */
		reached[2][93] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(96, 94, 96) */
		reached[2][94] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 51: // STATE 92 - park_wake.pml:105 - [idle_m = (idle_m&~((1<<w)))] (0:96:3 - 6)
		IfNotBlocked
		reached[2][92] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(96, 93, 96) */
		reached[2][93] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(96, 94, 96) */
		reached[2][94] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 52: // STATE 96 - park_wake.pml:110 - [assert((!(spinning[w])&&(next_p[w]==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][96] = 1;
		spin_assert(( !(((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]))&&(((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ])==0)), "( !(spinning[w])&&(next_p[w]==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 53: // STATE 97 - park_wake.pml:111 - [spinning[w] = 1] (0:102:2 - 1)
		IfNotBlocked
		reached[2][97] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.spinning[ Index(((P2 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[sysmon:w]", ((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		/* merge: next_p[w] = 2(102, 98, 102) */
		reached[2][98] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.next_p[ Index(((P2 *)_this)->w, 3) ] = 2;
#ifdef VAR_RANGES
		logval("next_p[sysmon:w]", ((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 54: // STATE 100 - park_wake.pml:119 - [park[w] = 1] (0:253:2 - 1)
		IfNotBlocked
		reached[2][100] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.park[ Index(((P2 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("park[sysmon:w]", ((int)now.park[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		/* merge: w = 0(253, 101, 253) */
		reached[2][101] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(0, 247, 253) */
		reached[2][247] = 1;
		;
		/* merge: .(goto)(0, 249, 253) */
		reached[2][249] = 1;
		;
		/* merge: .(goto)(0, 251, 253) */
		reached[2][251] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 55: // STATE 105 - park_wake.pml:64 - [(!(mu))] (244:0:1 - 1)
		IfNotBlocked
		reached[2][105] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 106, 244) */
		reached[2][106] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 56: // STATE 109 - park_wake.pml:149 - [((global!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][109] = 1;
		if (!((((int)now.global)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 57: // STATE 110 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[2][110] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 58: // STATE 112 - park_wake.pml:95 - [((!(mu)&&((idle_m|unborn)!=0)))] (130:0:1 - 1)
		IfNotBlocked
		reached[2][112] = 1;
		if (!(( !(((int)now.mu))&&((((int)now.idle_m)|((int)now.unborn))!=0))))
			continue;
		/* merge: mu = 1(0, 113, 130) */
		reached[2][113] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 59: // STATE 115 - park_wake.pml:98 - [((idle_m&1))] (131:0:4 - 1)
		IfNotBlocked
		reached[2][115] = 1;
		if (!((((int)now.idle_m)&1)))
			continue;
		/* merge: w = 0(131, 116, 131) */
		reached[2][116] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(131, 126, 131) */
		reached[2][126] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(131, 127, 131) */
		reached[2][127] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(131, 128, 131) */
		reached[2][128] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(131, 129, 131) */
		reached[2][129] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 60: // STATE 117 - park_wake.pml:99 - [((idle_m&2))] (131:0:4 - 1)
		IfNotBlocked
		reached[2][117] = 1;
		if (!((((int)now.idle_m)&2)))
			continue;
		/* merge: w = 1(131, 118, 131) */
		reached[2][118] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(131, 126, 131) */
		reached[2][126] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(131, 127, 131) */
		reached[2][127] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(131, 128, 131) */
		reached[2][128] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(131, 129, 131) */
		reached[2][129] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 61: // STATE 119 - park_wake.pml:100 - [((idle_m&4))] (131:0:4 - 1)
		IfNotBlocked
		reached[2][119] = 1;
		if (!((((int)now.idle_m)&4)))
			continue;
		/* merge: w = 2(131, 120, 131) */
		reached[2][120] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(131, 126, 131) */
		reached[2][126] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(131, 127, 131) */
		reached[2][127] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(131, 128, 131) */
		reached[2][128] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(131, 129, 131) */
		reached[2][129] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 62: // STATE 121 - park_wake.pml:101 - [(((idle_m==0)&&(unborn&2)))] (131:0:4 - 1)
		IfNotBlocked
		reached[2][121] = 1;
		if (!(((((int)now.idle_m)==0)&&(((int)now.unborn)&2))))
			continue;
		/* merge: w = 1(131, 122, 131) */
		reached[2][122] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(131, 126, 131) */
		reached[2][126] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(131, 127, 131) */
		reached[2][127] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(131, 128, 131) */
		reached[2][128] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(131, 129, 131) */
		reached[2][129] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 63: // STATE 123 - park_wake.pml:102 - [(((idle_m==0)&&!((unborn&2))))] (131:0:4 - 1)
		IfNotBlocked
		reached[2][123] = 1;
		if (!(((((int)now.idle_m)==0)&& !((((int)now.unborn)&2)))))
			continue;
		/* merge: w = 2(131, 124, 131) */
		reached[2][124] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(131, 126, 131) */
		reached[2][126] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(131, 127, 131) */
		reached[2][127] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(131, 128, 131) */
		reached[2][128] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(131, 129, 131) */
		reached[2][129] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 64: // STATE 127 - park_wake.pml:105 - [idle_m = (idle_m&~((1<<w)))] (0:131:3 - 6)
		IfNotBlocked
		reached[2][127] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(131, 128, 131) */
		reached[2][128] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(131, 129, 131) */
		reached[2][129] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 65: // STATE 131 - park_wake.pml:110 - [assert((!(spinning[w])&&(next_p[w]==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][131] = 1;
		spin_assert(( !(((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]))&&(((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ])==0)), "( !(spinning[w])&&(next_p[w]==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 66: // STATE 132 - park_wake.pml:111 - [spinning[w] = 0] (0:137:2 - 1)
		IfNotBlocked
		reached[2][132] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.spinning[ Index(((P2 *)_this)->w, 3) ] = 0;
#ifdef VAR_RANGES
		logval("spinning[sysmon:w]", ((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		/* merge: next_p[w] = 2(137, 133, 137) */
		reached[2][133] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.next_p[ Index(((P2 *)_this)->w, 3) ] = 2;
#ifdef VAR_RANGES
		logval("next_p[sysmon:w]", ((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 67: // STATE 135 - park_wake.pml:119 - [park[w] = 1] (0:253:2 - 1)
		IfNotBlocked
		reached[2][135] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.park[ Index(((P2 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("park[sysmon:w]", ((int)now.park[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		/* merge: w = 0(253, 136, 253) */
		reached[2][136] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(0, 245, 253) */
		reached[2][245] = 1;
		;
		/* merge: .(goto)(0, 247, 253) */
		reached[2][247] = 1;
		;
		/* merge: .(goto)(0, 249, 253) */
		reached[2][249] = 1;
		;
		/* merge: .(goto)(0, 251, 253) */
		reached[2][251] = 1;
		;
		_m = 3; goto P999; /* 5 */
	case 68: // STATE 140 - park_wake.pml:70 - [assert((ring[(2-1)]==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][140] = 1;
		spin_assert((((int)now.ring[ Index((2-1), 2) ])==0), "(ring[(2-1)]==0)", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 69: // STATE 141 - park_wake.pml:71 - [idle_p = (idle_p|(1<<(2-1)))] (0:0:1 - 1)
		IfNotBlocked
		reached[2][141] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p);
		now.idle_p = (((int)now.idle_p)|(1<<(2-1)));
#ifdef VAR_RANGES
		logval("idle_p", ((int)now.idle_p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 70: // STATE 142 - park_wake.pml:72 - [idle_p_count = (idle_p_count+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[2][142] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p_count);
		now.idle_p_count = (((int)now.idle_p_count)+1);
#ifdef VAR_RANGES
		logval("idle_p_count", ((int)now.idle_p_count));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 71: // STATE 144 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[2][144] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 72: // STATE 146 - park_wake.pml:155 - [(need_spinning)] (0:0:0 - 1)
		IfNotBlocked
		reached[2][146] = 1;
		if (!(((int)now.need_spinning)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 73: // STATE 147 - park_wake.pml:168 - [won = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[2][147] = 1;
		(trpt+1)->bup.oval = ((int)((P2 *)_this)->won);
		((P2 *)_this)->won = 1;
#ifdef VAR_RANGES
		logval("sysmon:won", ((int)((P2 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 74: // STATE 148 - park_wake.pml:170 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][148] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 75: // STATE 149 - park_wake.pml:172 - [need_spinning = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[2][149] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 1;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 76: // STATE 150 - park_wake.pml:175 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][150] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 77: // STATE 151 - park_wake.pml:175 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[2][151] = 1;
		(trpt+1)->bup.oval = ((int)((P2 *)_this)->won);
		((P2 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("sysmon:won", ((int)((P2 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 78: // STATE 158 - park_wake.pml:181 - [((won&&(nmspinning!=0)))] (0:0:1 - 1)
		IfNotBlocked
		reached[2][158] = 1;
		if (!((((int)((P2 *)_this)->won)&&(((int)now.nmspinning)!=0))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P2 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P2 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 79: // STATE 159 - park_wake.pml:181 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[2][159] = 1;
		(trpt+1)->bup.oval = ((int)((P2 *)_this)->won);
		((P2 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("sysmon:won", ((int)((P2 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 80: // STATE 163 - park_wake.pml:185 - [(won)] (0:0:0 - 1)
		IfNotBlocked
		reached[2][163] = 1;
		if (!(((int)((P2 *)_this)->won)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 81: // STATE 164 - park_wake.pml:188 - [((nmspinning==0))] (235:0:1 - 1)
		IfNotBlocked
		reached[2][164] = 1;
		if (!((((int)now.nmspinning)==0)))
			continue;
		/* merge: nmspinning = 1(235, 165, 235) */
		reached[2][165] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = 1;
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		/* merge: .(goto)(235, 169, 235) */
		reached[2][169] = 1;
		;
		/* merge: .(goto)(0, 173, 235) */
		reached[2][173] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 82: // STATE 169 - park_wake.pml:191 - [.(goto)] (0:235:0 - 2)
		IfNotBlocked
		reached[2][169] = 1;
		;
		/* merge: .(goto)(0, 173, 235) */
		reached[2][173] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 83: // STATE 167 - park_wake.pml:189 - [won = 0] (0:235:1 - 1)
		IfNotBlocked
		reached[2][167] = 1;
		(trpt+1)->bup.oval = ((int)((P2 *)_this)->won);
		((P2 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("sysmon:won", ((int)((P2 *)_this)->won));
#endif
		;
		/* merge: .(goto)(235, 169, 235) */
		reached[2][169] = 1;
		;
		/* merge: .(goto)(0, 173, 235) */
		reached[2][173] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 84: // STATE 174 - park_wake.pml:195 - [(won)] (0:0:1 - 1)
		IfNotBlocked
		reached[2][174] = 1;
		if (!(((int)((P2 *)_this)->won)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P2 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P2 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 85: // STATE 175 - park_wake.pml:64 - [(!(mu))] (195:0:1 - 1)
		IfNotBlocked
		reached[2][175] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 176, 195) */
		reached[2][176] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 86: // STATE 179 - park_wake.pml:77 - [((idle_p&1))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][179] = 1;
		if (!((((int)now.idle_p)&1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 87: // STATE 180 - park_wake.pml:77 - [q = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[2][180] = 1;
		(trpt+1)->bup.oval = ((int)((P2 *)_this)->q);
		((P2 *)_this)->q = 1;
#ifdef VAR_RANGES
		logval("sysmon:q", ((int)((P2 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 88: // STATE 181 - park_wake.pml:78 - [((idle_p&2))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][181] = 1;
		if (!((((int)now.idle_p)&2)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 89: // STATE 182 - park_wake.pml:78 - [q = 2] (0:0:1 - 1)
		IfNotBlocked
		reached[2][182] = 1;
		(trpt+1)->bup.oval = ((int)((P2 *)_this)->q);
		((P2 *)_this)->q = 2;
#ifdef VAR_RANGES
		logval("sysmon:q", ((int)((P2 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 90: // STATE 183 - park_wake.pml:79 - [((idle_p==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][183] = 1;
		if (!((((int)now.idle_p)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 91: // STATE 184 - park_wake.pml:79 - [q = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[2][184] = 1;
		(trpt+1)->bup.oval = ((int)((P2 *)_this)->q);
		((P2 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("sysmon:q", ((int)((P2 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 92: // STATE 187 - park_wake.pml:82 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][187] = 1;
		if (!((((int)((P2 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 93: // STATE 188 - park_wake.pml:82 - [idle_p = (idle_p&~((1<<(q-1))))] (0:0:1 - 1)
		IfNotBlocked
		reached[2][188] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p);
		now.idle_p = (((int)now.idle_p)& ~((1<<(((int)((P2 *)_this)->q)-1))));
#ifdef VAR_RANGES
		logval("idle_p", ((int)now.idle_p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 94: // STATE 189 - park_wake.pml:82 - [idle_p_count = (idle_p_count-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[2][189] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p_count);
		now.idle_p_count = (((int)now.idle_p_count)-1);
#ifdef VAR_RANGES
		logval("idle_p_count", ((int)now.idle_p_count));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 95: // STATE 194 - park_wake.pml:89 - [need_spinning = (q==0)] (0:0:1 - 3)
		IfNotBlocked
		reached[2][194] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = (((int)((P2 *)_this)->q)==0);
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 96: // STATE 196 - park_wake.pml:199 - [((q==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][196] = 1;
		if (!((((int)((P2 *)_this)->q)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 97: // STATE 197 - park_wake.pml:199 - [nmspinning = (nmspinning-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[2][197] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)-1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 98: // STATE 201 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[2][201] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 99: // STATE 203 - park_wake.pml:204 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][203] = 1;
		if (!((((int)((P2 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 100: // STATE 204 - park_wake.pml:95 - [((!(mu)&&((idle_m|unborn)!=0)))] (222:0:1 - 1)
		IfNotBlocked
		reached[2][204] = 1;
		if (!(( !(((int)now.mu))&&((((int)now.idle_m)|((int)now.unborn))!=0))))
			continue;
		/* merge: mu = 1(0, 205, 222) */
		reached[2][205] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 101: // STATE 207 - park_wake.pml:98 - [((idle_m&1))] (223:0:4 - 1)
		IfNotBlocked
		reached[2][207] = 1;
		if (!((((int)now.idle_m)&1)))
			continue;
		/* merge: w = 0(223, 208, 223) */
		reached[2][208] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(223, 218, 223) */
		reached[2][218] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(223, 219, 223) */
		reached[2][219] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(223, 220, 223) */
		reached[2][220] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(223, 221, 223) */
		reached[2][221] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 102: // STATE 209 - park_wake.pml:99 - [((idle_m&2))] (223:0:4 - 1)
		IfNotBlocked
		reached[2][209] = 1;
		if (!((((int)now.idle_m)&2)))
			continue;
		/* merge: w = 1(223, 210, 223) */
		reached[2][210] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(223, 218, 223) */
		reached[2][218] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(223, 219, 223) */
		reached[2][219] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(223, 220, 223) */
		reached[2][220] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(223, 221, 223) */
		reached[2][221] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 103: // STATE 211 - park_wake.pml:100 - [((idle_m&4))] (223:0:4 - 1)
		IfNotBlocked
		reached[2][211] = 1;
		if (!((((int)now.idle_m)&4)))
			continue;
		/* merge: w = 2(223, 212, 223) */
		reached[2][212] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(223, 218, 223) */
		reached[2][218] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(223, 219, 223) */
		reached[2][219] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(223, 220, 223) */
		reached[2][220] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(223, 221, 223) */
		reached[2][221] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 104: // STATE 213 - park_wake.pml:101 - [(((idle_m==0)&&(unborn&2)))] (223:0:4 - 1)
		IfNotBlocked
		reached[2][213] = 1;
		if (!(((((int)now.idle_m)==0)&&(((int)now.unborn)&2))))
			continue;
		/* merge: w = 1(223, 214, 223) */
		reached[2][214] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(223, 218, 223) */
		reached[2][218] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(223, 219, 223) */
		reached[2][219] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(223, 220, 223) */
		reached[2][220] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(223, 221, 223) */
		reached[2][221] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 105: // STATE 215 - park_wake.pml:102 - [(((idle_m==0)&&!((unborn&2))))] (223:0:4 - 1)
		IfNotBlocked
		reached[2][215] = 1;
		if (!(((((int)now.idle_m)==0)&& !((((int)now.unborn)&2)))))
			continue;
		/* merge: w = 2(223, 216, 223) */
		reached[2][216] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(223, 218, 223) */
		reached[2][218] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(223, 219, 223) */
		reached[2][219] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(223, 220, 223) */
		reached[2][220] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(223, 221, 223) */
		reached[2][221] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 106: // STATE 219 - park_wake.pml:105 - [idle_m = (idle_m&~((1<<w)))] (0:223:3 - 6)
		IfNotBlocked
		reached[2][219] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(223, 220, 223) */
		reached[2][220] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P2 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(223, 221, 223) */
		reached[2][221] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 107: // STATE 223 - park_wake.pml:110 - [assert((!(spinning[w])&&(next_p[w]==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][223] = 1;
		spin_assert(( !(((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]))&&(((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ])==0)), "( !(spinning[w])&&(next_p[w]==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 108: // STATE 224 - park_wake.pml:111 - [spinning[w] = 1] (0:229:2 - 1)
		IfNotBlocked
		reached[2][224] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.spinning[ Index(((P2 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[sysmon:w]", ((int)now.spinning[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		/* merge: next_p[w] = q(229, 225, 229) */
		reached[2][225] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.next_p[ Index(((P2 *)_this)->w, 3) ] = ((int)((P2 *)_this)->q);
#ifdef VAR_RANGES
		logval("next_p[sysmon:w]", ((int)now.next_p[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 109: // STATE 227 - park_wake.pml:119 - [park[w] = 1] (0:239:2 - 1)
		IfNotBlocked
		reached[2][227] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P2 *)_this)->w), 3) ]);
		now.park[ Index(((P2 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("park[sysmon:w]", ((int)now.park[ Index(((int)((P2 *)_this)->w), 3) ]));
#endif
		;
		/* merge: w = 0(239, 228, 239) */
		reached[2][228] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P2 *)_this)->w);
		((P2 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("sysmon:w", ((int)((P2 *)_this)->w));
#endif
		;
		/* merge: .(goto)(0, 233, 239) */
		reached[2][233] = 1;
		;
		/* merge: .(goto)(0, 236, 239) */
		reached[2][236] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 110: // STATE 237 - park_wake.pml:209 - [won = 0] (0:253:2 - 1)
		IfNotBlocked
		reached[2][237] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P2 *)_this)->won);
		((P2 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("sysmon:won", ((int)((P2 *)_this)->won));
#endif
		;
		/* merge: q = 0(253, 238, 253) */
		reached[2][238] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P2 *)_this)->q);
		((P2 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("sysmon:q", ((int)((P2 *)_this)->q));
#endif
		;
		/* merge: .(goto)(0, 243, 253) */
		reached[2][243] = 1;
		;
		/* merge: .(goto)(0, 245, 253) */
		reached[2][245] = 1;
		;
		/* merge: .(goto)(0, 247, 253) */
		reached[2][247] = 1;
		;
		/* merge: .(goto)(0, 249, 253) */
		reached[2][249] = 1;
		;
		/* merge: .(goto)(0, 251, 253) */
		reached[2][251] = 1;
		;
		_m = 3; goto P999; /* 6 */
	case 111: // STATE 253 - park_wake.pml:481 - [-end-] (0:0:0 - 11)
		IfNotBlocked
		reached[2][253] = 1;
		if (!delproc(1, II)) continue;
		_m = 3; goto P999; /* 0 */

		 /* PROC foreign_thread */
	case 112: // STATE 3 - park_wake.pml:64 - [(!(mu))] (9:0:1 - 1)
		IfNotBlocked
		reached[1][3] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 4, 9) */
		reached[1][4] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 113: // STATE 7 - park_wake.pml:239 - [begun = (begun|(1<<(3-1)))] (0:10:2 - 1)
		IfNotBlocked
		reached[1][7] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.begun);
		now.begun = (((int)now.begun)|(1<<(3-1)));
#ifdef VAR_RANGES
		logval("begun", ((int)now.begun));
#endif
		;
		/* merge: global = (global|(1<<(3-1)))(10, 8, 10) */
		reached[1][8] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.global);
		now.global = (((int)now.global)|(1<<(3-1)));
#ifdef VAR_RANGES
		logval("global", ((int)now.global));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 114: // STATE 10 - park_wake.pml:240 - [runq_size = ((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1))] (0:0:1 - 1)
		IfNotBlocked
		reached[1][10] = 1;
		(trpt+1)->bup.oval = ((int)now.runq_size);
		now.runq_size = ((((((int)now.global)&1)+((((int)now.global)>>1)&1))+((((int)now.global)>>2)&1))+((((int)now.global)>>3)&1));
#ifdef VAR_RANGES
		logval("runq_size", ((int)now.runq_size));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 115: // STATE 11 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][11] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 116: // STATE 13 - park_wake.pml:168 - [won = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[1][13] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->won);
		((P1 *)_this)->won = 1;
#ifdef VAR_RANGES
		logval("foreign_thread:won", ((int)((P1 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 117: // STATE 14 - park_wake.pml:170 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][14] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 118: // STATE 15 - park_wake.pml:172 - [need_spinning = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[1][15] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 1;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 119: // STATE 16 - park_wake.pml:175 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][16] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 120: // STATE 17 - park_wake.pml:175 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][17] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->won);
		((P1 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:won", ((int)((P1 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 121: // STATE 24 - park_wake.pml:181 - [((won&&(nmspinning!=0)))] (0:0:1 - 1)
		IfNotBlocked
		reached[1][24] = 1;
		if (!((((int)((P1 *)_this)->won)&&(((int)now.nmspinning)!=0))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P1 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 122: // STATE 25 - park_wake.pml:181 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][25] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->won);
		((P1 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:won", ((int)((P1 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 123: // STATE 29 - park_wake.pml:185 - [(won)] (0:0:0 - 1)
		IfNotBlocked
		reached[1][29] = 1;
		if (!(((int)((P1 *)_this)->won)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 124: // STATE 30 - park_wake.pml:188 - [((nmspinning==0))] (101:0:1 - 1)
		IfNotBlocked
		reached[1][30] = 1;
		if (!((((int)now.nmspinning)==0)))
			continue;
		/* merge: nmspinning = 1(101, 31, 101) */
		reached[1][31] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = 1;
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		/* merge: .(goto)(101, 35, 101) */
		reached[1][35] = 1;
		;
		/* merge: .(goto)(0, 39, 101) */
		reached[1][39] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 125: // STATE 35 - park_wake.pml:191 - [.(goto)] (0:101:0 - 2)
		IfNotBlocked
		reached[1][35] = 1;
		;
		/* merge: .(goto)(0, 39, 101) */
		reached[1][39] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 126: // STATE 33 - park_wake.pml:189 - [won = 0] (0:101:1 - 1)
		IfNotBlocked
		reached[1][33] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->won);
		((P1 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:won", ((int)((P1 *)_this)->won));
#endif
		;
		/* merge: .(goto)(101, 35, 101) */
		reached[1][35] = 1;
		;
		/* merge: .(goto)(0, 39, 101) */
		reached[1][39] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 127: // STATE 40 - park_wake.pml:195 - [(won)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][40] = 1;
		if (!(((int)((P1 *)_this)->won)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P1 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 128: // STATE 41 - park_wake.pml:64 - [(!(mu))] (61:0:1 - 1)
		IfNotBlocked
		reached[1][41] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 42, 61) */
		reached[1][42] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 129: // STATE 45 - park_wake.pml:77 - [((idle_p&1))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][45] = 1;
		if (!((((int)now.idle_p)&1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 130: // STATE 46 - park_wake.pml:77 - [q = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[1][46] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->q);
		((P1 *)_this)->q = 1;
#ifdef VAR_RANGES
		logval("foreign_thread:q", ((int)((P1 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 131: // STATE 47 - park_wake.pml:78 - [((idle_p&2))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][47] = 1;
		if (!((((int)now.idle_p)&2)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 132: // STATE 48 - park_wake.pml:78 - [q = 2] (0:0:1 - 1)
		IfNotBlocked
		reached[1][48] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->q);
		((P1 *)_this)->q = 2;
#ifdef VAR_RANGES
		logval("foreign_thread:q", ((int)((P1 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 133: // STATE 49 - park_wake.pml:79 - [((idle_p==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][49] = 1;
		if (!((((int)now.idle_p)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 134: // STATE 50 - park_wake.pml:79 - [q = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][50] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->q);
		((P1 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:q", ((int)((P1 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 135: // STATE 53 - park_wake.pml:82 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][53] = 1;
		if (!((((int)((P1 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 136: // STATE 54 - park_wake.pml:82 - [idle_p = (idle_p&~((1<<(q-1))))] (0:0:1 - 1)
		IfNotBlocked
		reached[1][54] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p);
		now.idle_p = (((int)now.idle_p)& ~((1<<(((int)((P1 *)_this)->q)-1))));
#ifdef VAR_RANGES
		logval("idle_p", ((int)now.idle_p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 137: // STATE 55 - park_wake.pml:82 - [idle_p_count = (idle_p_count-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][55] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p_count);
		now.idle_p_count = (((int)now.idle_p_count)-1);
#ifdef VAR_RANGES
		logval("idle_p_count", ((int)now.idle_p_count));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 138: // STATE 60 - park_wake.pml:89 - [need_spinning = (q==0)] (0:0:1 - 3)
		IfNotBlocked
		reached[1][60] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = (((int)((P1 *)_this)->q)==0);
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 139: // STATE 62 - park_wake.pml:199 - [((q==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][62] = 1;
		if (!((((int)((P1 *)_this)->q)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 140: // STATE 63 - park_wake.pml:199 - [nmspinning = (nmspinning-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][63] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)-1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 141: // STATE 67 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][67] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 142: // STATE 69 - park_wake.pml:204 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][69] = 1;
		if (!((((int)((P1 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 143: // STATE 70 - park_wake.pml:95 - [((!(mu)&&((idle_m|unborn)!=0)))] (88:0:1 - 1)
		IfNotBlocked
		reached[1][70] = 1;
		if (!(( !(((int)now.mu))&&((((int)now.idle_m)|((int)now.unborn))!=0))))
			continue;
		/* merge: mu = 1(0, 71, 88) */
		reached[1][71] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 144: // STATE 73 - park_wake.pml:98 - [((idle_m&1))] (89:0:4 - 1)
		IfNotBlocked
		reached[1][73] = 1;
		if (!((((int)now.idle_m)&1)))
			continue;
		/* merge: w = 0(89, 74, 89) */
		reached[1][74] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(89, 84, 89) */
		reached[1][84] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(89, 85, 89) */
		reached[1][85] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(89, 86, 89) */
		reached[1][86] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(89, 87, 89) */
		reached[1][87] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 145: // STATE 75 - park_wake.pml:99 - [((idle_m&2))] (89:0:4 - 1)
		IfNotBlocked
		reached[1][75] = 1;
		if (!((((int)now.idle_m)&2)))
			continue;
		/* merge: w = 1(89, 76, 89) */
		reached[1][76] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(89, 84, 89) */
		reached[1][84] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(89, 85, 89) */
		reached[1][85] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(89, 86, 89) */
		reached[1][86] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(89, 87, 89) */
		reached[1][87] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 146: // STATE 77 - park_wake.pml:100 - [((idle_m&4))] (89:0:4 - 1)
		IfNotBlocked
		reached[1][77] = 1;
		if (!((((int)now.idle_m)&4)))
			continue;
		/* merge: w = 2(89, 78, 89) */
		reached[1][78] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(89, 84, 89) */
		reached[1][84] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(89, 85, 89) */
		reached[1][85] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(89, 86, 89) */
		reached[1][86] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(89, 87, 89) */
		reached[1][87] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 147: // STATE 79 - park_wake.pml:101 - [(((idle_m==0)&&(unborn&2)))] (89:0:4 - 1)
		IfNotBlocked
		reached[1][79] = 1;
		if (!(((((int)now.idle_m)==0)&&(((int)now.unborn)&2))))
			continue;
		/* merge: w = 1(89, 80, 89) */
		reached[1][80] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(89, 84, 89) */
		reached[1][84] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(89, 85, 89) */
		reached[1][85] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(89, 86, 89) */
		reached[1][86] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(89, 87, 89) */
		reached[1][87] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 148: // STATE 81 - park_wake.pml:102 - [(((idle_m==0)&&!((unborn&2))))] (89:0:4 - 1)
		IfNotBlocked
		reached[1][81] = 1;
		if (!(((((int)now.idle_m)==0)&& !((((int)now.unborn)&2)))))
			continue;
		/* merge: w = 2(89, 82, 89) */
		reached[1][82] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(89, 84, 89) */
		reached[1][84] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(89, 85, 89) */
		reached[1][85] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(89, 86, 89) */
		reached[1][86] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(89, 87, 89) */
		reached[1][87] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 149: // STATE 85 - park_wake.pml:105 - [idle_m = (idle_m&~((1<<w)))] (0:89:3 - 6)
		IfNotBlocked
		reached[1][85] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(89, 86, 89) */
		reached[1][86] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(89, 87, 89) */
		reached[1][87] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 150: // STATE 89 - park_wake.pml:110 - [assert((!(spinning[w])&&(next_p[w]==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][89] = 1;
		spin_assert(( !(((int)now.spinning[ Index(((int)((P1 *)_this)->w), 3) ]))&&(((int)now.next_p[ Index(((int)((P1 *)_this)->w), 3) ])==0)), "( !(spinning[w])&&(next_p[w]==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 151: // STATE 90 - park_wake.pml:111 - [spinning[w] = 1] (0:95:2 - 1)
		IfNotBlocked
		reached[1][90] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.spinning[ Index(((int)((P1 *)_this)->w), 3) ]);
		now.spinning[ Index(((P1 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[foreign_thread:w]", ((int)now.spinning[ Index(((int)((P1 *)_this)->w), 3) ]));
#endif
		;
		/* merge: next_p[w] = q(95, 91, 95) */
		reached[1][91] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P1 *)_this)->w), 3) ]);
		now.next_p[ Index(((P1 *)_this)->w, 3) ] = ((int)((P1 *)_this)->q);
#ifdef VAR_RANGES
		logval("next_p[foreign_thread:w]", ((int)now.next_p[ Index(((int)((P1 *)_this)->w), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 152: // STATE 93 - park_wake.pml:119 - [park[w] = 1] (0:105:2 - 1)
		IfNotBlocked
		reached[1][93] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P1 *)_this)->w), 3) ]);
		now.park[ Index(((P1 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("park[foreign_thread:w]", ((int)now.park[ Index(((int)((P1 *)_this)->w), 3) ]));
#endif
		;
		/* merge: w = 0(105, 94, 105) */
		reached[1][94] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(0, 99, 105) */
		reached[1][99] = 1;
		;
		/* merge: .(goto)(0, 102, 105) */
		reached[1][102] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 153: // STATE 103 - park_wake.pml:209 - [won = 0] (0:112:2 - 1)
		IfNotBlocked
		reached[1][103] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->won);
		((P1 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:won", ((int)((P1 *)_this)->won));
#endif
		;
		/* merge: q = 0(112, 104, 112) */
		reached[1][104] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P1 *)_this)->q);
		((P1 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:q", ((int)((P1 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 154: // STATE 109 - park_wake.pml:471 - [((list_has&&!(list_mu)))] (114:0:2 - 1)
		IfNotBlocked
		reached[1][109] = 1;
		if (!((((int)now.list_has)&& !(((int)now.list_mu)))))
			continue;
		/* merge: list_mu = 1(114, 110, 114) */
		reached[1][110] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.list_mu);
		now.list_mu = 1;
#ifdef VAR_RANGES
		logval("list_mu", ((int)now.list_mu));
#endif
		;
		/* merge: list_has = 0(114, 111, 114) */
		reached[1][111] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.list_has);
		now.list_has = 0;
#ifdef VAR_RANGES
		logval("list_has", ((int)now.list_has));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 155: // STATE 113 - park_wake.pml:65 - [list_mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][113] = 1;
		(trpt+1)->bup.oval = ((int)now.list_mu);
		now.list_mu = 0;
#ifdef VAR_RANGES
		logval("list_mu", ((int)now.list_mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 156: // STATE 117 - park_wake.pml:64 - [(!(mu))] (123:0:1 - 1)
		IfNotBlocked
		reached[1][117] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 118, 123) */
		reached[1][118] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 157: // STATE 121 - park_wake.pml:239 - [begun = (begun|(1<<(1-1)))] (0:124:2 - 1)
		IfNotBlocked
		reached[1][121] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.begun);
		now.begun = (((int)now.begun)|(1<<(1-1)));
#ifdef VAR_RANGES
		logval("begun", ((int)now.begun));
#endif
		;
		/* merge: global = (global|(1<<(1-1)))(124, 122, 124) */
		reached[1][122] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.global);
		now.global = (((int)now.global)|(1<<(1-1)));
#ifdef VAR_RANGES
		logval("global", ((int)now.global));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 158: // STATE 124 - park_wake.pml:240 - [runq_size = ((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1))] (0:0:1 - 1)
		IfNotBlocked
		reached[1][124] = 1;
		(trpt+1)->bup.oval = ((int)now.runq_size);
		now.runq_size = ((((((int)now.global)&1)+((((int)now.global)>>1)&1))+((((int)now.global)>>2)&1))+((((int)now.global)>>3)&1));
#ifdef VAR_RANGES
		logval("runq_size", ((int)now.runq_size));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 159: // STATE 125 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][125] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 160: // STATE 127 - park_wake.pml:168 - [won = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[1][127] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->won);
		((P1 *)_this)->won = 1;
#ifdef VAR_RANGES
		logval("foreign_thread:won", ((int)((P1 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 161: // STATE 128 - park_wake.pml:170 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][128] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 162: // STATE 129 - park_wake.pml:172 - [need_spinning = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[1][129] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 1;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 163: // STATE 130 - park_wake.pml:175 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][130] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 164: // STATE 131 - park_wake.pml:175 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][131] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->won);
		((P1 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:won", ((int)((P1 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 165: // STATE 138 - park_wake.pml:181 - [((won&&(nmspinning!=0)))] (0:0:1 - 1)
		IfNotBlocked
		reached[1][138] = 1;
		if (!((((int)((P1 *)_this)->won)&&(((int)now.nmspinning)!=0))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P1 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 166: // STATE 139 - park_wake.pml:181 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][139] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->won);
		((P1 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:won", ((int)((P1 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 167: // STATE 143 - park_wake.pml:185 - [(won)] (0:0:0 - 1)
		IfNotBlocked
		reached[1][143] = 1;
		if (!(((int)((P1 *)_this)->won)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 168: // STATE 144 - park_wake.pml:188 - [((nmspinning==0))] (215:0:1 - 1)
		IfNotBlocked
		reached[1][144] = 1;
		if (!((((int)now.nmspinning)==0)))
			continue;
		/* merge: nmspinning = 1(215, 145, 215) */
		reached[1][145] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = 1;
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		/* merge: .(goto)(215, 149, 215) */
		reached[1][149] = 1;
		;
		/* merge: .(goto)(0, 153, 215) */
		reached[1][153] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 169: // STATE 149 - park_wake.pml:191 - [.(goto)] (0:215:0 - 2)
		IfNotBlocked
		reached[1][149] = 1;
		;
		/* merge: .(goto)(0, 153, 215) */
		reached[1][153] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 170: // STATE 147 - park_wake.pml:189 - [won = 0] (0:215:1 - 1)
		IfNotBlocked
		reached[1][147] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->won);
		((P1 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:won", ((int)((P1 *)_this)->won));
#endif
		;
		/* merge: .(goto)(215, 149, 215) */
		reached[1][149] = 1;
		;
		/* merge: .(goto)(0, 153, 215) */
		reached[1][153] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 171: // STATE 154 - park_wake.pml:195 - [(won)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][154] = 1;
		if (!(((int)((P1 *)_this)->won)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P1 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 172: // STATE 155 - park_wake.pml:64 - [(!(mu))] (175:0:1 - 1)
		IfNotBlocked
		reached[1][155] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 156, 175) */
		reached[1][156] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 173: // STATE 159 - park_wake.pml:77 - [((idle_p&1))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][159] = 1;
		if (!((((int)now.idle_p)&1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 174: // STATE 160 - park_wake.pml:77 - [q = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[1][160] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->q);
		((P1 *)_this)->q = 1;
#ifdef VAR_RANGES
		logval("foreign_thread:q", ((int)((P1 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 175: // STATE 161 - park_wake.pml:78 - [((idle_p&2))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][161] = 1;
		if (!((((int)now.idle_p)&2)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 176: // STATE 162 - park_wake.pml:78 - [q = 2] (0:0:1 - 1)
		IfNotBlocked
		reached[1][162] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->q);
		((P1 *)_this)->q = 2;
#ifdef VAR_RANGES
		logval("foreign_thread:q", ((int)((P1 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 177: // STATE 163 - park_wake.pml:79 - [((idle_p==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][163] = 1;
		if (!((((int)now.idle_p)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 178: // STATE 164 - park_wake.pml:79 - [q = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][164] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->q);
		((P1 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:q", ((int)((P1 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 179: // STATE 167 - park_wake.pml:82 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][167] = 1;
		if (!((((int)((P1 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 180: // STATE 168 - park_wake.pml:82 - [idle_p = (idle_p&~((1<<(q-1))))] (0:0:1 - 1)
		IfNotBlocked
		reached[1][168] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p);
		now.idle_p = (((int)now.idle_p)& ~((1<<(((int)((P1 *)_this)->q)-1))));
#ifdef VAR_RANGES
		logval("idle_p", ((int)now.idle_p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 181: // STATE 169 - park_wake.pml:82 - [idle_p_count = (idle_p_count-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][169] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p_count);
		now.idle_p_count = (((int)now.idle_p_count)-1);
#ifdef VAR_RANGES
		logval("idle_p_count", ((int)now.idle_p_count));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 182: // STATE 174 - park_wake.pml:89 - [need_spinning = (q==0)] (0:0:1 - 3)
		IfNotBlocked
		reached[1][174] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = (((int)((P1 *)_this)->q)==0);
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 183: // STATE 176 - park_wake.pml:199 - [((q==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][176] = 1;
		if (!((((int)((P1 *)_this)->q)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 184: // STATE 177 - park_wake.pml:199 - [nmspinning = (nmspinning-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][177] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)-1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 185: // STATE 181 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][181] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 186: // STATE 183 - park_wake.pml:204 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][183] = 1;
		if (!((((int)((P1 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 187: // STATE 184 - park_wake.pml:95 - [((!(mu)&&((idle_m|unborn)!=0)))] (202:0:1 - 1)
		IfNotBlocked
		reached[1][184] = 1;
		if (!(( !(((int)now.mu))&&((((int)now.idle_m)|((int)now.unborn))!=0))))
			continue;
		/* merge: mu = 1(0, 185, 202) */
		reached[1][185] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 188: // STATE 187 - park_wake.pml:98 - [((idle_m&1))] (203:0:4 - 1)
		IfNotBlocked
		reached[1][187] = 1;
		if (!((((int)now.idle_m)&1)))
			continue;
		/* merge: w = 0(203, 188, 203) */
		reached[1][188] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(203, 198, 203) */
		reached[1][198] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(203, 199, 203) */
		reached[1][199] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(203, 200, 203) */
		reached[1][200] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(203, 201, 203) */
		reached[1][201] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 189: // STATE 189 - park_wake.pml:99 - [((idle_m&2))] (203:0:4 - 1)
		IfNotBlocked
		reached[1][189] = 1;
		if (!((((int)now.idle_m)&2)))
			continue;
		/* merge: w = 1(203, 190, 203) */
		reached[1][190] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(203, 198, 203) */
		reached[1][198] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(203, 199, 203) */
		reached[1][199] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(203, 200, 203) */
		reached[1][200] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(203, 201, 203) */
		reached[1][201] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 190: // STATE 191 - park_wake.pml:100 - [((idle_m&4))] (203:0:4 - 1)
		IfNotBlocked
		reached[1][191] = 1;
		if (!((((int)now.idle_m)&4)))
			continue;
		/* merge: w = 2(203, 192, 203) */
		reached[1][192] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(203, 198, 203) */
		reached[1][198] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(203, 199, 203) */
		reached[1][199] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(203, 200, 203) */
		reached[1][200] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(203, 201, 203) */
		reached[1][201] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 191: // STATE 193 - park_wake.pml:101 - [(((idle_m==0)&&(unborn&2)))] (203:0:4 - 1)
		IfNotBlocked
		reached[1][193] = 1;
		if (!(((((int)now.idle_m)==0)&&(((int)now.unborn)&2))))
			continue;
		/* merge: w = 1(203, 194, 203) */
		reached[1][194] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(203, 198, 203) */
		reached[1][198] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(203, 199, 203) */
		reached[1][199] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(203, 200, 203) */
		reached[1][200] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(203, 201, 203) */
		reached[1][201] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 192: // STATE 195 - park_wake.pml:102 - [(((idle_m==0)&&!((unborn&2))))] (203:0:4 - 1)
		IfNotBlocked
		reached[1][195] = 1;
		if (!(((((int)now.idle_m)==0)&& !((((int)now.unborn)&2)))))
			continue;
		/* merge: w = 2(203, 196, 203) */
		reached[1][196] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(203, 198, 203) */
		reached[1][198] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(203, 199, 203) */
		reached[1][199] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(203, 200, 203) */
		reached[1][200] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(203, 201, 203) */
		reached[1][201] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 193: // STATE 199 - park_wake.pml:105 - [idle_m = (idle_m&~((1<<w)))] (0:203:3 - 6)
		IfNotBlocked
		reached[1][199] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(203, 200, 203) */
		reached[1][200] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P1 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(203, 201, 203) */
		reached[1][201] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 194: // STATE 203 - park_wake.pml:110 - [assert((!(spinning[w])&&(next_p[w]==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][203] = 1;
		spin_assert(( !(((int)now.spinning[ Index(((int)((P1 *)_this)->w), 3) ]))&&(((int)now.next_p[ Index(((int)((P1 *)_this)->w), 3) ])==0)), "( !(spinning[w])&&(next_p[w]==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 195: // STATE 204 - park_wake.pml:111 - [spinning[w] = 1] (0:209:2 - 1)
		IfNotBlocked
		reached[1][204] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.spinning[ Index(((int)((P1 *)_this)->w), 3) ]);
		now.spinning[ Index(((P1 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[foreign_thread:w]", ((int)now.spinning[ Index(((int)((P1 *)_this)->w), 3) ]));
#endif
		;
		/* merge: next_p[w] = q(209, 205, 209) */
		reached[1][205] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P1 *)_this)->w), 3) ]);
		now.next_p[ Index(((P1 *)_this)->w, 3) ] = ((int)((P1 *)_this)->q);
#ifdef VAR_RANGES
		logval("next_p[foreign_thread:w]", ((int)now.next_p[ Index(((int)((P1 *)_this)->w), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 196: // STATE 207 - park_wake.pml:119 - [park[w] = 1] (0:219:2 - 1)
		IfNotBlocked
		reached[1][207] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P1 *)_this)->w), 3) ]);
		now.park[ Index(((P1 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("park[foreign_thread:w]", ((int)now.park[ Index(((int)((P1 *)_this)->w), 3) ]));
#endif
		;
		/* merge: w = 0(219, 208, 219) */
		reached[1][208] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P1 *)_this)->w);
		((P1 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:w", ((int)((P1 *)_this)->w));
#endif
		;
		/* merge: .(goto)(0, 213, 219) */
		reached[1][213] = 1;
		;
		/* merge: .(goto)(0, 216, 219) */
		reached[1][216] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 197: // STATE 217 - park_wake.pml:209 - [won = 0] (0:223:2 - 1)
		IfNotBlocked
		reached[1][217] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P1 *)_this)->won);
		((P1 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:won", ((int)((P1 *)_this)->won));
#endif
		;
		/* merge: q = 0(223, 218, 223) */
		reached[1][218] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P1 *)_this)->q);
		((P1 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("foreign_thread:q", ((int)((P1 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 198: // STATE 223 - park_wake.pml:474 - [-end-] (0:0:0 - 1)
		IfNotBlocked
		reached[1][223] = 1;
		if (!delproc(1, II)) continue;
		_m = 3; goto P999; /* 0 */

		 /* PROC m */
	case 199: // STATE 1 - park_wake.pml:302 - [((gp!=0))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][1] = 1;
		if (!((((int)((P0 *)_this)->gp)!=0)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: gp */  (trpt+1)->bup.oval = ((P0 *)_this)->gp;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->gp = 0;
		_m = 3; goto P999; /* 0 */
	case 200: // STATE 7 - park_wake.pml:307 - [next = 0] (0:0:1 - 13)
		IfNotBlocked
		reached[0][7] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->next);
		((P0 *)_this)->next = 0;
#ifdef VAR_RANGES
		logval("m:next", ((int)((P0 *)_this)->next));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 201: // STATE 8 - park_wake.pml:309 - [((pp==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][8] = 1;
		if (!((((int)((P0 *)_this)->pp)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 202: // STATE 13 - park_wake.pml:313 - [next = (ring[(pp-1)]&-(ring[(pp-1)]))] (0:19:2 - 1)
		IfNotBlocked
		reached[0][13] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->next);
		((P0 *)_this)->next = (((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])& -(((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])));
#ifdef VAR_RANGES
		logval("m:next", ((int)((P0 *)_this)->next));
#endif
		;
		/* merge: ring[(pp-1)] = (ring[(pp-1)]&~(next))(19, 14, 19) */
		reached[0][14] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]);
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = (((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])& ~(((int)((P0 *)_this)->next)));
#ifdef VAR_RANGES
		logval("ring[(m:pp-1)]", ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 203: // STATE 16 - park_wake.pml:317 - [((next!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][16] = 1;
		if (!((((int)((P0 *)_this)->next)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 204: // STATE 21 - park_wake.pml:321 - [((runq_size==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][21] = 1;
		if (!((((int)now.runq_size)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 205: // STATE 23 - park_wake.pml:64 - [(!(mu))] (44:0:1 - 1)
		IfNotBlocked
		reached[0][23] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 24, 44) */
		reached[0][24] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 206: // STATE 27 - park_wake.pml:248 - [next = (global&-(global))] (0:34:3 - 1)
		IfNotBlocked
		reached[0][27] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->next);
		((P0 *)_this)->next = (((int)now.global)& -(((int)now.global)));
#ifdef VAR_RANGES
		logval("m:next", ((int)((P0 *)_this)->next));
#endif
		;
		/* merge: global = (global&~(next))(34, 28, 34) */
		reached[0][28] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.global);
		now.global = (((int)now.global)& ~(((int)((P0 *)_this)->next)));
#ifdef VAR_RANGES
		logval("global", ((int)now.global));
#endif
		;
		/* merge: rest = 0(34, 29, 34) */
		reached[0][29] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->rest);
		((P0 *)_this)->rest = 0;
#ifdef VAR_RANGES
		logval("m:rest", ((int)((P0 *)_this)->rest));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 207: // STATE 30 - park_wake.pml:252 - [(((next!=0)&&(global!=0)))] (41:0:2 - 1)
		IfNotBlocked
		reached[0][30] = 1;
		if (!(((((int)((P0 *)_this)->next)!=0)&&(((int)now.global)!=0))))
			continue;
		/* merge: rest = (global&-(global))(41, 31, 41) */
		reached[0][31] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->rest);
		((P0 *)_this)->rest = (((int)now.global)& -(((int)now.global)));
#ifdef VAR_RANGES
		logval("m:rest", ((int)((P0 *)_this)->rest));
#endif
		;
		/* merge: global = (global&~(rest))(41, 32, 41) */
		reached[0][32] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.global);
		now.global = (((int)now.global)& ~(((int)((P0 *)_this)->rest)));
#ifdef VAR_RANGES
		logval("global", ((int)now.global));
#endif
		;
		/* merge: .(goto)(41, 35, 41) */
		reached[0][35] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 208: // STATE 35 - park_wake.pml:255 - [.(goto)] (0:41:0 - 2)
		IfNotBlocked
		reached[0][35] = 1;
		;
		_m = 3; goto P999; /* 0 */
	case 209: // STATE 37 - park_wake.pml:257 - [((rest!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][37] = 1;
		if (!((((int)((P0 *)_this)->rest)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 210: // STATE 38 - park_wake.pml:257 - [ring[(pp-1)] = (ring[(pp-1)]|rest)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][38] = 1;
		(trpt+1)->bup.oval = ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]);
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = (((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])|((int)((P0 *)_this)->rest));
#ifdef VAR_RANGES
		logval("ring[(m:pp-1)]", ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 211: // STATE 39 - park_wake.pml:257 - [rest = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][39] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->rest);
		((P0 *)_this)->rest = 0;
#ifdef VAR_RANGES
		logval("m:rest", ((int)((P0 *)_this)->rest));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 212: // STATE 43 - park_wake.pml:260 - [runq_size = ((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1))] (0:0:1 - 3)
		IfNotBlocked
		reached[0][43] = 1;
		(trpt+1)->bup.oval = ((int)now.runq_size);
		now.runq_size = ((((((int)now.global)&1)+((((int)now.global)>>1)&1))+((((int)now.global)>>2)&1))+((((int)now.global)>>3)&1));
#ifdef VAR_RANGES
		logval("runq_size", ((int)now.runq_size));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 213: // STATE 45 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][45] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 214: // STATE 49 - park_wake.pml:325 - [((next!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][49] = 1;
		if (!((((int)((P0 *)_this)->next)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 215: // STATE 54 - park_wake.pml:330 - [(spinning[self])] (0:0:0 - 1)
		IfNotBlocked
		reached[0][54] = 1;
		if (!(((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ])))
			continue;
		_m = 3; goto P999; /* 0 */
	case 216: // STATE 56 - park_wake.pml:332 - [busy = (2-idle_p_count)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][56] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->busy);
		((P0 *)_this)->busy = (2-((int)now.idle_p_count));
#ifdef VAR_RANGES
		logval("m:busy", ((int)((P0 *)_this)->busy));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 217: // STATE 57 - park_wake.pml:334 - [(((2*nmspinning)>=busy))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][57] = 1;
		if (!(((2*((int)now.nmspinning))>=((int)((P0 *)_this)->busy))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: busy */  (trpt+1)->bup.oval = ((P0 *)_this)->busy;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->busy = 0;
		_m = 3; goto P999; /* 0 */
	case 218: // STATE 58 - park_wake.pml:334 - [busy = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][58] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->busy);
		((P0 *)_this)->busy = 0;
#ifdef VAR_RANGES
		logval("m:busy", ((int)((P0 *)_this)->busy));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 219: // STATE 61 - park_wake.pml:335 - [busy = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][61] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->busy);
		((P0 *)_this)->busy = 0;
#ifdef VAR_RANGES
		logval("m:busy", ((int)((P0 *)_this)->busy));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 220: // STATE 62 - park_wake.pml:281 - [spinning[self] = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][62] = 1;
		(trpt+1)->bup.oval = ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]);
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[m:self]", ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 221: // STATE 63 - park_wake.pml:282 - [nmspinning = (nmspinning+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][63] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)+1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 222: // STATE 64 - park_wake.pml:283 - [need_spinning = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][64] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 0;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 223: // STATE 70 - park_wake.pml:266 - [next = (ring[(2-pp)]&-(ring[(2-pp)]))] (0:75:2 - 1)
		IfNotBlocked
		reached[0][70] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->next);
		((P0 *)_this)->next = (((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ])& -(((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ])));
#ifdef VAR_RANGES
		logval("m:next", ((int)((P0 *)_this)->next));
#endif
		;
		/* merge: rest = 0(75, 71, 75) */
		reached[0][71] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P0 *)_this)->rest);
		((P0 *)_this)->rest = 0;
#ifdef VAR_RANGES
		logval("m:rest", ((int)((P0 *)_this)->rest));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 224: // STATE 72 - park_wake.pml:269 - [((((((ring[(2-pp)]&1)+((ring[(2-pp)]>>1)&1))+((ring[(2-pp)]>>2)&1))+((ring[(2-pp)]>>3)&1))>2))] (83:0:2 - 1)
		IfNotBlocked
		reached[0][72] = 1;
		if (!((((((((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ])&1)+((((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ])>>1)&1))+((((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ])>>2)&1))+((((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ])>>3)&1))>2)))
			continue;
		/* merge: rest = ((ring[(2-pp)]&~(next))&-((ring[(2-pp)]&~(next))))(83, 73, 83) */
		reached[0][73] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->rest);
		((P0 *)_this)->rest = ((((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ])& ~(((int)((P0 *)_this)->next)))& -((((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ])& ~(((int)((P0 *)_this)->next)))));
#ifdef VAR_RANGES
		logval("m:rest", ((int)((P0 *)_this)->rest));
#endif
		;
		/* merge: .(goto)(83, 76, 83) */
		reached[0][76] = 1;
		;
		/* merge: ring[(2-pp)] = (ring[(2-pp)]&~((next|rest)))(83, 77, 83) */
		reached[0][77] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ]);
		now.ring[ Index((2-((P0 *)_this)->pp), 2) ] = (((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ])& ~((((int)((P0 *)_this)->next)|((int)((P0 *)_this)->rest))));
#ifdef VAR_RANGES
		logval("ring[(2-m:pp)]", ((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ]));
#endif
		;
		_m = 3; goto P999; /* 3 */
	case 225: // STATE 76 - park_wake.pml:272 - [.(goto)] (0:83:1 - 2)
		IfNotBlocked
		reached[0][76] = 1;
		;
		/* merge: ring[(2-pp)] = (ring[(2-pp)]&~((next|rest)))(83, 77, 83) */
		reached[0][77] = 1;
		(trpt+1)->bup.oval = ((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ]);
		now.ring[ Index((2-((P0 *)_this)->pp), 2) ] = (((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ])& ~((((int)((P0 *)_this)->next)|((int)((P0 *)_this)->rest))));
#ifdef VAR_RANGES
		logval("ring[(2-m:pp)]", ((int)now.ring[ Index((2-((int)((P0 *)_this)->pp)), 2) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 226: // STATE 79 - park_wake.pml:275 - [((rest!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][79] = 1;
		if (!((((int)((P0 *)_this)->rest)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 227: // STATE 80 - park_wake.pml:275 - [ring[(pp-1)] = (ring[(pp-1)]|rest)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][80] = 1;
		(trpt+1)->bup.oval = ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]);
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = (((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])|((int)((P0 *)_this)->rest));
#ifdef VAR_RANGES
		logval("ring[(m:pp-1)]", ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 228: // STATE 81 - park_wake.pml:275 - [rest = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][81] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->rest);
		((P0 *)_this)->rest = 0;
#ifdef VAR_RANGES
		logval("m:rest", ((int)((P0 *)_this)->rest));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 229: // STATE 86 - park_wake.pml:340 - [((next!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][86] = 1;
		if (!((((int)((P0 *)_this)->next)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 230: // STATE 91 - park_wake.pml:64 - [(!(mu))] (112:0:1 - 1)
		IfNotBlocked
		reached[0][91] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 92, 112) */
		reached[0][92] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 231: // STATE 95 - park_wake.pml:248 - [next = (global&-(global))] (0:102:3 - 1)
		IfNotBlocked
		reached[0][95] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->next);
		((P0 *)_this)->next = (((int)now.global)& -(((int)now.global)));
#ifdef VAR_RANGES
		logval("m:next", ((int)((P0 *)_this)->next));
#endif
		;
		/* merge: global = (global&~(next))(102, 96, 102) */
		reached[0][96] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.global);
		now.global = (((int)now.global)& ~(((int)((P0 *)_this)->next)));
#ifdef VAR_RANGES
		logval("global", ((int)now.global));
#endif
		;
		/* merge: rest = 0(102, 97, 102) */
		reached[0][97] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->rest);
		((P0 *)_this)->rest = 0;
#ifdef VAR_RANGES
		logval("m:rest", ((int)((P0 *)_this)->rest));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 232: // STATE 98 - park_wake.pml:252 - [(((next!=0)&&(global!=0)))] (109:0:2 - 1)
		IfNotBlocked
		reached[0][98] = 1;
		if (!(((((int)((P0 *)_this)->next)!=0)&&(((int)now.global)!=0))))
			continue;
		/* merge: rest = (global&-(global))(109, 99, 109) */
		reached[0][99] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->rest);
		((P0 *)_this)->rest = (((int)now.global)& -(((int)now.global)));
#ifdef VAR_RANGES
		logval("m:rest", ((int)((P0 *)_this)->rest));
#endif
		;
		/* merge: global = (global&~(rest))(109, 100, 109) */
		reached[0][100] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.global);
		now.global = (((int)now.global)& ~(((int)((P0 *)_this)->rest)));
#ifdef VAR_RANGES
		logval("global", ((int)now.global));
#endif
		;
		/* merge: .(goto)(109, 103, 109) */
		reached[0][103] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 233: // STATE 103 - park_wake.pml:255 - [.(goto)] (0:109:0 - 2)
		IfNotBlocked
		reached[0][103] = 1;
		;
		_m = 3; goto P999; /* 0 */
	case 234: // STATE 105 - park_wake.pml:257 - [((rest!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][105] = 1;
		if (!((((int)((P0 *)_this)->rest)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 235: // STATE 106 - park_wake.pml:257 - [ring[(pp-1)] = (ring[(pp-1)]|rest)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][106] = 1;
		(trpt+1)->bup.oval = ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]);
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = (((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])|((int)((P0 *)_this)->rest));
#ifdef VAR_RANGES
		logval("ring[(m:pp-1)]", ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 236: // STATE 107 - park_wake.pml:257 - [rest = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][107] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->rest);
		((P0 *)_this)->rest = 0;
#ifdef VAR_RANGES
		logval("m:rest", ((int)((P0 *)_this)->rest));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 237: // STATE 111 - park_wake.pml:260 - [runq_size = ((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1))] (0:0:1 - 3)
		IfNotBlocked
		reached[0][111] = 1;
		(trpt+1)->bup.oval = ((int)now.runq_size);
		now.runq_size = ((((((int)now.global)&1)+((((int)now.global)>>1)&1))+((((int)now.global)>>2)&1))+((((int)now.global)>>3)&1));
#ifdef VAR_RANGES
		logval("runq_size", ((int)now.runq_size));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 238: // STATE 113 - park_wake.pml:348 - [((next!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][113] = 1;
		if (!((((int)((P0 *)_this)->next)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 239: // STATE 114 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][114] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 240: // STATE 120 - park_wake.pml:352 - [((!(spinning[self])&&need_spinning))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][120] = 1;
		if (!(( !(((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]))&&((int)now.need_spinning))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 241: // STATE 121 - park_wake.pml:281 - [spinning[self] = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][121] = 1;
		(trpt+1)->bup.oval = ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]);
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[m:self]", ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 242: // STATE 122 - park_wake.pml:282 - [nmspinning = (nmspinning+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][122] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)+1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 243: // STATE 123 - park_wake.pml:283 - [need_spinning = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][123] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 0;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 244: // STATE 125 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][125] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 245: // STATE 131 - park_wake.pml:70 - [assert((ring[(pp-1)]==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][131] = 1;
		spin_assert((((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])==0), "(ring[(pp-1)]==0)", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 246: // STATE 132 - park_wake.pml:71 - [idle_p = (idle_p|(1<<(pp-1)))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][132] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p);
		now.idle_p = (((int)now.idle_p)|(1<<(((int)((P0 *)_this)->pp)-1)));
#ifdef VAR_RANGES
		logval("idle_p", ((int)now.idle_p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 247: // STATE 133 - park_wake.pml:72 - [idle_p_count = (idle_p_count+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][133] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p_count);
		now.idle_p_count = (((int)now.idle_p_count)+1);
#ifdef VAR_RANGES
		logval("idle_p_count", ((int)now.idle_p_count));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 248: // STATE 135 - park_wake.pml:356 - [pp = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][135] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->pp);
		((P0 *)_this)->pp = 0;
#ifdef VAR_RANGES
		logval("m:pp", ((int)((P0 *)_this)->pp));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 249: // STATE 136 - park_wake.pml:359 - [((!(spinning[self])&&need_spinning))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][136] = 1;
		if (!(( !(((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]))&&((int)now.need_spinning))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 250: // STATE 137 - park_wake.pml:77 - [((idle_p&1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][137] = 1;
		if (!((((int)now.idle_p)&1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 251: // STATE 138 - park_wake.pml:77 - [pp = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][138] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->pp);
		((P0 *)_this)->pp = 1;
#ifdef VAR_RANGES
		logval("m:pp", ((int)((P0 *)_this)->pp));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 252: // STATE 139 - park_wake.pml:78 - [((idle_p&2))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][139] = 1;
		if (!((((int)now.idle_p)&2)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 253: // STATE 140 - park_wake.pml:78 - [pp = 2] (0:0:1 - 1)
		IfNotBlocked
		reached[0][140] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->pp);
		((P0 *)_this)->pp = 2;
#ifdef VAR_RANGES
		logval("m:pp", ((int)((P0 *)_this)->pp));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 254: // STATE 141 - park_wake.pml:79 - [((idle_p==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][141] = 1;
		if (!((((int)now.idle_p)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 255: // STATE 142 - park_wake.pml:79 - [pp = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][142] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->pp);
		((P0 *)_this)->pp = 0;
#ifdef VAR_RANGES
		logval("m:pp", ((int)((P0 *)_this)->pp));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 256: // STATE 145 - park_wake.pml:82 - [((pp!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][145] = 1;
		if (!((((int)((P0 *)_this)->pp)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 257: // STATE 146 - park_wake.pml:82 - [idle_p = (idle_p&~((1<<(pp-1))))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][146] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p);
		now.idle_p = (((int)now.idle_p)& ~((1<<(((int)((P0 *)_this)->pp)-1))));
#ifdef VAR_RANGES
		logval("idle_p", ((int)now.idle_p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 258: // STATE 147 - park_wake.pml:82 - [idle_p_count = (idle_p_count-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][147] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p_count);
		now.idle_p_count = (((int)now.idle_p_count)-1);
#ifdef VAR_RANGES
		logval("idle_p_count", ((int)now.idle_p_count));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 259: // STATE 152 - park_wake.pml:281 - [spinning[self] = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][152] = 1;
		(trpt+1)->bup.oval = ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]);
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[m:self]", ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 260: // STATE 153 - park_wake.pml:282 - [nmspinning = (nmspinning+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][153] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)+1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 261: // STATE 154 - park_wake.pml:283 - [need_spinning = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][154] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 0;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 262: // STATE 156 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][156] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 263: // STATE 162 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][162] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 264: // STATE 164 - park_wake.pml:371 - [(spinning[self])] (0:0:0 - 1)
		IfNotBlocked
		reached[0][164] = 1;
		if (!(((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ])))
			continue;
		_m = 3; goto P999; /* 0 */
	case 265: // STATE 165 - park_wake.pml:375 - [spinning[self] = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][165] = 1;
		(trpt+1)->bup.oval = ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]);
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = 0;
#ifdef VAR_RANGES
		logval("spinning[m:self]", ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 266: // STATE 166 - park_wake.pml:376 - [assert((nmspinning>0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][166] = 1;
		spin_assert((((int)now.nmspinning)>0), "(nmspinning>0)", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 267: // STATE 167 - park_wake.pml:377 - [nmspinning = (nmspinning-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][167] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)-1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 268: // STATE 168 - park_wake.pml:287 - [work = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][168] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->work);
		((P0 *)_this)->work = 0;
#ifdef VAR_RANGES
		logval("m:work", ((int)((P0 *)_this)->work));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 269: // STATE 169 - park_wake.pml:289 - [work = (runq_size!=0)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][169] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->work);
		((P0 *)_this)->work = (((int)now.runq_size)!=0);
#ifdef VAR_RANGES
		logval("m:work", ((int)((P0 *)_this)->work));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 270: // STATE 170 - park_wake.pml:291 - [work = (work||(ring[0]!=0))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][170] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->work);
		((P0 *)_this)->work = (((int)((P0 *)_this)->work)||(((int)now.ring[0])!=0));
#ifdef VAR_RANGES
		logval("m:work", ((int)((P0 *)_this)->work));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 271: // STATE 171 - park_wake.pml:292 - [work = (work||(ring[1]!=0))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][171] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->work);
		((P0 *)_this)->work = (((int)((P0 *)_this)->work)||(((int)now.ring[1])!=0));
#ifdef VAR_RANGES
		logval("m:work", ((int)((P0 *)_this)->work));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 272: // STATE 173 - park_wake.pml:382 - [(work)] (178:0:2 - 1)
		IfNotBlocked
		reached[0][173] = 1;
		if (!(((int)((P0 *)_this)->work)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: work */  (trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((P0 *)_this)->work;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->work = 0;
		/* merge: work = 0(0, 174, 178) */
		reached[0][174] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P0 *)_this)->work);
		((P0 *)_this)->work = 0;
#ifdef VAR_RANGES
		logval("m:work", ((int)((P0 *)_this)->work));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 273: // STATE 175 - park_wake.pml:64 - [(!(mu))] (195:0:1 - 1)
		IfNotBlocked
		reached[0][175] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 176, 195) */
		reached[0][176] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 274: // STATE 179 - park_wake.pml:77 - [((idle_p&1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][179] = 1;
		if (!((((int)now.idle_p)&1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 275: // STATE 180 - park_wake.pml:77 - [pp = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][180] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->pp);
		((P0 *)_this)->pp = 1;
#ifdef VAR_RANGES
		logval("m:pp", ((int)((P0 *)_this)->pp));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 276: // STATE 181 - park_wake.pml:78 - [((idle_p&2))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][181] = 1;
		if (!((((int)now.idle_p)&2)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 277: // STATE 182 - park_wake.pml:78 - [pp = 2] (0:0:1 - 1)
		IfNotBlocked
		reached[0][182] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->pp);
		((P0 *)_this)->pp = 2;
#ifdef VAR_RANGES
		logval("m:pp", ((int)((P0 *)_this)->pp));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 278: // STATE 183 - park_wake.pml:79 - [((idle_p==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][183] = 1;
		if (!((((int)now.idle_p)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 279: // STATE 184 - park_wake.pml:79 - [pp = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][184] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->pp);
		((P0 *)_this)->pp = 0;
#ifdef VAR_RANGES
		logval("m:pp", ((int)((P0 *)_this)->pp));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 280: // STATE 187 - park_wake.pml:82 - [((pp!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][187] = 1;
		if (!((((int)((P0 *)_this)->pp)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 281: // STATE 188 - park_wake.pml:82 - [idle_p = (idle_p&~((1<<(pp-1))))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][188] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p);
		now.idle_p = (((int)now.idle_p)& ~((1<<(((int)((P0 *)_this)->pp)-1))));
#ifdef VAR_RANGES
		logval("idle_p", ((int)now.idle_p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 282: // STATE 189 - park_wake.pml:82 - [idle_p_count = (idle_p_count-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][189] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p_count);
		now.idle_p_count = (((int)now.idle_p_count)-1);
#ifdef VAR_RANGES
		logval("idle_p_count", ((int)now.idle_p_count));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 283: // STATE 194 - park_wake.pml:89 - [need_spinning = (pp==0)] (0:0:1 - 3)
		IfNotBlocked
		reached[0][194] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = (((int)((P0 *)_this)->pp)==0);
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 284: // STATE 196 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][196] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 285: // STATE 198 - park_wake.pml:388 - [((pp!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][198] = 1;
		if (!((((int)((P0 *)_this)->pp)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 286: // STATE 199 - park_wake.pml:281 - [spinning[self] = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][199] = 1;
		(trpt+1)->bup.oval = ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]);
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[m:self]", ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 287: // STATE 200 - park_wake.pml:282 - [nmspinning = (nmspinning+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][200] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)+1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 288: // STATE 201 - park_wake.pml:283 - [need_spinning = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][201] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 0;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 289: // STATE 213 - park_wake.pml:396 - [assert(((pp==0)&&!(spinning[self])))] (0:0:0 - 6)
		IfNotBlocked
		reached[0][213] = 1;
		spin_assert(((((int)((P0 *)_this)->pp)==0)&& !(((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]))), "((pp==0)&& !(spinning[self]))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 290: // STATE 214 - park_wake.pml:64 - [(!(mu))] (221:0:1 - 1)
		IfNotBlocked
		reached[0][214] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 215, 221) */
		reached[0][215] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 291: // STATE 218 - park_wake.pml:398 - [assert(!((idle_m&(1<<self))))] (0:223:2 - 1)
		IfNotBlocked
		reached[0][218] = 1;
		spin_assert( !((((int)now.idle_m)&(1<<((int)((P0 *)_this)->self)))), " !((idle_m&(1<<self)))", II, tt, t);
		/* merge: park[self] = 0(223, 219, 223) */
		reached[0][219] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P0 *)_this)->self), 3) ]);
		now.park[ Index(((P0 *)_this)->self, 3) ] = 0;
#ifdef VAR_RANGES
		logval("park[m:self]", ((int)now.park[ Index(((int)((P0 *)_this)->self), 3) ]));
#endif
		;
		/* merge: idle_m = (idle_m|(1<<self))(223, 220, 223) */
		reached[0][220] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)|(1<<((int)((P0 *)_this)->self)));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 292: // STATE 222 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][222] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 293: // STATE 224 - park_wake.pml:403 - [((park[self]==0))] (230:0:1 - 1)
		IfNotBlocked
		reached[0][224] = 1;
		if (!((((int)now.park[ Index(((int)((P0 *)_this)->self), 3) ])==0)))
			continue;
		/* merge: park[self] = 2(230, 225, 230) */
		reached[0][225] = 1;
		(trpt+1)->bup.oval = ((int)now.park[ Index(((int)((P0 *)_this)->self), 3) ]);
		now.park[ Index(((P0 *)_this)->self, 3) ] = 2;
#ifdef VAR_RANGES
		logval("park[m:self]", ((int)now.park[ Index(((int)((P0 *)_this)->self), 3) ]));
#endif
		;
		/* merge: .(goto)(230, 228, 230) */
		reached[0][228] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 294: // STATE 228 - park_wake.pml:406 - [.(goto)] (0:230:0 - 2)
		IfNotBlocked
		reached[0][228] = 1;
		;
		_m = 3; goto P999; /* 0 */
	case 295: // STATE 230 - park_wake.pml:408 - [((park[self]==1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][230] = 1;
		if (!((((int)now.park[ Index(((int)((P0 *)_this)->self), 3) ])==1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 296: // STATE 231 - park_wake.pml:409 - [assert((next_p[self]!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][231] = 1;
		spin_assert((((int)now.next_p[ Index(((int)((P0 *)_this)->self), 3) ])!=0), "(next_p[self]!=0)", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 297: // STATE 232 - park_wake.pml:410 - [pp = next_p[self]] (0:7:2 - 1)
		IfNotBlocked
		reached[0][232] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->pp);
		((P0 *)_this)->pp = ((int)now.next_p[ Index(((int)((P0 *)_this)->self), 3) ]);
#ifdef VAR_RANGES
		logval("m:pp", ((int)((P0 *)_this)->pp));
#endif
		;
		/* merge: next_p[self] = 0(7, 233, 7) */
		reached[0][233] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P0 *)_this)->self), 3) ]);
		now.next_p[ Index(((P0 *)_this)->self, 3) ] = 0;
#ifdef VAR_RANGES
		logval("next_p[m:self]", ((int)now.next_p[ Index(((int)((P0 *)_this)->self), 3) ]));
#endif
		;
		/* merge: goto findrunnable(0, 235, 7) */
		reached[0][235] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 298: // STATE 236 - park_wake.pml:415 - [(spinning[self])] (0:0:0 - 1)
		IfNotBlocked
		reached[0][236] = 1;
		if (!(((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ])))
			continue;
		_m = 3; goto P999; /* 0 */
	case 299: // STATE 237 - park_wake.pml:416 - [spinning[self] = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][237] = 1;
		(trpt+1)->bup.oval = ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]);
		now.spinning[ Index(((P0 *)_this)->self, 3) ] = 0;
#ifdef VAR_RANGES
		logval("spinning[m:self]", ((int)now.spinning[ Index(((int)((P0 *)_this)->self), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 300: // STATE 238 - park_wake.pml:417 - [assert((nmspinning>0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][238] = 1;
		spin_assert((((int)now.nmspinning)>0), "(nmspinning>0)", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 301: // STATE 239 - park_wake.pml:418 - [nmspinning = (nmspinning-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][239] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)-1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 302: // STATE 240 - park_wake.pml:168 - [won = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][240] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 1;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 303: // STATE 241 - park_wake.pml:170 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][241] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 304: // STATE 242 - park_wake.pml:172 - [need_spinning = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][242] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 1;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 305: // STATE 243 - park_wake.pml:175 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][243] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 306: // STATE 244 - park_wake.pml:175 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][244] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 307: // STATE 251 - park_wake.pml:181 - [((won&&(nmspinning!=0)))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][251] = 1;
		if (!((((int)((P0 *)_this)->won)&&(((int)now.nmspinning)!=0))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P0 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 308: // STATE 252 - park_wake.pml:181 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][252] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 309: // STATE 256 - park_wake.pml:185 - [(won)] (0:0:0 - 1)
		IfNotBlocked
		reached[0][256] = 1;
		if (!(((int)((P0 *)_this)->won)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 310: // STATE 257 - park_wake.pml:188 - [((nmspinning==0))] (328:0:1 - 1)
		IfNotBlocked
		reached[0][257] = 1;
		if (!((((int)now.nmspinning)==0)))
			continue;
		/* merge: nmspinning = 1(328, 258, 328) */
		reached[0][258] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = 1;
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		/* merge: .(goto)(328, 262, 328) */
		reached[0][262] = 1;
		;
		/* merge: .(goto)(0, 266, 328) */
		reached[0][266] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 311: // STATE 262 - park_wake.pml:191 - [.(goto)] (0:328:0 - 2)
		IfNotBlocked
		reached[0][262] = 1;
		;
		/* merge: .(goto)(0, 266, 328) */
		reached[0][266] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 312: // STATE 260 - park_wake.pml:189 - [won = 0] (0:328:1 - 1)
		IfNotBlocked
		reached[0][260] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		/* merge: .(goto)(328, 262, 328) */
		reached[0][262] = 1;
		;
		/* merge: .(goto)(0, 266, 328) */
		reached[0][266] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 313: // STATE 267 - park_wake.pml:195 - [(won)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][267] = 1;
		if (!(((int)((P0 *)_this)->won)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P0 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 314: // STATE 268 - park_wake.pml:64 - [(!(mu))] (288:0:1 - 1)
		IfNotBlocked
		reached[0][268] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 269, 288) */
		reached[0][269] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 315: // STATE 272 - park_wake.pml:77 - [((idle_p&1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][272] = 1;
		if (!((((int)now.idle_p)&1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 316: // STATE 273 - park_wake.pml:77 - [q = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][273] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 1;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 317: // STATE 274 - park_wake.pml:78 - [((idle_p&2))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][274] = 1;
		if (!((((int)now.idle_p)&2)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 318: // STATE 275 - park_wake.pml:78 - [q = 2] (0:0:1 - 1)
		IfNotBlocked
		reached[0][275] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 2;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 319: // STATE 276 - park_wake.pml:79 - [((idle_p==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][276] = 1;
		if (!((((int)now.idle_p)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 320: // STATE 277 - park_wake.pml:79 - [q = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][277] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 321: // STATE 280 - park_wake.pml:82 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][280] = 1;
		if (!((((int)((P0 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 322: // STATE 281 - park_wake.pml:82 - [idle_p = (idle_p&~((1<<(q-1))))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][281] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p);
		now.idle_p = (((int)now.idle_p)& ~((1<<(((int)((P0 *)_this)->q)-1))));
#ifdef VAR_RANGES
		logval("idle_p", ((int)now.idle_p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 323: // STATE 282 - park_wake.pml:82 - [idle_p_count = (idle_p_count-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][282] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p_count);
		now.idle_p_count = (((int)now.idle_p_count)-1);
#ifdef VAR_RANGES
		logval("idle_p_count", ((int)now.idle_p_count));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 324: // STATE 287 - park_wake.pml:89 - [need_spinning = (q==0)] (0:0:1 - 3)
		IfNotBlocked
		reached[0][287] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = (((int)((P0 *)_this)->q)==0);
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 325: // STATE 289 - park_wake.pml:199 - [((q==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][289] = 1;
		if (!((((int)((P0 *)_this)->q)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 326: // STATE 290 - park_wake.pml:199 - [nmspinning = (nmspinning-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][290] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)-1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 327: // STATE 294 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][294] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 328: // STATE 296 - park_wake.pml:204 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][296] = 1;
		if (!((((int)((P0 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 329: // STATE 297 - park_wake.pml:95 - [((!(mu)&&((idle_m|unborn)!=0)))] (315:0:1 - 1)
		IfNotBlocked
		reached[0][297] = 1;
		if (!(( !(((int)now.mu))&&((((int)now.idle_m)|((int)now.unborn))!=0))))
			continue;
		/* merge: mu = 1(0, 298, 315) */
		reached[0][298] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 330: // STATE 300 - park_wake.pml:98 - [((idle_m&1))] (316:0:4 - 1)
		IfNotBlocked
		reached[0][300] = 1;
		if (!((((int)now.idle_m)&1)))
			continue;
		/* merge: w = 0(316, 301, 316) */
		reached[0][301] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(316, 311, 316) */
		reached[0][311] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(316, 312, 316) */
		reached[0][312] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(316, 313, 316) */
		reached[0][313] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(316, 314, 316) */
		reached[0][314] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 331: // STATE 302 - park_wake.pml:99 - [((idle_m&2))] (316:0:4 - 1)
		IfNotBlocked
		reached[0][302] = 1;
		if (!((((int)now.idle_m)&2)))
			continue;
		/* merge: w = 1(316, 303, 316) */
		reached[0][303] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(316, 311, 316) */
		reached[0][311] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(316, 312, 316) */
		reached[0][312] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(316, 313, 316) */
		reached[0][313] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(316, 314, 316) */
		reached[0][314] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 332: // STATE 304 - park_wake.pml:100 - [((idle_m&4))] (316:0:4 - 1)
		IfNotBlocked
		reached[0][304] = 1;
		if (!((((int)now.idle_m)&4)))
			continue;
		/* merge: w = 2(316, 305, 316) */
		reached[0][305] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(316, 311, 316) */
		reached[0][311] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(316, 312, 316) */
		reached[0][312] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(316, 313, 316) */
		reached[0][313] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(316, 314, 316) */
		reached[0][314] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 333: // STATE 306 - park_wake.pml:101 - [(((idle_m==0)&&(unborn&2)))] (316:0:4 - 1)
		IfNotBlocked
		reached[0][306] = 1;
		if (!(((((int)now.idle_m)==0)&&(((int)now.unborn)&2))))
			continue;
		/* merge: w = 1(316, 307, 316) */
		reached[0][307] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(316, 311, 316) */
		reached[0][311] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(316, 312, 316) */
		reached[0][312] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(316, 313, 316) */
		reached[0][313] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(316, 314, 316) */
		reached[0][314] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 334: // STATE 308 - park_wake.pml:102 - [(((idle_m==0)&&!((unborn&2))))] (316:0:4 - 1)
		IfNotBlocked
		reached[0][308] = 1;
		if (!(((((int)now.idle_m)==0)&& !((((int)now.unborn)&2)))))
			continue;
		/* merge: w = 2(316, 309, 316) */
		reached[0][309] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(316, 311, 316) */
		reached[0][311] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(316, 312, 316) */
		reached[0][312] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(316, 313, 316) */
		reached[0][313] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(316, 314, 316) */
		reached[0][314] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 335: // STATE 312 - park_wake.pml:105 - [idle_m = (idle_m&~((1<<w)))] (0:316:3 - 6)
		IfNotBlocked
		reached[0][312] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(316, 313, 316) */
		reached[0][313] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(316, 314, 316) */
		reached[0][314] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 336: // STATE 316 - park_wake.pml:110 - [assert((!(spinning[w])&&(next_p[w]==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][316] = 1;
		spin_assert(( !(((int)now.spinning[ Index(((int)((P0 *)_this)->w), 3) ]))&&(((int)now.next_p[ Index(((int)((P0 *)_this)->w), 3) ])==0)), "( !(spinning[w])&&(next_p[w]==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 337: // STATE 317 - park_wake.pml:111 - [spinning[w] = 1] (0:322:2 - 1)
		IfNotBlocked
		reached[0][317] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.spinning[ Index(((int)((P0 *)_this)->w), 3) ]);
		now.spinning[ Index(((P0 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[m:w]", ((int)now.spinning[ Index(((int)((P0 *)_this)->w), 3) ]));
#endif
		;
		/* merge: next_p[w] = q(322, 318, 322) */
		reached[0][318] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P0 *)_this)->w), 3) ]);
		now.next_p[ Index(((P0 *)_this)->w, 3) ] = ((int)((P0 *)_this)->q);
#ifdef VAR_RANGES
		logval("next_p[m:w]", ((int)now.next_p[ Index(((int)((P0 *)_this)->w), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 338: // STATE 320 - park_wake.pml:119 - [park[w] = 1] (0:332:2 - 1)
		IfNotBlocked
		reached[0][320] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P0 *)_this)->w), 3) ]);
		now.park[ Index(((P0 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("park[m:w]", ((int)now.park[ Index(((int)((P0 *)_this)->w), 3) ]));
#endif
		;
		/* merge: w = 0(332, 321, 332) */
		reached[0][321] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(0, 326, 332) */
		reached[0][326] = 1;
		;
		/* merge: .(goto)(0, 329, 332) */
		reached[0][329] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 339: // STATE 330 - park_wake.pml:209 - [won = 0] (0:342:2 - 1)
		IfNotBlocked
		reached[0][330] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		/* merge: q = 0(342, 331, 342) */
		reached[0][331] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		/* merge: .(goto)(0, 336, 342) */
		reached[0][336] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 340: // STATE 337 - park_wake.pml:426 - [assert((((saved&next)!=0)&&((runs&next)==0)))] (0:446:4 - 1)
		IfNotBlocked
		reached[0][337] = 1;
		spin_assert((((((int)now.saved)&((int)((P0 *)_this)->next))!=0)&&((((int)now.runs)&((int)((P0 *)_this)->next))==0)), "(((saved&next)!=0)&&((runs&next)==0))", II, tt, t);
		/* merge: saved = (saved&~(next))(446, 338, 446) */
		reached[0][338] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)now.saved);
		now.saved = (((int)now.saved)& ~(((int)((P0 *)_this)->next)));
#ifdef VAR_RANGES
		logval("saved", ((int)now.saved));
#endif
		;
		/* merge: runs = (runs|next)(446, 339, 446) */
		reached[0][339] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.runs);
		now.runs = (((int)now.runs)|((int)((P0 *)_this)->next));
#ifdef VAR_RANGES
		logval("runs", ((int)now.runs));
#endif
		;
		/* merge: gp = next(446, 340, 446) */
		reached[0][340] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->gp);
		((P0 *)_this)->gp = ((int)((P0 *)_this)->next);
#ifdef VAR_RANGES
		logval("m:gp", ((int)((P0 *)_this)->gp));
#endif
		;
		/* merge: next = 0(446, 341, 446) */
		reached[0][341] = 1;
		(trpt+1)->bup.ovals[3] = ((int)((P0 *)_this)->next);
		((P0 *)_this)->next = 0;
#ifdef VAR_RANGES
		logval("m:next", ((int)((P0 *)_this)->next));
#endif
		;
		_m = 3; goto P999; /* 4 */
	case 341: // STATE 343 - park_wake.pml:434 - [((gp==1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][343] = 1;
		if (!((((int)((P0 *)_this)->gp)==1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 342: // STATE 346 - park_wake.pml:232 - [begun = (begun|(1<<(4-1)))] (0:443:2 - 1)
		IfNotBlocked
		reached[0][346] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.begun);
		now.begun = (((int)now.begun)|(1<<(4-1)));
#ifdef VAR_RANGES
		logval("begun", ((int)now.begun));
#endif
		;
		/* merge: ring[(pp-1)] = (ring[(pp-1)]|(1<<(4-1)))(443, 347, 443) */
		reached[0][347] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]);
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = (((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])|(1<<(4-1)));
#ifdef VAR_RANGES
		logval("ring[(m:pp-1)]", ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 343: // STATE 349 - park_wake.pml:168 - [won = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][349] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 1;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 344: // STATE 350 - park_wake.pml:170 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][350] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 345: // STATE 351 - park_wake.pml:172 - [need_spinning = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][351] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 1;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 346: // STATE 352 - park_wake.pml:175 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][352] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 347: // STATE 353 - park_wake.pml:175 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][353] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 348: // STATE 360 - park_wake.pml:181 - [((won&&(nmspinning!=0)))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][360] = 1;
		if (!((((int)((P0 *)_this)->won)&&(((int)now.nmspinning)!=0))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P0 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 349: // STATE 361 - park_wake.pml:181 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][361] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 350: // STATE 365 - park_wake.pml:185 - [(won)] (0:0:0 - 1)
		IfNotBlocked
		reached[0][365] = 1;
		if (!(((int)((P0 *)_this)->won)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 351: // STATE 366 - park_wake.pml:188 - [((nmspinning==0))] (437:0:1 - 1)
		IfNotBlocked
		reached[0][366] = 1;
		if (!((((int)now.nmspinning)==0)))
			continue;
		/* merge: nmspinning = 1(437, 367, 437) */
		reached[0][367] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = 1;
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		/* merge: .(goto)(437, 371, 437) */
		reached[0][371] = 1;
		;
		/* merge: .(goto)(0, 375, 437) */
		reached[0][375] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 352: // STATE 371 - park_wake.pml:191 - [.(goto)] (0:437:0 - 2)
		IfNotBlocked
		reached[0][371] = 1;
		;
		/* merge: .(goto)(0, 375, 437) */
		reached[0][375] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 353: // STATE 369 - park_wake.pml:189 - [won = 0] (0:437:1 - 1)
		IfNotBlocked
		reached[0][369] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		/* merge: .(goto)(437, 371, 437) */
		reached[0][371] = 1;
		;
		/* merge: .(goto)(0, 375, 437) */
		reached[0][375] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 354: // STATE 376 - park_wake.pml:195 - [(won)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][376] = 1;
		if (!(((int)((P0 *)_this)->won)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P0 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 355: // STATE 377 - park_wake.pml:64 - [(!(mu))] (397:0:1 - 1)
		IfNotBlocked
		reached[0][377] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 378, 397) */
		reached[0][378] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 356: // STATE 381 - park_wake.pml:77 - [((idle_p&1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][381] = 1;
		if (!((((int)now.idle_p)&1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 357: // STATE 382 - park_wake.pml:77 - [q = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][382] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 1;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 358: // STATE 383 - park_wake.pml:78 - [((idle_p&2))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][383] = 1;
		if (!((((int)now.idle_p)&2)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 359: // STATE 384 - park_wake.pml:78 - [q = 2] (0:0:1 - 1)
		IfNotBlocked
		reached[0][384] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 2;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 360: // STATE 385 - park_wake.pml:79 - [((idle_p==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][385] = 1;
		if (!((((int)now.idle_p)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 361: // STATE 386 - park_wake.pml:79 - [q = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][386] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 362: // STATE 389 - park_wake.pml:82 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][389] = 1;
		if (!((((int)((P0 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 363: // STATE 390 - park_wake.pml:82 - [idle_p = (idle_p&~((1<<(q-1))))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][390] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p);
		now.idle_p = (((int)now.idle_p)& ~((1<<(((int)((P0 *)_this)->q)-1))));
#ifdef VAR_RANGES
		logval("idle_p", ((int)now.idle_p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 364: // STATE 391 - park_wake.pml:82 - [idle_p_count = (idle_p_count-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][391] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p_count);
		now.idle_p_count = (((int)now.idle_p_count)-1);
#ifdef VAR_RANGES
		logval("idle_p_count", ((int)now.idle_p_count));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 365: // STATE 396 - park_wake.pml:89 - [need_spinning = (q==0)] (0:0:1 - 3)
		IfNotBlocked
		reached[0][396] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = (((int)((P0 *)_this)->q)==0);
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 366: // STATE 398 - park_wake.pml:199 - [((q==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][398] = 1;
		if (!((((int)((P0 *)_this)->q)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 367: // STATE 399 - park_wake.pml:199 - [nmspinning = (nmspinning-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][399] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)-1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 368: // STATE 403 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][403] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 369: // STATE 405 - park_wake.pml:204 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][405] = 1;
		if (!((((int)((P0 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 370: // STATE 406 - park_wake.pml:95 - [((!(mu)&&((idle_m|unborn)!=0)))] (424:0:1 - 1)
		IfNotBlocked
		reached[0][406] = 1;
		if (!(( !(((int)now.mu))&&((((int)now.idle_m)|((int)now.unborn))!=0))))
			continue;
		/* merge: mu = 1(0, 407, 424) */
		reached[0][407] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 371: // STATE 409 - park_wake.pml:98 - [((idle_m&1))] (425:0:4 - 1)
		IfNotBlocked
		reached[0][409] = 1;
		if (!((((int)now.idle_m)&1)))
			continue;
		/* merge: w = 0(425, 410, 425) */
		reached[0][410] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(425, 420, 425) */
		reached[0][420] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(425, 421, 425) */
		reached[0][421] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(425, 422, 425) */
		reached[0][422] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(425, 423, 425) */
		reached[0][423] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 372: // STATE 411 - park_wake.pml:99 - [((idle_m&2))] (425:0:4 - 1)
		IfNotBlocked
		reached[0][411] = 1;
		if (!((((int)now.idle_m)&2)))
			continue;
		/* merge: w = 1(425, 412, 425) */
		reached[0][412] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(425, 420, 425) */
		reached[0][420] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(425, 421, 425) */
		reached[0][421] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(425, 422, 425) */
		reached[0][422] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(425, 423, 425) */
		reached[0][423] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 373: // STATE 413 - park_wake.pml:100 - [((idle_m&4))] (425:0:4 - 1)
		IfNotBlocked
		reached[0][413] = 1;
		if (!((((int)now.idle_m)&4)))
			continue;
		/* merge: w = 2(425, 414, 425) */
		reached[0][414] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(425, 420, 425) */
		reached[0][420] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(425, 421, 425) */
		reached[0][421] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(425, 422, 425) */
		reached[0][422] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(425, 423, 425) */
		reached[0][423] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 374: // STATE 415 - park_wake.pml:101 - [(((idle_m==0)&&(unborn&2)))] (425:0:4 - 1)
		IfNotBlocked
		reached[0][415] = 1;
		if (!(((((int)now.idle_m)==0)&&(((int)now.unborn)&2))))
			continue;
		/* merge: w = 1(425, 416, 425) */
		reached[0][416] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(425, 420, 425) */
		reached[0][420] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(425, 421, 425) */
		reached[0][421] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(425, 422, 425) */
		reached[0][422] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(425, 423, 425) */
		reached[0][423] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 375: // STATE 417 - park_wake.pml:102 - [(((idle_m==0)&&!((unborn&2))))] (425:0:4 - 1)
		IfNotBlocked
		reached[0][417] = 1;
		if (!(((((int)now.idle_m)==0)&& !((((int)now.unborn)&2)))))
			continue;
		/* merge: w = 2(425, 418, 425) */
		reached[0][418] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(425, 420, 425) */
		reached[0][420] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(425, 421, 425) */
		reached[0][421] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(425, 422, 425) */
		reached[0][422] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(425, 423, 425) */
		reached[0][423] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 376: // STATE 421 - park_wake.pml:105 - [idle_m = (idle_m&~((1<<w)))] (0:425:3 - 6)
		IfNotBlocked
		reached[0][421] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(425, 422, 425) */
		reached[0][422] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(425, 423, 425) */
		reached[0][423] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 377: // STATE 425 - park_wake.pml:110 - [assert((!(spinning[w])&&(next_p[w]==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][425] = 1;
		spin_assert(( !(((int)now.spinning[ Index(((int)((P0 *)_this)->w), 3) ]))&&(((int)now.next_p[ Index(((int)((P0 *)_this)->w), 3) ])==0)), "( !(spinning[w])&&(next_p[w]==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 378: // STATE 426 - park_wake.pml:111 - [spinning[w] = 1] (0:431:2 - 1)
		IfNotBlocked
		reached[0][426] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.spinning[ Index(((int)((P0 *)_this)->w), 3) ]);
		now.spinning[ Index(((P0 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[m:w]", ((int)now.spinning[ Index(((int)((P0 *)_this)->w), 3) ]));
#endif
		;
		/* merge: next_p[w] = q(431, 427, 431) */
		reached[0][427] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P0 *)_this)->w), 3) ]);
		now.next_p[ Index(((P0 *)_this)->w, 3) ] = ((int)((P0 *)_this)->q);
#ifdef VAR_RANGES
		logval("next_p[m:w]", ((int)now.next_p[ Index(((int)((P0 *)_this)->w), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 379: // STATE 429 - park_wake.pml:119 - [park[w] = 1] (0:441:2 - 1)
		IfNotBlocked
		reached[0][429] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P0 *)_this)->w), 3) ]);
		now.park[ Index(((P0 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("park[m:w]", ((int)now.park[ Index(((int)((P0 *)_this)->w), 3) ]));
#endif
		;
		/* merge: w = 0(441, 430, 441) */
		reached[0][430] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(0, 435, 441) */
		reached[0][435] = 1;
		;
		/* merge: .(goto)(0, 438, 441) */
		reached[0][438] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 380: // STATE 439 - park_wake.pml:209 - [won = 0] (0:454:2 - 1)
		IfNotBlocked
		reached[0][439] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		/* merge: q = 0(454, 440, 454) */
		reached[0][440] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		/* merge: .(goto)(0, 447, 454) */
		reached[0][447] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 381: // STATE 449 - park_wake.pml:439 - [runs = (runs&~(gp))] (0:7:3 - 1)
		IfNotBlocked
		reached[0][449] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.runs);
		now.runs = (((int)now.runs)& ~(((int)((P0 *)_this)->gp)));
#ifdef VAR_RANGES
		logval("runs", ((int)now.runs));
#endif
		;
		/* merge: ended = (ended|gp)(7, 450, 7) */
		reached[0][450] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.ended);
		now.ended = (((int)now.ended)|((int)((P0 *)_this)->gp));
#ifdef VAR_RANGES
		logval("ended", ((int)now.ended));
#endif
		;
		/* merge: gp = 0(7, 451, 7) */
		reached[0][451] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->gp);
		((P0 *)_this)->gp = 0;
#ifdef VAR_RANGES
		logval("m:gp", ((int)((P0 *)_this)->gp));
#endif
		;
		/* merge: goto findrunnable(0, 453, 7) */
		reached[0][453] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 382: // STATE 458 - park_wake.pml:232 - [begun = (begun|(1<<(2-1)))] (0:555:2 - 1)
		IfNotBlocked
		reached[0][458] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.begun);
		now.begun = (((int)now.begun)|(1<<(2-1)));
#ifdef VAR_RANGES
		logval("begun", ((int)now.begun));
#endif
		;
		/* merge: ring[(pp-1)] = (ring[(pp-1)]|(1<<(2-1)))(555, 459, 555) */
		reached[0][459] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]);
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = (((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])|(1<<(2-1)));
#ifdef VAR_RANGES
		logval("ring[(m:pp-1)]", ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 383: // STATE 461 - park_wake.pml:168 - [won = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][461] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 1;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 384: // STATE 462 - park_wake.pml:170 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][462] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 385: // STATE 463 - park_wake.pml:172 - [need_spinning = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][463] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = 1;
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 386: // STATE 464 - park_wake.pml:175 - [((idle_p_count==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][464] = 1;
		if (!((((int)now.idle_p_count)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 387: // STATE 465 - park_wake.pml:175 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][465] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 388: // STATE 472 - park_wake.pml:181 - [((won&&(nmspinning!=0)))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][472] = 1;
		if (!((((int)((P0 *)_this)->won)&&(((int)now.nmspinning)!=0))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P0 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 389: // STATE 473 - park_wake.pml:181 - [won = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][473] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 390: // STATE 477 - park_wake.pml:185 - [(won)] (0:0:0 - 1)
		IfNotBlocked
		reached[0][477] = 1;
		if (!(((int)((P0 *)_this)->won)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 391: // STATE 478 - park_wake.pml:188 - [((nmspinning==0))] (549:0:1 - 1)
		IfNotBlocked
		reached[0][478] = 1;
		if (!((((int)now.nmspinning)==0)))
			continue;
		/* merge: nmspinning = 1(549, 479, 549) */
		reached[0][479] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = 1;
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		/* merge: .(goto)(549, 483, 549) */
		reached[0][483] = 1;
		;
		/* merge: .(goto)(0, 487, 549) */
		reached[0][487] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 392: // STATE 483 - park_wake.pml:191 - [.(goto)] (0:549:0 - 2)
		IfNotBlocked
		reached[0][483] = 1;
		;
		/* merge: .(goto)(0, 487, 549) */
		reached[0][487] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 393: // STATE 481 - park_wake.pml:189 - [won = 0] (0:549:1 - 1)
		IfNotBlocked
		reached[0][481] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		/* merge: .(goto)(549, 483, 549) */
		reached[0][483] = 1;
		;
		/* merge: .(goto)(0, 487, 549) */
		reached[0][487] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 394: // STATE 488 - park_wake.pml:195 - [(won)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][488] = 1;
		if (!(((int)((P0 *)_this)->won)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: won */  (trpt+1)->bup.oval = ((P0 *)_this)->won;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->won = 0;
		_m = 3; goto P999; /* 0 */
	case 395: // STATE 489 - park_wake.pml:64 - [(!(mu))] (509:0:1 - 1)
		IfNotBlocked
		reached[0][489] = 1;
		if (!( !(((int)now.mu))))
			continue;
		/* merge: mu = 1(0, 490, 509) */
		reached[0][490] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 396: // STATE 493 - park_wake.pml:77 - [((idle_p&1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][493] = 1;
		if (!((((int)now.idle_p)&1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 397: // STATE 494 - park_wake.pml:77 - [q = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][494] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 1;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 398: // STATE 495 - park_wake.pml:78 - [((idle_p&2))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][495] = 1;
		if (!((((int)now.idle_p)&2)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 399: // STATE 496 - park_wake.pml:78 - [q = 2] (0:0:1 - 1)
		IfNotBlocked
		reached[0][496] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 2;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 400: // STATE 497 - park_wake.pml:79 - [((idle_p==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][497] = 1;
		if (!((((int)now.idle_p)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 401: // STATE 498 - park_wake.pml:79 - [q = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][498] = 1;
		(trpt+1)->bup.oval = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 402: // STATE 501 - park_wake.pml:82 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][501] = 1;
		if (!((((int)((P0 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 403: // STATE 502 - park_wake.pml:82 - [idle_p = (idle_p&~((1<<(q-1))))] (0:0:1 - 1)
		IfNotBlocked
		reached[0][502] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p);
		now.idle_p = (((int)now.idle_p)& ~((1<<(((int)((P0 *)_this)->q)-1))));
#ifdef VAR_RANGES
		logval("idle_p", ((int)now.idle_p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 404: // STATE 503 - park_wake.pml:82 - [idle_p_count = (idle_p_count-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][503] = 1;
		(trpt+1)->bup.oval = ((int)now.idle_p_count);
		now.idle_p_count = (((int)now.idle_p_count)-1);
#ifdef VAR_RANGES
		logval("idle_p_count", ((int)now.idle_p_count));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 405: // STATE 508 - park_wake.pml:89 - [need_spinning = (q==0)] (0:0:1 - 3)
		IfNotBlocked
		reached[0][508] = 1;
		(trpt+1)->bup.oval = ((int)now.need_spinning);
		now.need_spinning = (((int)((P0 *)_this)->q)==0);
#ifdef VAR_RANGES
		logval("need_spinning", ((int)now.need_spinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 406: // STATE 510 - park_wake.pml:199 - [((q==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][510] = 1;
		if (!((((int)((P0 *)_this)->q)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 407: // STATE 511 - park_wake.pml:199 - [nmspinning = (nmspinning-1)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][511] = 1;
		(trpt+1)->bup.oval = ((int)now.nmspinning);
		now.nmspinning = (((int)now.nmspinning)-1);
#ifdef VAR_RANGES
		logval("nmspinning", ((int)now.nmspinning));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 408: // STATE 515 - park_wake.pml:65 - [mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][515] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 409: // STATE 517 - park_wake.pml:204 - [((q!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][517] = 1;
		if (!((((int)((P0 *)_this)->q)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 410: // STATE 518 - park_wake.pml:95 - [((!(mu)&&((idle_m|unborn)!=0)))] (536:0:1 - 1)
		IfNotBlocked
		reached[0][518] = 1;
		if (!(( !(((int)now.mu))&&((((int)now.idle_m)|((int)now.unborn))!=0))))
			continue;
		/* merge: mu = 1(0, 519, 536) */
		reached[0][519] = 1;
		(trpt+1)->bup.oval = ((int)now.mu);
		now.mu = 1;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 411: // STATE 521 - park_wake.pml:98 - [((idle_m&1))] (537:0:4 - 1)
		IfNotBlocked
		reached[0][521] = 1;
		if (!((((int)now.idle_m)&1)))
			continue;
		/* merge: w = 0(537, 522, 537) */
		reached[0][522] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(537, 532, 537) */
		reached[0][532] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(537, 533, 537) */
		reached[0][533] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(537, 534, 537) */
		reached[0][534] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(537, 535, 537) */
		reached[0][535] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 412: // STATE 523 - park_wake.pml:99 - [((idle_m&2))] (537:0:4 - 1)
		IfNotBlocked
		reached[0][523] = 1;
		if (!((((int)now.idle_m)&2)))
			continue;
		/* merge: w = 1(537, 524, 537) */
		reached[0][524] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(537, 532, 537) */
		reached[0][532] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(537, 533, 537) */
		reached[0][533] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(537, 534, 537) */
		reached[0][534] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(537, 535, 537) */
		reached[0][535] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 413: // STATE 525 - park_wake.pml:100 - [((idle_m&4))] (537:0:4 - 1)
		IfNotBlocked
		reached[0][525] = 1;
		if (!((((int)now.idle_m)&4)))
			continue;
		/* merge: w = 2(537, 526, 537) */
		reached[0][526] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(537, 532, 537) */
		reached[0][532] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(537, 533, 537) */
		reached[0][533] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(537, 534, 537) */
		reached[0][534] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(537, 535, 537) */
		reached[0][535] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 414: // STATE 527 - park_wake.pml:101 - [(((idle_m==0)&&(unborn&2)))] (537:0:4 - 1)
		IfNotBlocked
		reached[0][527] = 1;
		if (!(((((int)now.idle_m)==0)&&(((int)now.unborn)&2))))
			continue;
		/* merge: w = 1(537, 528, 537) */
		reached[0][528] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 1;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(537, 532, 537) */
		reached[0][532] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(537, 533, 537) */
		reached[0][533] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(537, 534, 537) */
		reached[0][534] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(537, 535, 537) */
		reached[0][535] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 415: // STATE 529 - park_wake.pml:102 - [(((idle_m==0)&&!((unborn&2))))] (537:0:4 - 1)
		IfNotBlocked
		reached[0][529] = 1;
		if (!(((((int)now.idle_m)==0)&& !((((int)now.unborn)&2)))))
			continue;
		/* merge: w = 2(537, 530, 537) */
		reached[0][530] = 1;
		(trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 2;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(537, 532, 537) */
		reached[0][532] = 1;
		;
		/* merge: idle_m = (idle_m&~((1<<w)))(537, 533, 537) */
		reached[0][533] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(537, 534, 537) */
		reached[0][534] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(537, 535, 537) */
		reached[0][535] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 416: // STATE 533 - park_wake.pml:105 - [idle_m = (idle_m&~((1<<w)))] (0:537:3 - 6)
		IfNotBlocked
		reached[0][533] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.idle_m);
		now.idle_m = (((int)now.idle_m)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("idle_m", ((int)now.idle_m));
#endif
		;
		/* merge: unborn = (unborn&~((1<<w)))(537, 534, 537) */
		reached[0][534] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.unborn);
		now.unborn = (((int)now.unborn)& ~((1<<((int)((P0 *)_this)->w))));
#ifdef VAR_RANGES
		logval("unborn", ((int)now.unborn));
#endif
		;
		/* merge: mu = 0(537, 535, 537) */
		reached[0][535] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.mu);
		now.mu = 0;
#ifdef VAR_RANGES
		logval("mu", ((int)now.mu));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 417: // STATE 537 - park_wake.pml:110 - [assert((!(spinning[w])&&(next_p[w]==0)))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][537] = 1;
		spin_assert(( !(((int)now.spinning[ Index(((int)((P0 *)_this)->w), 3) ]))&&(((int)now.next_p[ Index(((int)((P0 *)_this)->w), 3) ])==0)), "( !(spinning[w])&&(next_p[w]==0))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 418: // STATE 538 - park_wake.pml:111 - [spinning[w] = 1] (0:543:2 - 1)
		IfNotBlocked
		reached[0][538] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.spinning[ Index(((int)((P0 *)_this)->w), 3) ]);
		now.spinning[ Index(((P0 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("spinning[m:w]", ((int)now.spinning[ Index(((int)((P0 *)_this)->w), 3) ]));
#endif
		;
		/* merge: next_p[w] = q(543, 539, 543) */
		reached[0][539] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.next_p[ Index(((int)((P0 *)_this)->w), 3) ]);
		now.next_p[ Index(((P0 *)_this)->w, 3) ] = ((int)((P0 *)_this)->q);
#ifdef VAR_RANGES
		logval("next_p[m:w]", ((int)now.next_p[ Index(((int)((P0 *)_this)->w), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 419: // STATE 541 - park_wake.pml:119 - [park[w] = 1] (0:553:2 - 1)
		IfNotBlocked
		reached[0][541] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.park[ Index(((int)((P0 *)_this)->w), 3) ]);
		now.park[ Index(((P0 *)_this)->w, 3) ] = 1;
#ifdef VAR_RANGES
		logval("park[m:w]", ((int)now.park[ Index(((int)((P0 *)_this)->w), 3) ]));
#endif
		;
		/* merge: w = 0(553, 542, 553) */
		reached[0][542] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P0 *)_this)->w);
		((P0 *)_this)->w = 0;
#ifdef VAR_RANGES
		logval("m:w", ((int)((P0 *)_this)->w));
#endif
		;
		/* merge: .(goto)(0, 547, 553) */
		reached[0][547] = 1;
		;
		/* merge: .(goto)(0, 550, 553) */
		reached[0][550] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 420: // STATE 551 - park_wake.pml:209 - [won = 0] (0:560:2 - 1)
		IfNotBlocked
		reached[0][551] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->won);
		((P0 *)_this)->won = 0;
#ifdef VAR_RANGES
		logval("m:won", ((int)((P0 *)_this)->won));
#endif
		;
		/* merge: q = 0(560, 552, 560) */
		reached[0][552] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P0 *)_this)->q);
		((P0 *)_this)->q = 0;
#ifdef VAR_RANGES
		logval("m:q", ((int)((P0 *)_this)->q));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 421: // STATE 557 - park_wake.pml:64 - [(!(list_mu))] (561:0:1 - 1)
		IfNotBlocked
		reached[0][557] = 1;
		if (!( !(((int)now.list_mu))))
			continue;
		/* merge: list_mu = 1(0, 558, 561) */
		reached[0][558] = 1;
		(trpt+1)->bup.oval = ((int)now.list_mu);
		now.list_mu = 1;
#ifdef VAR_RANGES
		logval("list_mu", ((int)now.list_mu));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 422: // STATE 561 - park_wake.pml:445 - [list_has = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][561] = 1;
		(trpt+1)->bup.oval = ((int)now.list_has);
		now.list_has = 1;
#ifdef VAR_RANGES
		logval("list_has", ((int)now.list_has));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 423: // STATE 562 - park_wake.pml:447 - [next = (ring[(pp-1)]&-(ring[(pp-1)]))] (0:568:2 - 1)
		IfNotBlocked
		reached[0][562] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->next);
		((P0 *)_this)->next = (((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])& -(((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])));
#ifdef VAR_RANGES
		logval("m:next", ((int)((P0 *)_this)->next));
#endif
		;
		/* merge: ring[(pp-1)] = (ring[(pp-1)]&~(next))(568, 563, 568) */
		reached[0][563] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]);
		now.ring[ Index((((P0 *)_this)->pp-1), 2) ] = (((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ])& ~(((int)((P0 *)_this)->next)));
#ifdef VAR_RANGES
		logval("ring[(m:pp-1)]", ((int)now.ring[ Index((((int)((P0 *)_this)->pp)-1), 2) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 424: // STATE 565 - park_wake.pml:453 - [saved = (saved|1)] (0:570:3 - 1)
		IfNotBlocked
		reached[0][565] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.saved);
		now.saved = (((int)now.saved)|1);
#ifdef VAR_RANGES
		logval("saved", ((int)now.saved));
#endif
		;
		/* merge: runs = (runs&~(1))(570, 566, 570) */
		reached[0][566] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.runs);
		now.runs = (((int)now.runs)& ~(1));
#ifdef VAR_RANGES
		logval("runs", ((int)now.runs));
#endif
		;
		/* merge: gp = 0(570, 567, 570) */
		reached[0][567] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->gp);
		((P0 *)_this)->gp = 0;
#ifdef VAR_RANGES
		logval("m:gp", ((int)((P0 *)_this)->gp));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 425: // STATE 569 - park_wake.pml:65 - [list_mu = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][569] = 1;
		(trpt+1)->bup.oval = ((int)now.list_mu);
		now.list_mu = 0;
#ifdef VAR_RANGES
		logval("list_mu", ((int)now.list_mu));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 426: // STATE 571 - park_wake.pml:458 - [((next!=0))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][571] = 1;
		if (!((((int)((P0 *)_this)->next)!=0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 427: // STATE 577 - park_wake.pml:463 - [(0)] (0:0:0 - 2)
		IfNotBlocked
		reached[0][577] = 1;
		if (!(0))
			continue;
		_m = 3; goto P999; /* 0 */
	case 428: // STATE 578 - park_wake.pml:464 - [-end-] (0:0:0 - 1)
		IfNotBlocked
		reached[0][578] = 1;
		if (!delproc(1, II)) continue;
		_m = 3; goto P999; /* 0 */
	case  _T5:	/* np_ */
		if (!((!(trpt->o_pm&4) && !(trpt->tau&128))))
			continue;
		/* else fall through */
	case  _T2:	/* true */
		_m = 3; goto P999;
#undef rand
	}

