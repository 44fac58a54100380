#ifdef PEG
struct T_SRC {
	char *fl; int ln;
} T_SRC[NTRANS];

void
tr_2_src(int m, char *file, int ln)
{	T_SRC[m].fl = file;
	T_SRC[m].ln = ln;
}

void
putpeg(int n, int m)
{	printf("%5d	trans %4d ", m, n);
	printf("%s:%d\n",
		T_SRC[n].fl, T_SRC[n].ln);
}
#endif

void
settable(void)
{	Trans *T;
	Trans *settr(int, int, int, int, int, char *, int, int, int);

	trans = (Trans ***) emalloc(5*sizeof(Trans **));

	/* proctype 3: :init: */

	trans[3] = (Trans **) emalloc(13*sizeof(Trans *));

	T = trans[ 3][6] = settr(1059,2,0,0,0,"ATOMIC", 0, 2, 0);
	T->nxt	= settr(1059,2,1,0,0,"ATOMIC", 0, 2, 0);
	trans[3][1]	= settr(1054,2,2,3,3,"(run m(0,1,1))", 0, 2, 0);
	trans[3][2]	= settr(1055,2,3,4,4,"(run m(1,0,0))", 0, 2, 0);
	trans[3][3]	= settr(1056,2,4,5,5,"(run m(2,0,0))", 0, 2, 0);
	trans[3][4]	= settr(1057,2,5,6,6,"(run foreign_thread())", 0, 2, 0);
	trans[3][5]	= settr(1058,0,7,7,7,"(run sysmon())", 0, 2, 0);
	trans[3][7]	= settr(1060,0,8,8,0,"(timeout)", 1, 3000, 0);
	trans[3][8]	= settr(1061,0,9,9,0,"assert(((!(mu)&&!(list_mu))&&(nmspinning==0)))", 1, 2, 0);
	trans[3][9]	= settr(1062,0,10,10,0,"assert(((idle_p_count==((((idle_p&1)+((idle_p>>1)&1))+((idle_p>>2)&1))+((idle_p>>3)&1)))&&(runq_size==((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1)))))", 1, 2, 0);
	trans[3][10]	= settr(1063,0,11,11,0,"assert(((idle_p==0)||(((ring[0]|ring[1])|global)==0)))", 1, 2, 0);
	trans[3][11]	= settr(1064,0,12,12,0,"assert(((((((ring[0]|ring[1])|global)|runs)|ended)==begun)||list_has))", 1, 2, 0);
	trans[3][12]	= settr(1065,0,0,13,13,"-end-", 0, 3500, 0);

	/* proctype 2: sysmon */

	trans[2] = (Trans **) emalloc(254*sizeof(Trans *));

	T = trans[ 2][252] = settr(1052,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(1052,0,250,0,0,"sub-sequence", 0, 2, 0);
	T = trans[2][250] = settr(1050,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(1050,0,1,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(1050,0,29,0,0,"IF", 0, 2, 0);
	trans[2][1]	= settr(801,0,28,14,0,"((ring[(2-1)]!=0))", 1, 2, 0);
	T = trans[ 2][28] = settr(828,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(828,0,4,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 2][4] = settr(804,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(804,2,2,0,0,"ATOMIC", 1, 2, 0);
	trans[2][2]	= settr(802,4,20,15,15,"((!(mu)&&((idle_m|unborn)!=0)))", 1, 2, 0); /* m: 3 -> 20,0 */
	reached2[3] = 1;
	trans[2][3]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 2][20] = settr(820,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(820,2,15,0,0,"ATOMIC", 1, 2, 0);
	T = trans[2][15] = settr(815,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(815,2,5,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(815,2,7,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(815,2,9,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(815,2,11,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(815,2,13,0,0,"IF", 1, 2, 0);
	trans[2][5]	= settr(805,4,21,16,16,"((idle_m&1))", 1, 2, 0); /* m: 6 -> 21,0 */
	reached2[6] = 1;
	trans[2][6]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[2][16]	= settr(816,2,17,1,0,".(goto)", 1, 2, 0); /* m: 17 -> 0,21 */
	reached2[17] = 1;
	trans[2][7]	= settr(807,4,21,17,17,"((idle_m&2))", 1, 2, 0); /* m: 8 -> 21,0 */
	reached2[8] = 1;
	trans[2][8]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[2][9]	= settr(809,4,21,18,18,"((idle_m&4))", 1, 2, 0); /* m: 10 -> 21,0 */
	reached2[10] = 1;
	trans[2][10]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[2][11]	= settr(811,4,21,19,19,"(((idle_m==0)&&(unborn&2)))", 1, 2, 0); /* m: 12 -> 21,0 */
	reached2[12] = 1;
	trans[2][12]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[2][13]	= settr(813,4,21,20,20,"(((idle_m==0)&&!((unborn&2))))", 1, 2, 0); /* m: 14 -> 21,0 */
	reached2[14] = 1;
	trans[2][14]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[2][17]	= settr(817,4,21,21,21,"idle_m = (idle_m&~((1<<w)))", 1, 2, 0); /* m: 18 -> 0,21 */
	reached2[18] = 1;
	trans[2][18]	= settr(0,0,0,0,0,"unborn = (unborn&~((1<<w)))",0,0,0);
	trans[2][19]	= settr(0,0,0,0,0,"mu = 0",0,0,0);
	trans[2][21]	= settr(821,0,24,22,0,"assert((!(spinning[w])&&(next_p[w]==0)))", 1, 2, 0);
	T = trans[ 2][24] = settr(824,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(824,2,22,0,0,"ATOMIC", 1, 2, 0);
	trans[2][22]	= settr(822,4,27,23,23,"spinning[w] = 0", 1, 2, 0); /* m: 23 -> 0,27 */
	reached2[23] = 1;
	trans[2][23]	= settr(0,0,0,0,0,"next_p[w] = 2",0,0,0);
	T = trans[ 2][27] = settr(827,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(827,2,25,0,0,"ATOMIC", 1, 2, 0);
	trans[2][25]	= settr(825,0,253,24,24,"park[w] = 1", 1, 2, 0); /* m: 26 -> 0,253 */
	reached2[26] = 1;
	trans[2][26]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[2][251]	= settr(1051,0,253,1,0,".(goto)", 0, 2, 0);
	trans[2][29]	= settr(829,0,248,2,0,"else", 0, 2, 0);
	T = trans[2][248] = settr(1048,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(1048,0,30,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(1048,0,58,0,0,"IF", 0, 2, 0);
	trans[2][30]	= settr(830,0,57,25,0,"((runq_size!=0))", 1, 2, 0);
	T = trans[ 2][57] = settr(857,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(857,0,33,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 2][33] = settr(833,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(833,2,31,0,0,"ATOMIC", 1, 2, 0);
	trans[2][31]	= settr(831,4,49,26,26,"((!(mu)&&((idle_m|unborn)!=0)))", 1, 2, 0); /* m: 32 -> 49,0 */
	reached2[32] = 1;
	trans[2][32]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 2][49] = settr(849,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(849,2,44,0,0,"ATOMIC", 1, 2, 0);
	T = trans[2][44] = settr(844,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(844,2,34,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(844,2,36,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(844,2,38,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(844,2,40,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(844,2,42,0,0,"IF", 1, 2, 0);
	trans[2][34]	= settr(834,4,50,27,27,"((idle_m&1))", 1, 2, 0); /* m: 35 -> 50,0 */
	reached2[35] = 1;
	trans[2][35]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[2][45]	= settr(845,2,46,1,0,".(goto)", 1, 2, 0); /* m: 46 -> 0,50 */
	reached2[46] = 1;
	trans[2][36]	= settr(836,4,50,28,28,"((idle_m&2))", 1, 2, 0); /* m: 37 -> 50,0 */
	reached2[37] = 1;
	trans[2][37]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[2][38]	= settr(838,4,50,29,29,"((idle_m&4))", 1, 2, 0); /* m: 39 -> 50,0 */
	reached2[39] = 1;
	trans[2][39]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[2][40]	= settr(840,4,50,30,30,"(((idle_m==0)&&(unborn&2)))", 1, 2, 0); /* m: 41 -> 50,0 */
	reached2[41] = 1;
	trans[2][41]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[2][42]	= settr(842,4,50,31,31,"(((idle_m==0)&&!((unborn&2))))", 1, 2, 0); /* m: 43 -> 50,0 */
	reached2[43] = 1;
	trans[2][43]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[2][46]	= settr(846,4,50,32,32,"idle_m = (idle_m&~((1<<w)))", 1, 2, 0); /* m: 47 -> 0,50 */
	reached2[47] = 1;
	trans[2][47]	= settr(0,0,0,0,0,"unborn = (unborn&~((1<<w)))",0,0,0);
	trans[2][48]	= settr(0,0,0,0,0,"mu = 0",0,0,0);
	trans[2][50]	= settr(850,0,53,33,0,"assert((!(spinning[w])&&(next_p[w]==0)))", 1, 2, 0);
	T = trans[ 2][53] = settr(853,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(853,2,51,0,0,"ATOMIC", 1, 2, 0);
	trans[2][51]	= settr(851,4,56,34,34,"spinning[w] = 0", 1, 2, 0); /* m: 52 -> 0,56 */
	reached2[52] = 1;
	trans[2][52]	= settr(0,0,0,0,0,"next_p[w] = 2",0,0,0);
	T = trans[ 2][56] = settr(856,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(856,2,54,0,0,"ATOMIC", 1, 2, 0);
	trans[2][54]	= settr(854,0,253,35,35,"park[w] = 1", 1, 2, 0); /* m: 55 -> 0,253 */
	reached2[55] = 1;
	trans[2][55]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[2][249]	= settr(1049,0,253,1,0,".(goto)", 0, 2, 0);
	trans[2][58]	= settr(858,0,59,2,0,"else", 0, 2, 0);
	trans[2][59]	= settr(859,0,73,36,36,"won = 0", 0, 2, 0);
	T = trans[2][73] = settr(873,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(873,0,60,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(873,0,72,0,0,"IF", 0, 2, 0);
	trans[2][60]	= settr(860,0,70,37,0,"((nmspinning==0))", 1, 2, 0);
	T = trans[2][70] = settr(870,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(870,0,61,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(870,0,69,0,0,"IF", 0, 2, 0);
	trans[2][61]	= settr(861,0,66,38,0,"((idle_p_count==0))", 1, 2, 0);
	T = trans[ 2][66] = settr(866,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(866,2,62,0,0,"ATOMIC", 1, 2, 0);
	trans[2][62]	= settr(862,2,63,39,0,"((nmspinning==0))", 1, 2, 0);
	trans[2][62]->escp[0] = 65;
	reached2[65] = 1;
	/* escape #0: 65 */
	trans[2][65]	= settr(865,0,246,40,0,"((nmspinning!=0))", 1, 2, 0);
	trans[2][68]	= settr(868,0,246,1,0,".(goto)", 0, 2, 0);
	/* end-escapes */
	trans[2][63]	= settr(863,2,64,41,41,"nmspinning = 1", 1, 2, 0);
	trans[2][63]->escp[0] = 65;
	reached2[65] = 1;
	/* escape #0: 65 */
	/* end-escapes */
	trans[2][64]	= settr(864,0,246,42,42,"won = 1", 1, 2, 0);
	trans[2][64]->escp[0] = 65;
	reached2[65] = 1;
	/* escape #0: 65 */
	/* end-escapes */
	trans[2][71]	= settr(871,0,246,1,0,".(goto)", 0, 2, 0);
	trans[2][69]	= settr(869,0,246,2,0,"else", 0, 2, 0);
	trans[2][74]	= settr(874,0,246,1,0,".(goto)", 0, 2, 0);
	trans[2][72]	= settr(872,0,246,2,0,"else", 0, 2, 0);
	T = trans[2][246] = settr(1046,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(1046,0,75,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(1046,0,104,0,0,"IF", 0, 2, 0);
	trans[2][75]	= settr(875,0,76,43,43,"(won)", 0, 2, 0);
	trans[2][76]	= settr(876,0,103,44,44,"need_spinning = 0", 1, 2, 0);
	T = trans[ 2][103] = settr(903,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(903,0,79,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 2][79] = settr(879,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(879,2,77,0,0,"ATOMIC", 1, 2, 0);
	trans[2][77]	= settr(877,4,95,45,45,"((!(mu)&&((idle_m|unborn)!=0)))", 1, 2, 0); /* m: 78 -> 95,0 */
	reached2[78] = 1;
	trans[2][78]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 2][95] = settr(895,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(895,2,90,0,0,"ATOMIC", 1, 2, 0);
	T = trans[2][90] = settr(890,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(890,2,80,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(890,2,82,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(890,2,84,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(890,2,86,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(890,2,88,0,0,"IF", 1, 2, 0);
	trans[2][80]	= settr(880,4,96,46,46,"((idle_m&1))", 1, 2, 0); /* m: 81 -> 96,0 */
	reached2[81] = 1;
	trans[2][81]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[2][91]	= settr(891,2,92,1,0,".(goto)", 1, 2, 0); /* m: 92 -> 0,96 */
	reached2[92] = 1;
	trans[2][82]	= settr(882,4,96,47,47,"((idle_m&2))", 1, 2, 0); /* m: 83 -> 96,0 */
	reached2[83] = 1;
	trans[2][83]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[2][84]	= settr(884,4,96,48,48,"((idle_m&4))", 1, 2, 0); /* m: 85 -> 96,0 */
	reached2[85] = 1;
	trans[2][85]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[2][86]	= settr(886,4,96,49,49,"(((idle_m==0)&&(unborn&2)))", 1, 2, 0); /* m: 87 -> 96,0 */
	reached2[87] = 1;
	trans[2][87]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[2][88]	= settr(888,4,96,50,50,"(((idle_m==0)&&!((unborn&2))))", 1, 2, 0); /* m: 89 -> 96,0 */
	reached2[89] = 1;
	trans[2][89]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[2][92]	= settr(892,4,96,51,51,"idle_m = (idle_m&~((1<<w)))", 1, 2, 0); /* m: 93 -> 0,96 */
	reached2[93] = 1;
	trans[2][93]	= settr(0,0,0,0,0,"unborn = (unborn&~((1<<w)))",0,0,0);
	trans[2][94]	= settr(0,0,0,0,0,"mu = 0",0,0,0);
	trans[2][96]	= settr(896,0,99,52,0,"assert((!(spinning[w])&&(next_p[w]==0)))", 1, 2, 0);
	T = trans[ 2][99] = settr(899,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(899,2,97,0,0,"ATOMIC", 1, 2, 0);
	trans[2][97]	= settr(897,4,102,53,53,"spinning[w] = 1", 1, 2, 0); /* m: 98 -> 0,102 */
	reached2[98] = 1;
	trans[2][98]	= settr(0,0,0,0,0,"next_p[w] = 2",0,0,0);
	T = trans[ 2][102] = settr(902,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(902,2,100,0,0,"ATOMIC", 1, 2, 0);
	trans[2][100]	= settr(900,0,253,54,54,"park[w] = 1", 1, 2, 0); /* m: 101 -> 0,253 */
	reached2[101] = 1;
	trans[2][101]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[2][247]	= settr(1047,0,253,1,0,".(goto)", 0, 2, 0);
	trans[2][104]	= settr(904,0,108,2,0,"else", 0, 2, 0);
	T = trans[ 2][108] = settr(908,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(908,0,107,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 2][107] = settr(907,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(907,2,105,0,0,"ATOMIC", 1, 2, 0);
	trans[2][105]	= settr(905,4,244,55,55,"(!(mu))", 1, 2, 0); /* m: 106 -> 244,0 */
	reached2[106] = 1;
	trans[2][106]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[2][244] = settr(1044,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(1044,0,109,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(1044,0,139,0,0,"IF", 0, 2, 0);
	trans[2][109]	= settr(909,0,111,56,0,"((global!=0))", 1, 2, 0);
	T = trans[ 2][111] = settr(911,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(911,0,110,0,0,"sub-sequence", 0, 2, 0);
	trans[2][110]	= settr(910,0,138,57,57,"mu = 0", 1, 2, 0);
	T = trans[ 2][138] = settr(938,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(938,0,114,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 2][114] = settr(914,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(914,2,112,0,0,"ATOMIC", 1, 2, 0);
	trans[2][112]	= settr(912,4,130,58,58,"((!(mu)&&((idle_m|unborn)!=0)))", 1, 2, 0); /* m: 113 -> 130,0 */
	reached2[113] = 1;
	trans[2][113]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 2][130] = settr(930,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(930,2,125,0,0,"ATOMIC", 1, 2, 0);
	T = trans[2][125] = settr(925,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(925,2,115,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(925,2,117,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(925,2,119,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(925,2,121,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(925,2,123,0,0,"IF", 1, 2, 0);
	trans[2][115]	= settr(915,4,131,59,59,"((idle_m&1))", 1, 2, 0); /* m: 116 -> 131,0 */
	reached2[116] = 1;
	trans[2][116]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[2][126]	= settr(926,2,127,1,0,".(goto)", 1, 2, 0); /* m: 127 -> 0,131 */
	reached2[127] = 1;
	trans[2][117]	= settr(917,4,131,60,60,"((idle_m&2))", 1, 2, 0); /* m: 118 -> 131,0 */
	reached2[118] = 1;
	trans[2][118]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[2][119]	= settr(919,4,131,61,61,"((idle_m&4))", 1, 2, 0); /* m: 120 -> 131,0 */
	reached2[120] = 1;
	trans[2][120]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[2][121]	= settr(921,4,131,62,62,"(((idle_m==0)&&(unborn&2)))", 1, 2, 0); /* m: 122 -> 131,0 */
	reached2[122] = 1;
	trans[2][122]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[2][123]	= settr(923,4,131,63,63,"(((idle_m==0)&&!((unborn&2))))", 1, 2, 0); /* m: 124 -> 131,0 */
	reached2[124] = 1;
	trans[2][124]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[2][127]	= settr(927,4,131,64,64,"idle_m = (idle_m&~((1<<w)))", 1, 2, 0); /* m: 128 -> 0,131 */
	reached2[128] = 1;
	trans[2][128]	= settr(0,0,0,0,0,"unborn = (unborn&~((1<<w)))",0,0,0);
	trans[2][129]	= settr(0,0,0,0,0,"mu = 0",0,0,0);
	trans[2][131]	= settr(931,0,134,65,0,"assert((!(spinning[w])&&(next_p[w]==0)))", 1, 2, 0);
	T = trans[ 2][134] = settr(934,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(934,2,132,0,0,"ATOMIC", 1, 2, 0);
	trans[2][132]	= settr(932,4,137,66,66,"spinning[w] = 0", 1, 2, 0); /* m: 133 -> 0,137 */
	reached2[133] = 1;
	trans[2][133]	= settr(0,0,0,0,0,"next_p[w] = 2",0,0,0);
	T = trans[ 2][137] = settr(937,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(937,2,135,0,0,"ATOMIC", 1, 2, 0);
	trans[2][135]	= settr(935,0,253,67,67,"park[w] = 1", 1, 2, 0); /* m: 136 -> 0,253 */
	reached2[136] = 1;
	trans[2][136]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[2][245]	= settr(1045,0,253,1,0,".(goto)", 0, 2, 0);
	trans[2][139]	= settr(939,0,143,2,0,"else", 0, 2, 0);
	T = trans[ 2][143] = settr(943,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(943,0,140,0,0,"sub-sequence", 0, 2, 0);
	trans[2][140]	= settr(940,0,141,68,0,"assert((ring[(2-1)]==0))", 1, 2, 0);
	trans[2][141]	= settr(941,0,142,69,69,"idle_p = (idle_p|(1<<(2-1)))", 1, 2, 0);
	trans[2][142]	= settr(942,0,145,70,70,"idle_p_count = (idle_p_count+1)", 1, 2, 0);
	T = trans[ 2][145] = settr(945,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(945,0,144,0,0,"sub-sequence", 0, 2, 0);
	trans[2][144]	= settr(944,0,242,71,71,"mu = 0", 1, 2, 0);
	T = trans[2][242] = settr(1042,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(1042,0,146,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(1042,0,241,0,0,"IF", 0, 2, 0);
	trans[2][146]	= settr(946,0,240,72,0,"(need_spinning)", 1, 2, 0);
	T = trans[ 2][240] = settr(1040,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(1040,0,147,0,0,"sub-sequence", 0, 2, 0);
	trans[2][147]	= settr(947,0,156,73,73,"won = 1", 0, 2, 0);
	T = trans[2][156] = settr(956,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(956,0,148,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(956,0,155,0,0,"IF", 0, 2, 0);
	trans[2][148]	= settr(948,0,149,74,0,"((idle_p_count==0))", 1, 2, 0);
	trans[2][149]	= settr(949,0,153,75,75,"need_spinning = 1", 1, 2, 0);
	T = trans[2][153] = settr(953,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(953,0,150,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(953,0,152,0,0,"IF", 0, 2, 0);
	trans[2][150]	= settr(950,0,151,76,0,"((idle_p_count==0))", 1, 2, 0);
	trans[2][151]	= settr(951,0,161,77,77,"won = 0", 0, 2, 0);
	trans[2][154]	= settr(954,0,161,1,0,".(goto)", 0, 2, 0);
	trans[2][152]	= settr(952,0,161,2,0,"else", 0, 2, 0);
	trans[2][157]	= settr(957,0,161,1,0,".(goto)", 0, 2, 0);
	trans[2][155]	= settr(955,0,161,2,0,"else", 0, 2, 0);
	T = trans[2][161] = settr(961,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(961,0,158,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(961,0,160,0,0,"IF", 0, 2, 0);
	trans[2][158]	= settr(958,0,159,78,78,"((won&&(nmspinning!=0)))", 1, 2, 0);
	trans[2][159]	= settr(959,0,172,79,79,"won = 0", 0, 2, 0);
	trans[2][162]	= settr(962,0,172,1,0,".(goto)", 0, 2, 0);
	trans[2][160]	= settr(960,0,172,2,0,"else", 0, 2, 0);
	T = trans[2][172] = settr(972,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(972,0,163,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(972,0,171,0,0,"IF", 0, 2, 0);
	trans[2][163]	= settr(963,0,170,80,0,"(won)", 0, 2, 0);
	T = trans[ 2][170] = settr(970,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(970,2,168,0,0,"ATOMIC", 1, 2, 0);
	T = trans[2][168] = settr(968,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(968,2,164,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(968,2,166,0,0,"IF", 1, 2, 0);
	trans[2][164]	= settr(964,0,235,81,81,"((nmspinning==0))", 1, 2, 0); /* m: 165 -> 235,0 */
	reached2[165] = 1;
	trans[2][165]	= settr(0,0,0,0,0,"nmspinning = 1",0,0,0);
	trans[2][169]	= settr(969,0,235,82,82,".(goto)", 1, 2, 0);
	trans[2][166]	= settr(966,2,167,2,0,"else", 1, 2, 0);
	trans[2][167]	= settr(967,0,235,83,83,"won = 0", 1, 2, 0); /* m: 169 -> 0,235 */
	reached2[169] = 1;
	trans[2][173]	= settr(973,0,235,1,0,".(goto)", 0, 2, 0);
	trans[2][171]	= settr(971,0,235,2,0,"else", 0, 2, 0);
	T = trans[2][235] = settr(1035,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(1035,0,174,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(1035,0,234,0,0,"IF", 0, 2, 0);
	trans[2][174]	= settr(974,0,178,84,84,"(won)", 0, 2, 0);
	T = trans[ 2][178] = settr(978,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(978,0,177,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 2][177] = settr(977,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(977,2,175,0,0,"ATOMIC", 1, 2, 0);
	trans[2][175]	= settr(975,4,195,85,85,"(!(mu))", 1, 2, 0); /* m: 176 -> 195,0 */
	reached2[176] = 1;
	trans[2][176]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 2][195] = settr(995,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(995,0,193,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 2][193] = settr(993,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(993,0,185,0,0,"sub-sequence", 0, 2, 0);
	T = trans[2][185] = settr(985,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(985,0,179,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(985,0,181,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(985,0,183,0,0,"IF", 0, 2, 0);
	trans[2][179]	= settr(979,0,180,86,0,"((idle_p&1))", 1, 2, 0);
	trans[2][180]	= settr(980,0,191,87,87,"q = 1", 0, 2, 0);
	trans[2][186]	= settr(986,0,191,1,0,".(goto)", 0, 2, 0);
	trans[2][181]	= settr(981,0,182,88,0,"((idle_p&2))", 1, 2, 0);
	trans[2][182]	= settr(982,0,191,89,89,"q = 2", 0, 2, 0);
	trans[2][183]	= settr(983,0,184,90,0,"((idle_p==0))", 1, 2, 0);
	trans[2][184]	= settr(984,0,191,91,91,"q = 0", 0, 2, 0);
	T = trans[2][191] = settr(991,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(991,0,187,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(991,0,190,0,0,"IF", 0, 2, 0);
	trans[2][187]	= settr(987,0,188,92,0,"((q!=0))", 0, 2, 0);
	trans[2][188]	= settr(988,0,189,93,93,"idle_p = (idle_p&~((1<<(q-1))))", 1, 2, 0);
	trans[2][189]	= settr(989,0,194,94,94,"idle_p_count = (idle_p_count-1)", 1, 2, 0);
	trans[2][192]	= settr(992,0,194,1,0,".(goto)", 0, 2, 0);
	trans[2][190]	= settr(990,0,194,2,0,"else", 0, 2, 0);
	trans[2][194]	= settr(994,0,199,95,95,"need_spinning = (q==0)", 1, 2, 0);
	T = trans[2][199] = settr(999,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(999,0,196,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(999,0,198,0,0,"IF", 0, 2, 0);
	trans[2][196]	= settr(996,0,197,96,0,"((q==0))", 0, 2, 0);
	trans[2][197]	= settr(997,0,202,97,97,"nmspinning = (nmspinning-1)", 1, 2, 0);
	trans[2][200]	= settr(1000,0,202,1,0,".(goto)", 0, 2, 0);
	trans[2][198]	= settr(998,0,202,2,0,"else", 0, 2, 0);
	T = trans[ 2][202] = settr(1002,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(1002,0,201,0,0,"sub-sequence", 0, 2, 0);
	trans[2][201]	= settr(1001,0,232,98,98,"mu = 0", 1, 2, 0);
	T = trans[2][232] = settr(1032,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(1032,0,203,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(1032,0,231,0,0,"IF", 0, 2, 0);
	trans[2][203]	= settr(1003,0,230,99,0,"((q!=0))", 0, 2, 0);
	T = trans[ 2][230] = settr(1030,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(1030,0,206,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 2][206] = settr(1006,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(1006,2,204,0,0,"ATOMIC", 1, 2, 0);
	trans[2][204]	= settr(1004,4,222,100,100,"((!(mu)&&((idle_m|unborn)!=0)))", 1, 2, 0); /* m: 205 -> 222,0 */
	reached2[205] = 1;
	trans[2][205]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 2][222] = settr(1022,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(1022,2,217,0,0,"ATOMIC", 1, 2, 0);
	T = trans[2][217] = settr(1017,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(1017,2,207,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(1017,2,209,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(1017,2,211,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(1017,2,213,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(1017,2,215,0,0,"IF", 1, 2, 0);
	trans[2][207]	= settr(1007,4,223,101,101,"((idle_m&1))", 1, 2, 0); /* m: 208 -> 223,0 */
	reached2[208] = 1;
	trans[2][208]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[2][218]	= settr(1018,2,219,1,0,".(goto)", 1, 2, 0); /* m: 219 -> 0,223 */
	reached2[219] = 1;
	trans[2][209]	= settr(1009,4,223,102,102,"((idle_m&2))", 1, 2, 0); /* m: 210 -> 223,0 */
	reached2[210] = 1;
	trans[2][210]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[2][211]	= settr(1011,4,223,103,103,"((idle_m&4))", 1, 2, 0); /* m: 212 -> 223,0 */
	reached2[212] = 1;
	trans[2][212]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[2][213]	= settr(1013,4,223,104,104,"(((idle_m==0)&&(unborn&2)))", 1, 2, 0); /* m: 214 -> 223,0 */
	reached2[214] = 1;
	trans[2][214]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[2][215]	= settr(1015,4,223,105,105,"(((idle_m==0)&&!((unborn&2))))", 1, 2, 0); /* m: 216 -> 223,0 */
	reached2[216] = 1;
	trans[2][216]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[2][219]	= settr(1019,4,223,106,106,"idle_m = (idle_m&~((1<<w)))", 1, 2, 0); /* m: 220 -> 0,223 */
	reached2[220] = 1;
	trans[2][220]	= settr(0,0,0,0,0,"unborn = (unborn&~((1<<w)))",0,0,0);
	trans[2][221]	= settr(0,0,0,0,0,"mu = 0",0,0,0);
	trans[2][223]	= settr(1023,0,226,107,0,"assert((!(spinning[w])&&(next_p[w]==0)))", 1, 2, 0);
	T = trans[ 2][226] = settr(1026,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(1026,2,224,0,0,"ATOMIC", 1, 2, 0);
	trans[2][224]	= settr(1024,4,229,108,108,"spinning[w] = 1", 1, 2, 0); /* m: 225 -> 0,229 */
	reached2[225] = 1;
	trans[2][225]	= settr(0,0,0,0,0,"next_p[w] = q",0,0,0);
	T = trans[ 2][229] = settr(1029,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(1029,2,227,0,0,"ATOMIC", 1, 2, 0);
	trans[2][227]	= settr(1027,0,239,109,109,"park[w] = 1", 1, 2, 0); /* m: 228 -> 0,239 */
	reached2[228] = 1;
	trans[2][228]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[2][233]	= settr(1033,0,239,1,0,".(goto)", 0, 2, 0);
	trans[2][231]	= settr(1031,0,239,2,0,"else", 0, 2, 0);
	trans[2][236]	= settr(1036,0,239,1,0,".(goto)", 0, 2, 0);
	trans[2][234]	= settr(1034,0,239,2,0,"else", 0, 2, 0);
	T = trans[ 2][239] = settr(1039,2,0,0,0,"ATOMIC", 0, 2, 0);
	T->nxt	= settr(1039,2,237,0,0,"ATOMIC", 0, 2, 0);
	trans[2][237]	= settr(1037,0,253,110,110,"won = 0", 0, 2, 0); /* m: 238 -> 0,253 */
	reached2[238] = 1;
	trans[2][238]	= settr(0,0,0,0,0,"q = 0",0,0,0);
	trans[2][243]	= settr(1043,0,253,1,0,".(goto)", 0, 2, 0);
	trans[2][241]	= settr(1041,0,253,2,0,"else", 0, 2, 0);
	trans[2][253]	= settr(1053,0,0,111,111,"-end-", 0, 3500, 0);

	/* proctype 1: foreign_thread */

	trans[1] = (Trans **) emalloc(224*sizeof(Trans *));

	T = trans[ 1][108] = settr(685,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(685,0,2,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][2] = settr(579,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(579,0,1,0,0,"sub-sequence", 0, 2, 0);
	trans[1][1]	= settr(578,0,6,1,0,"(1)", 0, 2, 0);
	T = trans[ 1][6] = settr(583,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(583,0,5,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][5] = settr(582,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(582,2,3,0,0,"ATOMIC", 1, 2, 0);
	trans[1][3]	= settr(580,4,9,112,112,"(!(mu))", 1, 2, 0); /* m: 4 -> 9,0 */
	reached1[4] = 1;
	trans[1][4]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 1][9] = settr(586,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(586,2,7,0,0,"ATOMIC", 1, 2, 0);
	trans[1][7]	= settr(584,4,10,113,113,"begun = (begun|(1<<(3-1)))", 1, 2, 0); /* m: 8 -> 0,10 */
	reached1[8] = 1;
	trans[1][8]	= settr(0,0,0,0,0,"global = (global|(1<<(3-1)))",0,0,0);
	trans[1][10]	= settr(587,0,12,114,114,"runq_size = ((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1))", 1, 2, 0);
	T = trans[ 1][12] = settr(589,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(589,0,11,0,0,"sub-sequence", 0, 2, 0);
	trans[1][11]	= settr(588,0,107,115,115,"mu = 0", 1, 2, 0);
	T = trans[ 1][107] = settr(684,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(684,0,106,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][106] = settr(683,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(683,0,13,0,0,"sub-sequence", 0, 2, 0);
	trans[1][13]	= settr(590,0,22,116,116,"won = 1", 0, 2, 0);
	T = trans[1][22] = settr(599,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(599,0,14,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(599,0,21,0,0,"IF", 0, 2, 0);
	trans[1][14]	= settr(591,0,15,117,0,"((idle_p_count==0))", 1, 2, 0);
	trans[1][15]	= settr(592,0,19,118,118,"need_spinning = 1", 1, 2, 0);
	T = trans[1][19] = settr(596,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(596,0,16,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(596,0,18,0,0,"IF", 0, 2, 0);
	trans[1][16]	= settr(593,0,17,119,0,"((idle_p_count==0))", 1, 2, 0);
	trans[1][17]	= settr(594,0,27,120,120,"won = 0", 0, 2, 0);
	trans[1][20]	= settr(597,0,27,1,0,".(goto)", 0, 2, 0);
	trans[1][18]	= settr(595,0,27,2,0,"else", 0, 2, 0);
	trans[1][23]	= settr(600,0,27,1,0,".(goto)", 0, 2, 0);
	trans[1][21]	= settr(598,0,27,2,0,"else", 0, 2, 0);
	T = trans[1][27] = settr(604,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(604,0,24,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(604,0,26,0,0,"IF", 0, 2, 0);
	trans[1][24]	= settr(601,0,25,121,121,"((won&&(nmspinning!=0)))", 1, 2, 0);
	trans[1][25]	= settr(602,0,38,122,122,"won = 0", 0, 2, 0);
	trans[1][28]	= settr(605,0,38,1,0,".(goto)", 0, 2, 0);
	trans[1][26]	= settr(603,0,38,2,0,"else", 0, 2, 0);
	T = trans[1][38] = settr(615,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(615,0,29,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(615,0,37,0,0,"IF", 0, 2, 0);
	trans[1][29]	= settr(606,0,36,123,0,"(won)", 0, 2, 0);
	T = trans[ 1][36] = settr(613,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(613,2,34,0,0,"ATOMIC", 1, 2, 0);
	T = trans[1][34] = settr(611,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(611,2,30,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(611,2,32,0,0,"IF", 1, 2, 0);
	trans[1][30]	= settr(607,0,101,124,124,"((nmspinning==0))", 1, 2, 0); /* m: 31 -> 101,0 */
	reached1[31] = 1;
	trans[1][31]	= settr(0,0,0,0,0,"nmspinning = 1",0,0,0);
	trans[1][35]	= settr(612,0,101,125,125,".(goto)", 1, 2, 0);
	trans[1][32]	= settr(609,2,33,2,0,"else", 1, 2, 0);
	trans[1][33]	= settr(610,0,101,126,126,"won = 0", 1, 2, 0); /* m: 35 -> 0,101 */
	reached1[35] = 1;
	trans[1][39]	= settr(616,0,101,1,0,".(goto)", 0, 2, 0);
	trans[1][37]	= settr(614,0,101,2,0,"else", 0, 2, 0);
	T = trans[1][101] = settr(678,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(678,0,40,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(678,0,100,0,0,"IF", 0, 2, 0);
	trans[1][40]	= settr(617,0,44,127,127,"(won)", 0, 2, 0);
	T = trans[ 1][44] = settr(621,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(621,0,43,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][43] = settr(620,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(620,2,41,0,0,"ATOMIC", 1, 2, 0);
	trans[1][41]	= settr(618,4,61,128,128,"(!(mu))", 1, 2, 0); /* m: 42 -> 61,0 */
	reached1[42] = 1;
	trans[1][42]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 1][61] = settr(638,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(638,0,59,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][59] = settr(636,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(636,0,51,0,0,"sub-sequence", 0, 2, 0);
	T = trans[1][51] = settr(628,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(628,0,45,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(628,0,47,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(628,0,49,0,0,"IF", 0, 2, 0);
	trans[1][45]	= settr(622,0,46,129,0,"((idle_p&1))", 1, 2, 0);
	trans[1][46]	= settr(623,0,57,130,130,"q = 1", 0, 2, 0);
	trans[1][52]	= settr(629,0,57,1,0,".(goto)", 0, 2, 0);
	trans[1][47]	= settr(624,0,48,131,0,"((idle_p&2))", 1, 2, 0);
	trans[1][48]	= settr(625,0,57,132,132,"q = 2", 0, 2, 0);
	trans[1][49]	= settr(626,0,50,133,0,"((idle_p==0))", 1, 2, 0);
	trans[1][50]	= settr(627,0,57,134,134,"q = 0", 0, 2, 0);
	T = trans[1][57] = settr(634,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(634,0,53,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(634,0,56,0,0,"IF", 0, 2, 0);
	trans[1][53]	= settr(630,0,54,135,0,"((q!=0))", 0, 2, 0);
	trans[1][54]	= settr(631,0,55,136,136,"idle_p = (idle_p&~((1<<(q-1))))", 1, 2, 0);
	trans[1][55]	= settr(632,0,60,137,137,"idle_p_count = (idle_p_count-1)", 1, 2, 0);
	trans[1][58]	= settr(635,0,60,1,0,".(goto)", 0, 2, 0);
	trans[1][56]	= settr(633,0,60,2,0,"else", 0, 2, 0);
	trans[1][60]	= settr(637,0,65,138,138,"need_spinning = (q==0)", 1, 2, 0);
	T = trans[1][65] = settr(642,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(642,0,62,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(642,0,64,0,0,"IF", 0, 2, 0);
	trans[1][62]	= settr(639,0,63,139,0,"((q==0))", 0, 2, 0);
	trans[1][63]	= settr(640,0,68,140,140,"nmspinning = (nmspinning-1)", 1, 2, 0);
	trans[1][66]	= settr(643,0,68,1,0,".(goto)", 0, 2, 0);
	trans[1][64]	= settr(641,0,68,2,0,"else", 0, 2, 0);
	T = trans[ 1][68] = settr(645,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(645,0,67,0,0,"sub-sequence", 0, 2, 0);
	trans[1][67]	= settr(644,0,98,141,141,"mu = 0", 1, 2, 0);
	T = trans[1][98] = settr(675,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(675,0,69,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(675,0,97,0,0,"IF", 0, 2, 0);
	trans[1][69]	= settr(646,0,96,142,0,"((q!=0))", 0, 2, 0);
	T = trans[ 1][96] = settr(673,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(673,0,72,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][72] = settr(649,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(649,2,70,0,0,"ATOMIC", 1, 2, 0);
	trans[1][70]	= settr(647,4,88,143,143,"((!(mu)&&((idle_m|unborn)!=0)))", 1, 2, 0); /* m: 71 -> 88,0 */
	reached1[71] = 1;
	trans[1][71]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 1][88] = settr(665,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(665,2,83,0,0,"ATOMIC", 1, 2, 0);
	T = trans[1][83] = settr(660,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(660,2,73,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(660,2,75,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(660,2,77,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(660,2,79,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(660,2,81,0,0,"IF", 1, 2, 0);
	trans[1][73]	= settr(650,4,89,144,144,"((idle_m&1))", 1, 2, 0); /* m: 74 -> 89,0 */
	reached1[74] = 1;
	trans[1][74]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[1][84]	= settr(661,2,85,1,0,".(goto)", 1, 2, 0); /* m: 85 -> 0,89 */
	reached1[85] = 1;
	trans[1][75]	= settr(652,4,89,145,145,"((idle_m&2))", 1, 2, 0); /* m: 76 -> 89,0 */
	reached1[76] = 1;
	trans[1][76]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[1][77]	= settr(654,4,89,146,146,"((idle_m&4))", 1, 2, 0); /* m: 78 -> 89,0 */
	reached1[78] = 1;
	trans[1][78]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[1][79]	= settr(656,4,89,147,147,"(((idle_m==0)&&(unborn&2)))", 1, 2, 0); /* m: 80 -> 89,0 */
	reached1[80] = 1;
	trans[1][80]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[1][81]	= settr(658,4,89,148,148,"(((idle_m==0)&&!((unborn&2))))", 1, 2, 0); /* m: 82 -> 89,0 */
	reached1[82] = 1;
	trans[1][82]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[1][85]	= settr(662,4,89,149,149,"idle_m = (idle_m&~((1<<w)))", 1, 2, 0); /* m: 86 -> 0,89 */
	reached1[86] = 1;
	trans[1][86]	= settr(0,0,0,0,0,"unborn = (unborn&~((1<<w)))",0,0,0);
	trans[1][87]	= settr(0,0,0,0,0,"mu = 0",0,0,0);
	trans[1][89]	= settr(666,0,92,150,0,"assert((!(spinning[w])&&(next_p[w]==0)))", 1, 2, 0);
	T = trans[ 1][92] = settr(669,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(669,2,90,0,0,"ATOMIC", 1, 2, 0);
	trans[1][90]	= settr(667,4,95,151,151,"spinning[w] = 1", 1, 2, 0); /* m: 91 -> 0,95 */
	reached1[91] = 1;
	trans[1][91]	= settr(0,0,0,0,0,"next_p[w] = q",0,0,0);
	T = trans[ 1][95] = settr(672,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(672,2,93,0,0,"ATOMIC", 1, 2, 0);
	trans[1][93]	= settr(670,0,105,152,152,"park[w] = 1", 1, 2, 0); /* m: 94 -> 0,105 */
	reached1[94] = 1;
	trans[1][94]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[1][99]	= settr(676,0,105,1,0,".(goto)", 0, 2, 0);
	trans[1][97]	= settr(674,0,105,2,0,"else", 0, 2, 0);
	trans[1][102]	= settr(679,0,105,1,0,".(goto)", 0, 2, 0);
	trans[1][100]	= settr(677,0,105,2,0,"else", 0, 2, 0);
	T = trans[ 1][105] = settr(682,2,0,0,0,"ATOMIC", 0, 2, 0);
	T->nxt	= settr(682,2,103,0,0,"ATOMIC", 0, 2, 0);
	trans[1][103]	= settr(680,4,112,153,153,"won = 0", 0, 2, 0); /* m: 104 -> 0,112 */
	reached1[104] = 1;
	trans[1][104]	= settr(0,0,0,0,0,"q = 0",0,0,0);
	T = trans[ 1][112] = settr(689,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(689,2,109,0,0,"ATOMIC", 1, 2, 0);
	trans[1][109]	= settr(686,4,114,154,154,"((list_has&&!(list_mu)))", 1, 2, 0); /* m: 110 -> 114,0 */
	reached1[110] = 1;
	trans[1][110]	= settr(0,0,0,0,0,"list_mu = 1",0,0,0);
	trans[1][111]	= settr(0,0,0,0,0,"list_has = 0",0,0,0);
	T = trans[ 1][114] = settr(691,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(691,0,113,0,0,"sub-sequence", 0, 2, 0);
	trans[1][113]	= settr(690,0,222,155,155,"list_mu = 0", 1, 2, 0);
	T = trans[ 1][222] = settr(799,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(799,0,116,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][116] = settr(693,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(693,0,115,0,0,"sub-sequence", 0, 2, 0);
	trans[1][115]	= settr(692,0,120,1,0,"(1)", 0, 2, 0);
	T = trans[ 1][120] = settr(697,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(697,0,119,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][119] = settr(696,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(696,2,117,0,0,"ATOMIC", 1, 2, 0);
	trans[1][117]	= settr(694,4,123,156,156,"(!(mu))", 1, 2, 0); /* m: 118 -> 123,0 */
	reached1[118] = 1;
	trans[1][118]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 1][123] = settr(700,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(700,2,121,0,0,"ATOMIC", 1, 2, 0);
	trans[1][121]	= settr(698,4,124,157,157,"begun = (begun|(1<<(1-1)))", 1, 2, 0); /* m: 122 -> 0,124 */
	reached1[122] = 1;
	trans[1][122]	= settr(0,0,0,0,0,"global = (global|(1<<(1-1)))",0,0,0);
	trans[1][124]	= settr(701,0,126,158,158,"runq_size = ((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1))", 1, 2, 0);
	T = trans[ 1][126] = settr(703,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(703,0,125,0,0,"sub-sequence", 0, 2, 0);
	trans[1][125]	= settr(702,0,221,159,159,"mu = 0", 1, 2, 0);
	T = trans[ 1][221] = settr(798,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(798,0,220,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][220] = settr(797,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(797,0,127,0,0,"sub-sequence", 0, 2, 0);
	trans[1][127]	= settr(704,0,136,160,160,"won = 1", 0, 2, 0);
	T = trans[1][136] = settr(713,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(713,0,128,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(713,0,135,0,0,"IF", 0, 2, 0);
	trans[1][128]	= settr(705,0,129,161,0,"((idle_p_count==0))", 1, 2, 0);
	trans[1][129]	= settr(706,0,133,162,162,"need_spinning = 1", 1, 2, 0);
	T = trans[1][133] = settr(710,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(710,0,130,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(710,0,132,0,0,"IF", 0, 2, 0);
	trans[1][130]	= settr(707,0,131,163,0,"((idle_p_count==0))", 1, 2, 0);
	trans[1][131]	= settr(708,0,141,164,164,"won = 0", 0, 2, 0);
	trans[1][134]	= settr(711,0,141,1,0,".(goto)", 0, 2, 0);
	trans[1][132]	= settr(709,0,141,2,0,"else", 0, 2, 0);
	trans[1][137]	= settr(714,0,141,1,0,".(goto)", 0, 2, 0);
	trans[1][135]	= settr(712,0,141,2,0,"else", 0, 2, 0);
	T = trans[1][141] = settr(718,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(718,0,138,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(718,0,140,0,0,"IF", 0, 2, 0);
	trans[1][138]	= settr(715,0,139,165,165,"((won&&(nmspinning!=0)))", 1, 2, 0);
	trans[1][139]	= settr(716,0,152,166,166,"won = 0", 0, 2, 0);
	trans[1][142]	= settr(719,0,152,1,0,".(goto)", 0, 2, 0);
	trans[1][140]	= settr(717,0,152,2,0,"else", 0, 2, 0);
	T = trans[1][152] = settr(729,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(729,0,143,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(729,0,151,0,0,"IF", 0, 2, 0);
	trans[1][143]	= settr(720,0,150,167,0,"(won)", 0, 2, 0);
	T = trans[ 1][150] = settr(727,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(727,2,148,0,0,"ATOMIC", 1, 2, 0);
	T = trans[1][148] = settr(725,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(725,2,144,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(725,2,146,0,0,"IF", 1, 2, 0);
	trans[1][144]	= settr(721,0,215,168,168,"((nmspinning==0))", 1, 2, 0); /* m: 145 -> 215,0 */
	reached1[145] = 1;
	trans[1][145]	= settr(0,0,0,0,0,"nmspinning = 1",0,0,0);
	trans[1][149]	= settr(726,0,215,169,169,".(goto)", 1, 2, 0);
	trans[1][146]	= settr(723,2,147,2,0,"else", 1, 2, 0);
	trans[1][147]	= settr(724,0,215,170,170,"won = 0", 1, 2, 0); /* m: 149 -> 0,215 */
	reached1[149] = 1;
	trans[1][153]	= settr(730,0,215,1,0,".(goto)", 0, 2, 0);
	trans[1][151]	= settr(728,0,215,2,0,"else", 0, 2, 0);
	T = trans[1][215] = settr(792,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(792,0,154,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(792,0,214,0,0,"IF", 0, 2, 0);
	trans[1][154]	= settr(731,0,158,171,171,"(won)", 0, 2, 0);
	T = trans[ 1][158] = settr(735,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(735,0,157,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][157] = settr(734,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(734,2,155,0,0,"ATOMIC", 1, 2, 0);
	trans[1][155]	= settr(732,4,175,172,172,"(!(mu))", 1, 2, 0); /* m: 156 -> 175,0 */
	reached1[156] = 1;
	trans[1][156]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 1][175] = settr(752,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(752,0,173,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][173] = settr(750,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(750,0,165,0,0,"sub-sequence", 0, 2, 0);
	T = trans[1][165] = settr(742,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(742,0,159,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(742,0,161,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(742,0,163,0,0,"IF", 0, 2, 0);
	trans[1][159]	= settr(736,0,160,173,0,"((idle_p&1))", 1, 2, 0);
	trans[1][160]	= settr(737,0,171,174,174,"q = 1", 0, 2, 0);
	trans[1][166]	= settr(743,0,171,1,0,".(goto)", 0, 2, 0);
	trans[1][161]	= settr(738,0,162,175,0,"((idle_p&2))", 1, 2, 0);
	trans[1][162]	= settr(739,0,171,176,176,"q = 2", 0, 2, 0);
	trans[1][163]	= settr(740,0,164,177,0,"((idle_p==0))", 1, 2, 0);
	trans[1][164]	= settr(741,0,171,178,178,"q = 0", 0, 2, 0);
	T = trans[1][171] = settr(748,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(748,0,167,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(748,0,170,0,0,"IF", 0, 2, 0);
	trans[1][167]	= settr(744,0,168,179,0,"((q!=0))", 0, 2, 0);
	trans[1][168]	= settr(745,0,169,180,180,"idle_p = (idle_p&~((1<<(q-1))))", 1, 2, 0);
	trans[1][169]	= settr(746,0,174,181,181,"idle_p_count = (idle_p_count-1)", 1, 2, 0);
	trans[1][172]	= settr(749,0,174,1,0,".(goto)", 0, 2, 0);
	trans[1][170]	= settr(747,0,174,2,0,"else", 0, 2, 0);
	trans[1][174]	= settr(751,0,179,182,182,"need_spinning = (q==0)", 1, 2, 0);
	T = trans[1][179] = settr(756,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(756,0,176,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(756,0,178,0,0,"IF", 0, 2, 0);
	trans[1][176]	= settr(753,0,177,183,0,"((q==0))", 0, 2, 0);
	trans[1][177]	= settr(754,0,182,184,184,"nmspinning = (nmspinning-1)", 1, 2, 0);
	trans[1][180]	= settr(757,0,182,1,0,".(goto)", 0, 2, 0);
	trans[1][178]	= settr(755,0,182,2,0,"else", 0, 2, 0);
	T = trans[ 1][182] = settr(759,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(759,0,181,0,0,"sub-sequence", 0, 2, 0);
	trans[1][181]	= settr(758,0,212,185,185,"mu = 0", 1, 2, 0);
	T = trans[1][212] = settr(789,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(789,0,183,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(789,0,211,0,0,"IF", 0, 2, 0);
	trans[1][183]	= settr(760,0,210,186,0,"((q!=0))", 0, 2, 0);
	T = trans[ 1][210] = settr(787,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(787,0,186,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 1][186] = settr(763,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(763,2,184,0,0,"ATOMIC", 1, 2, 0);
	trans[1][184]	= settr(761,4,202,187,187,"((!(mu)&&((idle_m|unborn)!=0)))", 1, 2, 0); /* m: 185 -> 202,0 */
	reached1[185] = 1;
	trans[1][185]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 1][202] = settr(779,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(779,2,197,0,0,"ATOMIC", 1, 2, 0);
	T = trans[1][197] = settr(774,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(774,2,187,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(774,2,189,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(774,2,191,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(774,2,193,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(774,2,195,0,0,"IF", 1, 2, 0);
	trans[1][187]	= settr(764,4,203,188,188,"((idle_m&1))", 1, 2, 0); /* m: 188 -> 203,0 */
	reached1[188] = 1;
	trans[1][188]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[1][198]	= settr(775,2,199,1,0,".(goto)", 1, 2, 0); /* m: 199 -> 0,203 */
	reached1[199] = 1;
	trans[1][189]	= settr(766,4,203,189,189,"((idle_m&2))", 1, 2, 0); /* m: 190 -> 203,0 */
	reached1[190] = 1;
	trans[1][190]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[1][191]	= settr(768,4,203,190,190,"((idle_m&4))", 1, 2, 0); /* m: 192 -> 203,0 */
	reached1[192] = 1;
	trans[1][192]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[1][193]	= settr(770,4,203,191,191,"(((idle_m==0)&&(unborn&2)))", 1, 2, 0); /* m: 194 -> 203,0 */
	reached1[194] = 1;
	trans[1][194]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[1][195]	= settr(772,4,203,192,192,"(((idle_m==0)&&!((unborn&2))))", 1, 2, 0); /* m: 196 -> 203,0 */
	reached1[196] = 1;
	trans[1][196]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[1][199]	= settr(776,4,203,193,193,"idle_m = (idle_m&~((1<<w)))", 1, 2, 0); /* m: 200 -> 0,203 */
	reached1[200] = 1;
	trans[1][200]	= settr(0,0,0,0,0,"unborn = (unborn&~((1<<w)))",0,0,0);
	trans[1][201]	= settr(0,0,0,0,0,"mu = 0",0,0,0);
	trans[1][203]	= settr(780,0,206,194,0,"assert((!(spinning[w])&&(next_p[w]==0)))", 1, 2, 0);
	T = trans[ 1][206] = settr(783,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(783,2,204,0,0,"ATOMIC", 1, 2, 0);
	trans[1][204]	= settr(781,4,209,195,195,"spinning[w] = 1", 1, 2, 0); /* m: 205 -> 0,209 */
	reached1[205] = 1;
	trans[1][205]	= settr(0,0,0,0,0,"next_p[w] = q",0,0,0);
	T = trans[ 1][209] = settr(786,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(786,2,207,0,0,"ATOMIC", 1, 2, 0);
	trans[1][207]	= settr(784,0,219,196,196,"park[w] = 1", 1, 2, 0); /* m: 208 -> 0,219 */
	reached1[208] = 1;
	trans[1][208]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[1][213]	= settr(790,0,219,1,0,".(goto)", 0, 2, 0);
	trans[1][211]	= settr(788,0,219,2,0,"else", 0, 2, 0);
	trans[1][216]	= settr(793,0,219,1,0,".(goto)", 0, 2, 0);
	trans[1][214]	= settr(791,0,219,2,0,"else", 0, 2, 0);
	T = trans[ 1][219] = settr(796,2,0,0,0,"ATOMIC", 0, 2, 0);
	T->nxt	= settr(796,2,217,0,0,"ATOMIC", 0, 2, 0);
	trans[1][217]	= settr(794,4,223,197,197,"won = 0", 0, 2, 0); /* m: 218 -> 0,223 */
	reached1[218] = 1;
	trans[1][218]	= settr(0,0,0,0,0,"q = 0",0,0,0);
	trans[1][223]	= settr(800,0,0,198,198,"-end-", 0, 3500, 0);

	/* proctype 0: m */

	trans[0] = (Trans **) emalloc(579*sizeof(Trans *));

	T = trans[0][5] = settr(4,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(4,0,1,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(4,0,3,0,0,"IF", 0, 2, 0);
	trans[0][1]	= settr(0,0,556,199,199,"((gp!=0))", 0, 2, 0);
	trans[0][2]	= settr(1,0,556,1,0,"goto run_first", 0, 2, 0);
	trans[0][6]	= settr(5,0,7,1,0,".(goto)", 0, 2, 0);
	trans[0][3]	= settr(2,0,229,2,0,"else", 0, 2, 0);
	trans[0][4]	= settr(3,0,229,1,0,"goto sleep", 0, 2, 0);
	trans[0][7]	= settr(6,0,11,200,200,"next = 0", 0, 2, 0);
	T = trans[0][11] = settr(10,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(10,0,8,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(10,0,10,0,0,"IF", 0, 2, 0);
	trans[0][8]	= settr(7,0,211,201,0,"((pp==0))", 0, 2, 0);
	trans[0][9]	= settr(8,0,211,1,0,"goto last_look", 0, 2, 0);
	trans[0][12]	= settr(11,0,15,1,0,".(goto)", 0, 2, 0);
	trans[0][10]	= settr(9,0,15,2,0,"else", 0, 2, 0);
	T = trans[ 0][15] = settr(14,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(14,2,13,0,0,"ATOMIC", 1, 2, 0);
	trans[0][13]	= settr(12,4,19,202,202,"next = (ring[(pp-1)]&-(ring[(pp-1)]))", 1, 2, 0); /* m: 14 -> 0,19 */
	reached0[14] = 1;
	trans[0][14]	= settr(0,0,0,0,0,"ring[(pp-1)] = (ring[(pp-1)]&~(next))",0,0,0);
	T = trans[0][19] = settr(18,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(18,0,16,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(18,0,18,0,0,"IF", 0, 2, 0);
	trans[0][16]	= settr(15,0,335,203,0,"((next!=0))", 0, 2, 0);
	trans[0][17]	= settr(16,0,335,1,0,"goto found", 0, 2, 0);
	trans[0][20]	= settr(19,0,47,1,0,".(goto)", 0, 2, 0);
	trans[0][18]	= settr(17,0,47,2,0,"else", 0, 2, 0);
	T = trans[0][47] = settr(46,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(46,0,21,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(46,0,22,0,0,"IF", 0, 2, 0);
	trans[0][21]	= settr(20,0,52,204,0,"((runq_size==0))", 1, 2, 0);
	trans[0][48]	= settr(47,0,52,1,0,".(goto)", 0, 2, 0);
	trans[0][22]	= settr(21,0,26,2,0,"else", 0, 2, 0);
	T = trans[ 0][26] = settr(25,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(25,0,25,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][25] = settr(24,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(24,2,23,0,0,"ATOMIC", 1, 2, 0);
	trans[0][23]	= settr(22,4,44,205,205,"(!(mu))", 1, 2, 0); /* m: 24 -> 44,0 */
	reached0[24] = 1;
	trans[0][24]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 0][44] = settr(43,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(43,0,36,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][36] = settr(35,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(35,2,27,0,0,"ATOMIC", 1, 2, 0);
	trans[0][27]	= settr(26,2,34,206,206,"next = (global&-(global))", 1, 2, 0); /* m: 28 -> 0,34 */
	reached0[28] = 1;
	trans[0][28]	= settr(0,0,0,0,0,"global = (global&~(next))",0,0,0);
	trans[0][29]	= settr(0,0,0,0,0,"rest = 0",0,0,0);
	T = trans[0][34] = settr(33,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(33,2,30,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(33,2,33,0,0,"IF", 1, 2, 0);
	trans[0][30]	= settr(29,4,41,207,207,"(((next!=0)&&(global!=0)))", 1, 2, 0); /* m: 31 -> 41,0 */
	reached0[31] = 1;
	trans[0][31]	= settr(0,0,0,0,0,"rest = (global&-(global))",0,0,0);
	trans[0][32]	= settr(0,0,0,0,0,"global = (global&~(rest))",0,0,0);
	trans[0][35]	= settr(34,0,41,208,208,".(goto)", 1, 2, 0);
	trans[0][33]	= settr(32,2,35,2,0,"else", 1, 2, 0);
	T = trans[0][41] = settr(40,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(40,0,37,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(40,0,40,0,0,"IF", 0, 2, 0);
	trans[0][37]	= settr(36,0,38,209,0,"((rest!=0))", 0, 2, 0);
	trans[0][38]	= settr(37,0,39,210,210,"ring[(pp-1)] = (ring[(pp-1)]|rest)", 1, 2, 0);
	trans[0][39]	= settr(38,0,43,211,211,"rest = 0", 0, 2, 0);
	trans[0][42]	= settr(41,0,43,1,0,".(goto)", 0, 2, 0);
	trans[0][40]	= settr(39,0,43,2,0,"else", 0, 2, 0);
	trans[0][43]	= settr(42,0,46,212,212,"runq_size = ((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1))", 1, 2, 0);
	T = trans[ 0][46] = settr(45,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(45,0,45,0,0,"sub-sequence", 0, 2, 0);
	trans[0][45]	= settr(44,0,52,213,213,"mu = 0", 1, 2, 0);
	T = trans[0][52] = settr(51,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(51,0,49,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(51,0,51,0,0,"IF", 0, 2, 0);
	trans[0][49]	= settr(48,0,335,214,0,"((next!=0))", 0, 2, 0);
	trans[0][50]	= settr(49,0,335,1,0,"goto found", 0, 2, 0);
	trans[0][53]	= settr(52,0,68,1,0,".(goto)", 0, 2, 0);
	trans[0][51]	= settr(50,0,68,2,0,"else", 0, 2, 0);
	T = trans[0][68] = settr(67,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(67,0,54,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(67,0,55,0,0,"IF", 0, 2, 0);
	trans[0][54]	= settr(53,0,85,215,0,"(spinning[self])", 1, 2, 0);
	trans[0][69]	= settr(68,0,85,1,0,".(goto)", 0, 2, 0);
	trans[0][55]	= settr(54,0,56,2,0,"else", 0, 2, 0);
	trans[0][56]	= settr(55,0,66,216,216,"busy = (2-idle_p_count)", 1, 2, 0);
	T = trans[0][66] = settr(65,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(65,0,57,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(65,0,60,0,0,"IF", 0, 2, 0);
	trans[0][57]	= settr(56,0,58,217,217,"(((2*nmspinning)>=busy))", 1, 2, 0);
	trans[0][58]	= settr(57,0,94,218,218,"busy = 0", 0, 2, 0);
	trans[0][59]	= settr(58,0,94,1,0,"goto keep_p_after_all", 0, 2, 0);
	trans[0][67]	= settr(66,0,85,1,0,".(goto)", 0, 2, 0);
	trans[0][60]	= settr(59,0,61,2,0,"else", 0, 2, 0);
	trans[0][61]	= settr(60,0,65,219,219,"busy = 0", 0, 2, 0);
	T = trans[ 0][65] = settr(64,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(64,0,62,0,0,"sub-sequence", 0, 2, 0);
	trans[0][62]	= settr(61,0,63,220,220,"spinning[self] = 1", 1, 2, 0);
	trans[0][63]	= settr(62,0,64,221,221,"nmspinning = (nmspinning+1)", 1, 2, 0);
	trans[0][64]	= settr(63,0,85,222,222,"need_spinning = 0", 1, 2, 0);
	T = trans[ 0][85] = settr(84,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(84,0,78,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][78] = settr(77,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(77,2,70,0,0,"ATOMIC", 1, 2, 0);
	trans[0][70]	= settr(69,2,75,223,223,"next = (ring[(2-pp)]&-(ring[(2-pp)]))", 1, 2, 0); /* m: 71 -> 0,75 */
	reached0[71] = 1;
	trans[0][71]	= settr(0,0,0,0,0,"rest = 0",0,0,0);
	T = trans[0][75] = settr(74,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(74,2,72,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(74,2,74,0,0,"IF", 1, 2, 0);
	trans[0][72]	= settr(71,4,83,224,224,"((((((ring[(2-pp)]&1)+((ring[(2-pp)]>>1)&1))+((ring[(2-pp)]>>2)&1))+((ring[(2-pp)]>>3)&1))>2))", 1, 2, 0); /* m: 73 -> 83,0 */
	reached0[73] = 1;
	trans[0][73]	= settr(0,0,0,0,0,"rest = ((ring[(2-pp)]&~(next))&-((ring[(2-pp)]&~(next))))",0,0,0);
	trans[0][76]	= settr(75,4,83,225,225,".(goto)", 1, 2, 0); /* m: 77 -> 0,83 */
	reached0[77] = 1;
	trans[0][74]	= settr(73,2,76,2,0,"else", 1, 2, 0);
	trans[0][77]	= settr(0,0,0,0,0,"ring[(2-pp)] = (ring[(2-pp)]&~((next|rest)))",0,0,0);
	T = trans[0][83] = settr(82,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(82,0,79,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(82,0,82,0,0,"IF", 0, 2, 0);
	trans[0][79]	= settr(78,0,80,226,0,"((rest!=0))", 0, 2, 0);
	trans[0][80]	= settr(79,0,81,227,227,"ring[(pp-1)] = (ring[(pp-1)]|rest)", 1, 2, 0);
	trans[0][81]	= settr(80,0,89,228,228,"rest = 0", 0, 2, 0);
	trans[0][84]	= settr(83,0,89,1,0,".(goto)", 0, 2, 0);
	trans[0][82]	= settr(81,0,89,2,0,"else", 0, 2, 0);
	T = trans[0][89] = settr(88,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(88,0,86,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(88,0,88,0,0,"IF", 0, 2, 0);
	trans[0][86]	= settr(85,0,335,229,0,"((next!=0))", 0, 2, 0);
	trans[0][87]	= settr(86,0,335,1,0,"goto found", 0, 2, 0);
	trans[0][90]	= settr(89,0,94,1,0,".(goto)", 0, 2, 0);
	trans[0][88]	= settr(87,0,94,2,0,"else", 0, 2, 0);
	T = trans[ 0][94] = settr(93,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(93,0,93,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][93] = settr(92,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(92,2,91,0,0,"ATOMIC", 1, 2, 0);
	trans[0][91]	= settr(90,4,112,230,230,"(!(mu))", 1, 2, 0); /* m: 92 -> 112,0 */
	reached0[92] = 1;
	trans[0][92]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 0][112] = settr(111,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(111,0,104,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][104] = settr(103,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(103,2,95,0,0,"ATOMIC", 1, 2, 0);
	trans[0][95]	= settr(94,2,102,231,231,"next = (global&-(global))", 1, 2, 0); /* m: 96 -> 0,102 */
	reached0[96] = 1;
	trans[0][96]	= settr(0,0,0,0,0,"global = (global&~(next))",0,0,0);
	trans[0][97]	= settr(0,0,0,0,0,"rest = 0",0,0,0);
	T = trans[0][102] = settr(101,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(101,2,98,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(101,2,101,0,0,"IF", 1, 2, 0);
	trans[0][98]	= settr(97,4,109,232,232,"(((next!=0)&&(global!=0)))", 1, 2, 0); /* m: 99 -> 109,0 */
	reached0[99] = 1;
	trans[0][99]	= settr(0,0,0,0,0,"rest = (global&-(global))",0,0,0);
	trans[0][100]	= settr(0,0,0,0,0,"global = (global&~(rest))",0,0,0);
	trans[0][103]	= settr(102,0,109,233,233,".(goto)", 1, 2, 0);
	trans[0][101]	= settr(100,2,103,2,0,"else", 1, 2, 0);
	T = trans[0][109] = settr(108,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(108,0,105,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(108,0,108,0,0,"IF", 0, 2, 0);
	trans[0][105]	= settr(104,0,106,234,0,"((rest!=0))", 0, 2, 0);
	trans[0][106]	= settr(105,0,107,235,235,"ring[(pp-1)] = (ring[(pp-1)]|rest)", 1, 2, 0);
	trans[0][107]	= settr(106,0,111,236,236,"rest = 0", 0, 2, 0);
	trans[0][110]	= settr(109,0,111,1,0,".(goto)", 0, 2, 0);
	trans[0][108]	= settr(107,0,111,2,0,"else", 0, 2, 0);
	trans[0][111]	= settr(110,0,118,237,237,"runq_size = ((((global&1)+((global>>1)&1))+((global>>2)&1))+((global>>3)&1))", 1, 2, 0);
	T = trans[0][118] = settr(117,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(117,0,113,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(117,0,117,0,0,"IF", 0, 2, 0);
	trans[0][113]	= settr(112,0,115,238,0,"((next!=0))", 0, 2, 0);
	T = trans[ 0][115] = settr(114,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(114,0,114,0,0,"sub-sequence", 0, 2, 0);
	trans[0][114]	= settr(113,0,335,239,239,"mu = 0", 1, 2, 0);
	trans[0][116]	= settr(115,0,335,1,0,"goto found", 0, 2, 0);
	trans[0][119]	= settr(118,0,129,1,0,".(goto)", 0, 2, 0);
	trans[0][117]	= settr(116,0,129,2,0,"else", 0, 2, 0);
	T = trans[0][129] = settr(128,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(128,0,120,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(128,0,128,0,0,"IF", 0, 2, 0);
	trans[0][120]	= settr(119,0,124,240,0,"((!(spinning[self])&&need_spinning))", 1, 2, 0);
	T = trans[ 0][124] = settr(123,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(123,0,121,0,0,"sub-sequence", 0, 2, 0);
	trans[0][121]	= settr(120,0,122,241,241,"spinning[self] = 1", 1, 2, 0);
	trans[0][122]	= settr(121,0,123,242,242,"nmspinning = (nmspinning+1)", 1, 2, 0);
	trans[0][123]	= settr(122,0,126,243,243,"need_spinning = 0", 1, 2, 0);
	T = trans[ 0][126] = settr(125,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(125,0,125,0,0,"sub-sequence", 0, 2, 0);
	trans[0][125]	= settr(124,0,7,244,244,"mu = 0", 1, 2, 0);
	trans[0][127]	= settr(126,0,7,1,0,"goto findrunnable", 0, 2, 0);
	trans[0][130]	= settr(129,0,134,1,0,".(goto)", 0, 2, 0);
	trans[0][128]	= settr(127,0,134,2,0,"else", 0, 2, 0);
	T = trans[ 0][134] = settr(133,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(133,0,131,0,0,"sub-sequence", 0, 2, 0);
	trans[0][131]	= settr(130,0,132,245,0,"assert((ring[(pp-1)]==0))", 1, 2, 0);
	trans[0][132]	= settr(131,0,133,246,246,"idle_p = (idle_p|(1<<(pp-1)))", 1, 2, 0);
	trans[0][133]	= settr(132,0,135,247,247,"idle_p_count = (idle_p_count+1)", 1, 2, 0);
	trans[0][135]	= settr(134,0,160,248,248,"pp = 0", 0, 2, 0);
	T = trans[0][160] = settr(159,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(159,0,136,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(159,0,159,0,0,"IF", 0, 2, 0);
	trans[0][136]	= settr(135,0,151,249,0,"((!(spinning[self])&&need_spinning))", 1, 2, 0);
	T = trans[ 0][151] = settr(150,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(150,0,143,0,0,"sub-sequence", 0, 2, 0);
	T = trans[0][143] = settr(142,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(142,0,137,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(142,0,139,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(142,0,141,0,0,"IF", 0, 2, 0);
	trans[0][137]	= settr(136,0,138,250,0,"((idle_p&1))", 1, 2, 0);
	trans[0][138]	= settr(137,0,149,251,251,"pp = 1", 0, 2, 0);
	trans[0][144]	= settr(143,0,149,1,0,".(goto)", 0, 2, 0);
	trans[0][139]	= settr(138,0,140,252,0,"((idle_p&2))", 1, 2, 0);
	trans[0][140]	= settr(139,0,149,253,253,"pp = 2", 0, 2, 0);
	trans[0][141]	= settr(140,0,142,254,0,"((idle_p==0))", 1, 2, 0);
	trans[0][142]	= settr(141,0,149,255,255,"pp = 0", 0, 2, 0);
	T = trans[0][149] = settr(148,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(148,0,145,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(148,0,148,0,0,"IF", 0, 2, 0);
	trans[0][145]	= settr(144,0,146,256,0,"((pp!=0))", 0, 2, 0);
	trans[0][146]	= settr(145,0,147,257,257,"idle_p = (idle_p&~((1<<(pp-1))))", 1, 2, 0);
	trans[0][147]	= settr(146,0,155,258,258,"idle_p_count = (idle_p_count-1)", 1, 2, 0);
	trans[0][150]	= settr(149,0,155,1,0,".(goto)", 0, 2, 0);
	trans[0][148]	= settr(147,0,155,2,0,"else", 0, 2, 0);
	T = trans[ 0][155] = settr(154,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(154,0,152,0,0,"sub-sequence", 0, 2, 0);
	trans[0][152]	= settr(151,0,153,259,259,"spinning[self] = 1", 1, 2, 0);
	trans[0][153]	= settr(152,0,154,260,260,"nmspinning = (nmspinning+1)", 1, 2, 0);
	trans[0][154]	= settr(153,0,157,261,261,"need_spinning = 0", 1, 2, 0);
	T = trans[ 0][157] = settr(156,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(156,0,156,0,0,"sub-sequence", 0, 2, 0);
	trans[0][156]	= settr(155,0,7,262,262,"mu = 0", 1, 2, 0);
	trans[0][158]	= settr(157,0,7,1,0,"goto findrunnable", 0, 2, 0);
	trans[0][161]	= settr(160,0,163,1,0,".(goto)", 0, 2, 0);
	trans[0][159]	= settr(158,0,163,2,0,"else", 0, 2, 0);
	T = trans[ 0][163] = settr(162,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(162,0,162,0,0,"sub-sequence", 0, 2, 0);
	trans[0][162]	= settr(161,0,211,263,263,"mu = 0", 1, 2, 0);
	T = trans[0][211] = settr(210,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(210,0,164,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(210,0,210,0,0,"IF", 0, 2, 0);
	trans[0][164]	= settr(163,0,165,264,0,"(spinning[self])", 1, 2, 0);
	trans[0][165]	= settr(164,0,166,265,265,"spinning[self] = 0", 1, 2, 0);
	trans[0][166]	= settr(165,0,167,266,0,"assert((nmspinning>0))", 1, 2, 0);
	trans[0][167]	= settr(166,0,172,267,267,"nmspinning = (nmspinning-1)", 1, 2, 0);
	T = trans[ 0][172] = settr(171,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(171,0,168,0,0,"sub-sequence", 0, 2, 0);
	trans[0][168]	= settr(167,0,169,268,268,"work = 0", 0, 2, 0);
	trans[0][169]	= settr(168,0,170,269,269,"work = (runq_size!=0)", 1, 2, 0);
	trans[0][170]	= settr(169,0,171,270,270,"work = (work||(ring[0]!=0))", 1, 2, 0);
	trans[0][171]	= settr(170,0,208,271,271,"work = (work||(ring[1]!=0))", 1, 2, 0);
	T = trans[0][208] = settr(207,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(207,0,173,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(207,0,207,0,0,"IF", 0, 2, 0);
	trans[0][173]	= settr(172,0,178,272,272,"(work)", 0, 2, 0); /* m: 174 -> 178,0 */
	reached0[174] = 1;
	trans[0][174]	= settr(0,0,0,0,0,"work = 0",0,0,0);
	T = trans[ 0][178] = settr(177,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(177,0,177,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][177] = settr(176,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(176,2,175,0,0,"ATOMIC", 1, 2, 0);
	trans[0][175]	= settr(174,4,195,273,273,"(!(mu))", 1, 2, 0); /* m: 176 -> 195,0 */
	reached0[176] = 1;
	trans[0][176]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 0][195] = settr(194,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(194,0,193,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][193] = settr(192,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(192,0,185,0,0,"sub-sequence", 0, 2, 0);
	T = trans[0][185] = settr(184,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(184,0,179,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(184,0,181,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(184,0,183,0,0,"IF", 0, 2, 0);
	trans[0][179]	= settr(178,0,180,274,0,"((idle_p&1))", 1, 2, 0);
	trans[0][180]	= settr(179,0,191,275,275,"pp = 1", 0, 2, 0);
	trans[0][186]	= settr(185,0,191,1,0,".(goto)", 0, 2, 0);
	trans[0][181]	= settr(180,0,182,276,0,"((idle_p&2))", 1, 2, 0);
	trans[0][182]	= settr(181,0,191,277,277,"pp = 2", 0, 2, 0);
	trans[0][183]	= settr(182,0,184,278,0,"((idle_p==0))", 1, 2, 0);
	trans[0][184]	= settr(183,0,191,279,279,"pp = 0", 0, 2, 0);
	T = trans[0][191] = settr(190,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(190,0,187,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(190,0,190,0,0,"IF", 0, 2, 0);
	trans[0][187]	= settr(186,0,188,280,0,"((pp!=0))", 0, 2, 0);
	trans[0][188]	= settr(187,0,189,281,281,"idle_p = (idle_p&~((1<<(pp-1))))", 1, 2, 0);
	trans[0][189]	= settr(188,0,194,282,282,"idle_p_count = (idle_p_count-1)", 1, 2, 0);
	trans[0][192]	= settr(191,0,194,1,0,".(goto)", 0, 2, 0);
	trans[0][190]	= settr(189,0,194,2,0,"else", 0, 2, 0);
	trans[0][194]	= settr(193,0,197,283,283,"need_spinning = (pp==0)", 1, 2, 0);
	T = trans[ 0][197] = settr(196,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(196,0,196,0,0,"sub-sequence", 0, 2, 0);
	trans[0][196]	= settr(195,0,205,284,284,"mu = 0", 1, 2, 0);
	T = trans[0][205] = settr(204,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(204,0,198,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(204,0,204,0,0,"IF", 0, 2, 0);
	trans[0][198]	= settr(197,0,202,285,0,"((pp!=0))", 0, 2, 0);
	T = trans[ 0][202] = settr(201,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(201,0,199,0,0,"sub-sequence", 0, 2, 0);
	trans[0][199]	= settr(198,0,200,286,286,"spinning[self] = 1", 1, 2, 0);
	trans[0][200]	= settr(199,0,201,287,287,"nmspinning = (nmspinning+1)", 1, 2, 0);
	trans[0][201]	= settr(200,0,7,288,288,"need_spinning = 0", 1, 2, 0);
	trans[0][203]	= settr(202,0,7,1,0,"goto findrunnable", 0, 2, 0);
	trans[0][206]	= settr(205,0,213,1,0,".(goto)", 0, 2, 0);
	trans[0][204]	= settr(203,0,213,2,0,"else", 0, 2, 0);
	trans[0][209]	= settr(208,0,213,1,0,".(goto)", 0, 2, 0);
	trans[0][207]	= settr(206,0,213,2,0,"else", 0, 2, 0);
	trans[0][212]	= settr(211,0,213,1,0,".(goto)", 0, 2, 0);
	trans[0][210]	= settr(209,0,213,2,0,"else", 0, 2, 0);
	trans[0][213]	= settr(212,0,217,289,0,"assert(((pp==0)&&!(spinning[self])))", 1, 2, 0);
	T = trans[ 0][217] = settr(216,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(216,0,216,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][216] = settr(215,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(215,2,214,0,0,"ATOMIC", 1, 2, 0);
	trans[0][214]	= settr(213,4,221,290,290,"(!(mu))", 1, 2, 0); /* m: 215 -> 221,0 */
	reached0[215] = 1;
	trans[0][215]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 0][221] = settr(220,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(220,2,218,0,0,"ATOMIC", 1, 2, 0);
	trans[0][218]	= settr(217,4,223,291,291,"assert(!((idle_m&(1<<self))))", 1, 2, 0); /* m: 219 -> 0,223 */
	reached0[219] = 1;
	trans[0][219]	= settr(0,0,0,0,0,"park[self] = 0",0,0,0);
	trans[0][220]	= settr(0,0,0,0,0,"idle_m = (idle_m|(1<<self))",0,0,0);
	T = trans[ 0][223] = settr(222,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(222,0,222,0,0,"sub-sequence", 0, 2, 0);
	trans[0][222]	= settr(221,0,229,292,292,"mu = 0", 1, 2, 0);
	T = trans[ 0][229] = settr(228,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(228,2,227,0,0,"ATOMIC", 1, 2, 0);
	T = trans[0][227] = settr(226,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(226,2,224,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(226,2,226,0,0,"IF", 1, 2, 0);
	trans[0][224]	= settr(223,4,230,293,293,"((park[self]==0))", 1, 2, 0); /* m: 225 -> 230,0 */
	reached0[225] = 1;
	trans[0][225]	= settr(0,0,0,0,0,"park[self] = 2",0,0,0);
	trans[0][228]	= settr(227,0,230,294,294,".(goto)", 1, 2, 0);
	trans[0][226]	= settr(225,2,228,2,0,"else", 1, 2, 0);
	trans[0][230]	= settr(229,0,231,295,0,"((park[self]==1))", 1, 2, 0);
	trans[0][231]	= settr(230,0,234,296,0,"assert((next_p[self]!=0))", 1, 2, 0);
	T = trans[ 0][234] = settr(233,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(233,2,232,0,0,"ATOMIC", 1, 2, 0);
	trans[0][232]	= settr(231,0,7,297,297,"pp = next_p[self]", 1, 2, 0); /* m: 233 -> 0,7 */
	reached0[233] = 1;
	trans[0][233]	= settr(0,0,0,0,0,"next_p[self] = 0",0,0,0);
	trans[0][235]	= settr(234,0,7,1,0,"goto findrunnable", 0, 2, 0);
	T = trans[0][335] = settr(334,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(334,0,236,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(334,0,334,0,0,"IF", 0, 2, 0);
	trans[0][236]	= settr(235,0,237,298,0,"(spinning[self])", 1, 2, 0);
	trans[0][237]	= settr(236,0,238,299,299,"spinning[self] = 0", 1, 2, 0);
	trans[0][238]	= settr(237,0,239,300,0,"assert((nmspinning>0))", 1, 2, 0);
	trans[0][239]	= settr(238,0,333,301,301,"nmspinning = (nmspinning-1)", 1, 2, 0);
	T = trans[ 0][333] = settr(332,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(332,0,240,0,0,"sub-sequence", 0, 2, 0);
	trans[0][240]	= settr(239,0,249,302,302,"won = 1", 0, 2, 0);
	T = trans[0][249] = settr(248,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(248,0,241,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(248,0,248,0,0,"IF", 0, 2, 0);
	trans[0][241]	= settr(240,0,242,303,0,"((idle_p_count==0))", 1, 2, 0);
	trans[0][242]	= settr(241,0,246,304,304,"need_spinning = 1", 1, 2, 0);
	T = trans[0][246] = settr(245,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(245,0,243,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(245,0,245,0,0,"IF", 0, 2, 0);
	trans[0][243]	= settr(242,0,244,305,0,"((idle_p_count==0))", 1, 2, 0);
	trans[0][244]	= settr(243,0,254,306,306,"won = 0", 0, 2, 0);
	trans[0][247]	= settr(246,0,254,1,0,".(goto)", 0, 2, 0);
	trans[0][245]	= settr(244,0,254,2,0,"else", 0, 2, 0);
	trans[0][250]	= settr(249,0,254,1,0,".(goto)", 0, 2, 0);
	trans[0][248]	= settr(247,0,254,2,0,"else", 0, 2, 0);
	T = trans[0][254] = settr(253,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(253,0,251,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(253,0,253,0,0,"IF", 0, 2, 0);
	trans[0][251]	= settr(250,0,252,307,307,"((won&&(nmspinning!=0)))", 1, 2, 0);
	trans[0][252]	= settr(251,0,265,308,308,"won = 0", 0, 2, 0);
	trans[0][255]	= settr(254,0,265,1,0,".(goto)", 0, 2, 0);
	trans[0][253]	= settr(252,0,265,2,0,"else", 0, 2, 0);
	T = trans[0][265] = settr(264,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(264,0,256,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(264,0,264,0,0,"IF", 0, 2, 0);
	trans[0][256]	= settr(255,0,263,309,0,"(won)", 0, 2, 0);
	T = trans[ 0][263] = settr(262,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(262,2,261,0,0,"ATOMIC", 1, 2, 0);
	T = trans[0][261] = settr(260,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(260,2,257,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(260,2,259,0,0,"IF", 1, 2, 0);
	trans[0][257]	= settr(256,0,328,310,310,"((nmspinning==0))", 1, 2, 0); /* m: 258 -> 328,0 */
	reached0[258] = 1;
	trans[0][258]	= settr(0,0,0,0,0,"nmspinning = 1",0,0,0);
	trans[0][262]	= settr(261,0,328,311,311,".(goto)", 1, 2, 0);
	trans[0][259]	= settr(258,2,260,2,0,"else", 1, 2, 0);
	trans[0][260]	= settr(259,0,328,312,312,"won = 0", 1, 2, 0); /* m: 262 -> 0,328 */
	reached0[262] = 1;
	trans[0][266]	= settr(265,0,328,1,0,".(goto)", 0, 2, 0);
	trans[0][264]	= settr(263,0,328,2,0,"else", 0, 2, 0);
	T = trans[0][328] = settr(327,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(327,0,267,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(327,0,327,0,0,"IF", 0, 2, 0);
	trans[0][267]	= settr(266,0,271,313,313,"(won)", 0, 2, 0);
	T = trans[ 0][271] = settr(270,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(270,0,270,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][270] = settr(269,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(269,2,268,0,0,"ATOMIC", 1, 2, 0);
	trans[0][268]	= settr(267,4,288,314,314,"(!(mu))", 1, 2, 0); /* m: 269 -> 288,0 */
	reached0[269] = 1;
	trans[0][269]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 0][288] = settr(287,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(287,0,286,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][286] = settr(285,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(285,0,278,0,0,"sub-sequence", 0, 2, 0);
	T = trans[0][278] = settr(277,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(277,0,272,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(277,0,274,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(277,0,276,0,0,"IF", 0, 2, 0);
	trans[0][272]	= settr(271,0,273,315,0,"((idle_p&1))", 1, 2, 0);
	trans[0][273]	= settr(272,0,284,316,316,"q = 1", 0, 2, 0);
	trans[0][279]	= settr(278,0,284,1,0,".(goto)", 0, 2, 0);
	trans[0][274]	= settr(273,0,275,317,0,"((idle_p&2))", 1, 2, 0);
	trans[0][275]	= settr(274,0,284,318,318,"q = 2", 0, 2, 0);
	trans[0][276]	= settr(275,0,277,319,0,"((idle_p==0))", 1, 2, 0);
	trans[0][277]	= settr(276,0,284,320,320,"q = 0", 0, 2, 0);
	T = trans[0][284] = settr(283,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(283,0,280,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(283,0,283,0,0,"IF", 0, 2, 0);
	trans[0][280]	= settr(279,0,281,321,0,"((q!=0))", 0, 2, 0);
	trans[0][281]	= settr(280,0,282,322,322,"idle_p = (idle_p&~((1<<(q-1))))", 1, 2, 0);
	trans[0][282]	= settr(281,0,287,323,323,"idle_p_count = (idle_p_count-1)", 1, 2, 0);
	trans[0][285]	= settr(284,0,287,1,0,".(goto)", 0, 2, 0);
	trans[0][283]	= settr(282,0,287,2,0,"else", 0, 2, 0);
	trans[0][287]	= settr(286,0,292,324,324,"need_spinning = (q==0)", 1, 2, 0);
	T = trans[0][292] = settr(291,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(291,0,289,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(291,0,291,0,0,"IF", 0, 2, 0);
	trans[0][289]	= settr(288,0,290,325,0,"((q==0))", 0, 2, 0);
	trans[0][290]	= settr(289,0,295,326,326,"nmspinning = (nmspinning-1)", 1, 2, 0);
	trans[0][293]	= settr(292,0,295,1,0,".(goto)", 0, 2, 0);
	trans[0][291]	= settr(290,0,295,2,0,"else", 0, 2, 0);
	T = trans[ 0][295] = settr(294,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(294,0,294,0,0,"sub-sequence", 0, 2, 0);
	trans[0][294]	= settr(293,0,325,327,327,"mu = 0", 1, 2, 0);
	T = trans[0][325] = settr(324,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(324,0,296,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(324,0,324,0,0,"IF", 0, 2, 0);
	trans[0][296]	= settr(295,0,323,328,0,"((q!=0))", 0, 2, 0);
	T = trans[ 0][323] = settr(322,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(322,0,299,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][299] = settr(298,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(298,2,297,0,0,"ATOMIC", 1, 2, 0);
	trans[0][297]	= settr(296,4,315,329,329,"((!(mu)&&((idle_m|unborn)!=0)))", 1, 2, 0); /* m: 298 -> 315,0 */
	reached0[298] = 1;
	trans[0][298]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 0][315] = settr(314,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(314,2,310,0,0,"ATOMIC", 1, 2, 0);
	T = trans[0][310] = settr(309,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(309,2,300,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(309,2,302,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(309,2,304,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(309,2,306,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(309,2,308,0,0,"IF", 1, 2, 0);
	trans[0][300]	= settr(299,4,316,330,330,"((idle_m&1))", 1, 2, 0); /* m: 301 -> 316,0 */
	reached0[301] = 1;
	trans[0][301]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[0][311]	= settr(310,2,312,1,0,".(goto)", 1, 2, 0); /* m: 312 -> 0,316 */
	reached0[312] = 1;
	trans[0][302]	= settr(301,4,316,331,331,"((idle_m&2))", 1, 2, 0); /* m: 303 -> 316,0 */
	reached0[303] = 1;
	trans[0][303]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[0][304]	= settr(303,4,316,332,332,"((idle_m&4))", 1, 2, 0); /* m: 305 -> 316,0 */
	reached0[305] = 1;
	trans[0][305]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[0][306]	= settr(305,4,316,333,333,"(((idle_m==0)&&(unborn&2)))", 1, 2, 0); /* m: 307 -> 316,0 */
	reached0[307] = 1;
	trans[0][307]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[0][308]	= settr(307,4,316,334,334,"(((idle_m==0)&&!((unborn&2))))", 1, 2, 0); /* m: 309 -> 316,0 */
	reached0[309] = 1;
	trans[0][309]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[0][312]	= settr(311,4,316,335,335,"idle_m = (idle_m&~((1<<w)))", 1, 2, 0); /* m: 313 -> 0,316 */
	reached0[313] = 1;
	trans[0][313]	= settr(0,0,0,0,0,"unborn = (unborn&~((1<<w)))",0,0,0);
	trans[0][314]	= settr(0,0,0,0,0,"mu = 0",0,0,0);
	trans[0][316]	= settr(315,0,319,336,0,"assert((!(spinning[w])&&(next_p[w]==0)))", 1, 2, 0);
	T = trans[ 0][319] = settr(318,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(318,2,317,0,0,"ATOMIC", 1, 2, 0);
	trans[0][317]	= settr(316,4,322,337,337,"spinning[w] = 1", 1, 2, 0); /* m: 318 -> 0,322 */
	reached0[318] = 1;
	trans[0][318]	= settr(0,0,0,0,0,"next_p[w] = q",0,0,0);
	T = trans[ 0][322] = settr(321,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(321,2,320,0,0,"ATOMIC", 1, 2, 0);
	trans[0][320]	= settr(319,0,332,338,338,"park[w] = 1", 1, 2, 0); /* m: 321 -> 0,332 */
	reached0[321] = 1;
	trans[0][321]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[0][326]	= settr(325,0,332,1,0,".(goto)", 0, 2, 0);
	trans[0][324]	= settr(323,0,332,2,0,"else", 0, 2, 0);
	trans[0][329]	= settr(328,0,332,1,0,".(goto)", 0, 2, 0);
	trans[0][327]	= settr(326,0,332,2,0,"else", 0, 2, 0);
	T = trans[ 0][332] = settr(331,2,0,0,0,"ATOMIC", 0, 2, 0);
	T->nxt	= settr(331,2,330,0,0,"ATOMIC", 0, 2, 0);
	trans[0][330]	= settr(329,0,342,339,339,"won = 0", 0, 2, 0); /* m: 331 -> 0,342 */
	reached0[331] = 1;
	trans[0][331]	= settr(0,0,0,0,0,"q = 0",0,0,0);
	trans[0][336]	= settr(335,0,342,1,0,".(goto)", 0, 2, 0);
	trans[0][334]	= settr(333,0,342,2,0,"else", 0, 2, 0);
	T = trans[ 0][342] = settr(341,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(341,2,337,0,0,"ATOMIC", 1, 2, 0);
	trans[0][337]	= settr(336,4,446,340,340,"assert((((saved&next)!=0)&&((runs&next)==0)))", 1, 2, 0); /* m: 338 -> 0,446 */
	reached0[338] = 1;
	trans[0][338]	= settr(0,0,0,0,0,"saved = (saved&~(next))",0,0,0);
	trans[0][339]	= settr(0,0,0,0,0,"runs = (runs|next)",0,0,0);
	trans[0][340]	= settr(0,0,0,0,0,"gp = next",0,0,0);
	trans[0][341]	= settr(0,0,0,0,0,"next = 0",0,0,0);
	T = trans[0][446] = settr(445,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(445,0,343,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(445,0,445,0,0,"IF", 0, 2, 0);
	trans[0][343]	= settr(342,0,444,341,0,"((gp==1))", 0, 2, 0);
	T = trans[ 0][444] = settr(443,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(443,0,345,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][345] = settr(344,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(344,0,344,0,0,"sub-sequence", 0, 2, 0);
	trans[0][344]	= settr(343,0,348,1,0,"(1)", 0, 2, 0);
	T = trans[ 0][348] = settr(347,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(347,2,346,0,0,"ATOMIC", 1, 2, 0);
	trans[0][346]	= settr(345,4,443,342,342,"begun = (begun|(1<<(4-1)))", 1, 2, 0); /* m: 347 -> 0,443 */
	reached0[347] = 1;
	trans[0][347]	= settr(0,0,0,0,0,"ring[(pp-1)] = (ring[(pp-1)]|(1<<(4-1)))",0,0,0);
	T = trans[ 0][443] = settr(442,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(442,0,442,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][442] = settr(441,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(441,0,349,0,0,"sub-sequence", 0, 2, 0);
	trans[0][349]	= settr(348,0,358,343,343,"won = 1", 0, 2, 0);
	T = trans[0][358] = settr(357,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(357,0,350,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(357,0,357,0,0,"IF", 0, 2, 0);
	trans[0][350]	= settr(349,0,351,344,0,"((idle_p_count==0))", 1, 2, 0);
	trans[0][351]	= settr(350,0,355,345,345,"need_spinning = 1", 1, 2, 0);
	T = trans[0][355] = settr(354,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(354,0,352,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(354,0,354,0,0,"IF", 0, 2, 0);
	trans[0][352]	= settr(351,0,353,346,0,"((idle_p_count==0))", 1, 2, 0);
	trans[0][353]	= settr(352,0,363,347,347,"won = 0", 0, 2, 0);
	trans[0][356]	= settr(355,0,363,1,0,".(goto)", 0, 2, 0);
	trans[0][354]	= settr(353,0,363,2,0,"else", 0, 2, 0);
	trans[0][359]	= settr(358,0,363,1,0,".(goto)", 0, 2, 0);
	trans[0][357]	= settr(356,0,363,2,0,"else", 0, 2, 0);
	T = trans[0][363] = settr(362,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(362,0,360,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(362,0,362,0,0,"IF", 0, 2, 0);
	trans[0][360]	= settr(359,0,361,348,348,"((won&&(nmspinning!=0)))", 1, 2, 0);
	trans[0][361]	= settr(360,0,374,349,349,"won = 0", 0, 2, 0);
	trans[0][364]	= settr(363,0,374,1,0,".(goto)", 0, 2, 0);
	trans[0][362]	= settr(361,0,374,2,0,"else", 0, 2, 0);
	T = trans[0][374] = settr(373,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(373,0,365,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(373,0,373,0,0,"IF", 0, 2, 0);
	trans[0][365]	= settr(364,0,372,350,0,"(won)", 0, 2, 0);
	T = trans[ 0][372] = settr(371,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(371,2,370,0,0,"ATOMIC", 1, 2, 0);
	T = trans[0][370] = settr(369,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(369,2,366,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(369,2,368,0,0,"IF", 1, 2, 0);
	trans[0][366]	= settr(365,0,437,351,351,"((nmspinning==0))", 1, 2, 0); /* m: 367 -> 437,0 */
	reached0[367] = 1;
	trans[0][367]	= settr(0,0,0,0,0,"nmspinning = 1",0,0,0);
	trans[0][371]	= settr(370,0,437,352,352,".(goto)", 1, 2, 0);
	trans[0][368]	= settr(367,2,369,2,0,"else", 1, 2, 0);
	trans[0][369]	= settr(368,0,437,353,353,"won = 0", 1, 2, 0); /* m: 371 -> 0,437 */
	reached0[371] = 1;
	trans[0][375]	= settr(374,0,437,1,0,".(goto)", 0, 2, 0);
	trans[0][373]	= settr(372,0,437,2,0,"else", 0, 2, 0);
	T = trans[0][437] = settr(436,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(436,0,376,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(436,0,436,0,0,"IF", 0, 2, 0);
	trans[0][376]	= settr(375,0,380,354,354,"(won)", 0, 2, 0);
	T = trans[ 0][380] = settr(379,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(379,0,379,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][379] = settr(378,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(378,2,377,0,0,"ATOMIC", 1, 2, 0);
	trans[0][377]	= settr(376,4,397,355,355,"(!(mu))", 1, 2, 0); /* m: 378 -> 397,0 */
	reached0[378] = 1;
	trans[0][378]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 0][397] = settr(396,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(396,0,395,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][395] = settr(394,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(394,0,387,0,0,"sub-sequence", 0, 2, 0);
	T = trans[0][387] = settr(386,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(386,0,381,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(386,0,383,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(386,0,385,0,0,"IF", 0, 2, 0);
	trans[0][381]	= settr(380,0,382,356,0,"((idle_p&1))", 1, 2, 0);
	trans[0][382]	= settr(381,0,393,357,357,"q = 1", 0, 2, 0);
	trans[0][388]	= settr(387,0,393,1,0,".(goto)", 0, 2, 0);
	trans[0][383]	= settr(382,0,384,358,0,"((idle_p&2))", 1, 2, 0);
	trans[0][384]	= settr(383,0,393,359,359,"q = 2", 0, 2, 0);
	trans[0][385]	= settr(384,0,386,360,0,"((idle_p==0))", 1, 2, 0);
	trans[0][386]	= settr(385,0,393,361,361,"q = 0", 0, 2, 0);
	T = trans[0][393] = settr(392,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(392,0,389,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(392,0,392,0,0,"IF", 0, 2, 0);
	trans[0][389]	= settr(388,0,390,362,0,"((q!=0))", 0, 2, 0);
	trans[0][390]	= settr(389,0,391,363,363,"idle_p = (idle_p&~((1<<(q-1))))", 1, 2, 0);
	trans[0][391]	= settr(390,0,396,364,364,"idle_p_count = (idle_p_count-1)", 1, 2, 0);
	trans[0][394]	= settr(393,0,396,1,0,".(goto)", 0, 2, 0);
	trans[0][392]	= settr(391,0,396,2,0,"else", 0, 2, 0);
	trans[0][396]	= settr(395,0,401,365,365,"need_spinning = (q==0)", 1, 2, 0);
	T = trans[0][401] = settr(400,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(400,0,398,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(400,0,400,0,0,"IF", 0, 2, 0);
	trans[0][398]	= settr(397,0,399,366,0,"((q==0))", 0, 2, 0);
	trans[0][399]	= settr(398,0,404,367,367,"nmspinning = (nmspinning-1)", 1, 2, 0);
	trans[0][402]	= settr(401,0,404,1,0,".(goto)", 0, 2, 0);
	trans[0][400]	= settr(399,0,404,2,0,"else", 0, 2, 0);
	T = trans[ 0][404] = settr(403,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(403,0,403,0,0,"sub-sequence", 0, 2, 0);
	trans[0][403]	= settr(402,0,434,368,368,"mu = 0", 1, 2, 0);
	T = trans[0][434] = settr(433,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(433,0,405,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(433,0,433,0,0,"IF", 0, 2, 0);
	trans[0][405]	= settr(404,0,432,369,0,"((q!=0))", 0, 2, 0);
	T = trans[ 0][432] = settr(431,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(431,0,408,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][408] = settr(407,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(407,2,406,0,0,"ATOMIC", 1, 2, 0);
	trans[0][406]	= settr(405,4,424,370,370,"((!(mu)&&((idle_m|unborn)!=0)))", 1, 2, 0); /* m: 407 -> 424,0 */
	reached0[407] = 1;
	trans[0][407]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 0][424] = settr(423,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(423,2,419,0,0,"ATOMIC", 1, 2, 0);
	T = trans[0][419] = settr(418,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(418,2,409,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(418,2,411,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(418,2,413,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(418,2,415,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(418,2,417,0,0,"IF", 1, 2, 0);
	trans[0][409]	= settr(408,4,425,371,371,"((idle_m&1))", 1, 2, 0); /* m: 410 -> 425,0 */
	reached0[410] = 1;
	trans[0][410]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[0][420]	= settr(419,2,421,1,0,".(goto)", 1, 2, 0); /* m: 421 -> 0,425 */
	reached0[421] = 1;
	trans[0][411]	= settr(410,4,425,372,372,"((idle_m&2))", 1, 2, 0); /* m: 412 -> 425,0 */
	reached0[412] = 1;
	trans[0][412]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[0][413]	= settr(412,4,425,373,373,"((idle_m&4))", 1, 2, 0); /* m: 414 -> 425,0 */
	reached0[414] = 1;
	trans[0][414]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[0][415]	= settr(414,4,425,374,374,"(((idle_m==0)&&(unborn&2)))", 1, 2, 0); /* m: 416 -> 425,0 */
	reached0[416] = 1;
	trans[0][416]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[0][417]	= settr(416,4,425,375,375,"(((idle_m==0)&&!((unborn&2))))", 1, 2, 0); /* m: 418 -> 425,0 */
	reached0[418] = 1;
	trans[0][418]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[0][421]	= settr(420,4,425,376,376,"idle_m = (idle_m&~((1<<w)))", 1, 2, 0); /* m: 422 -> 0,425 */
	reached0[422] = 1;
	trans[0][422]	= settr(0,0,0,0,0,"unborn = (unborn&~((1<<w)))",0,0,0);
	trans[0][423]	= settr(0,0,0,0,0,"mu = 0",0,0,0);
	trans[0][425]	= settr(424,0,428,377,0,"assert((!(spinning[w])&&(next_p[w]==0)))", 1, 2, 0);
	T = trans[ 0][428] = settr(427,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(427,2,426,0,0,"ATOMIC", 1, 2, 0);
	trans[0][426]	= settr(425,4,431,378,378,"spinning[w] = 1", 1, 2, 0); /* m: 427 -> 0,431 */
	reached0[427] = 1;
	trans[0][427]	= settr(0,0,0,0,0,"next_p[w] = q",0,0,0);
	T = trans[ 0][431] = settr(430,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(430,2,429,0,0,"ATOMIC", 1, 2, 0);
	trans[0][429]	= settr(428,0,441,379,379,"park[w] = 1", 1, 2, 0); /* m: 430 -> 0,441 */
	reached0[430] = 1;
	trans[0][430]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[0][435]	= settr(434,0,441,1,0,".(goto)", 0, 2, 0);
	trans[0][433]	= settr(432,0,441,2,0,"else", 0, 2, 0);
	trans[0][438]	= settr(437,0,441,1,0,".(goto)", 0, 2, 0);
	trans[0][436]	= settr(435,0,441,2,0,"else", 0, 2, 0);
	T = trans[ 0][441] = settr(440,2,0,0,0,"ATOMIC", 0, 2, 0);
	T->nxt	= settr(440,2,439,0,0,"ATOMIC", 0, 2, 0);
	trans[0][439]	= settr(438,0,454,380,380,"won = 0", 0, 2, 0); /* m: 440 -> 0,454 */
	reached0[440] = 1;
	trans[0][440]	= settr(0,0,0,0,0,"q = 0",0,0,0);
	trans[0][447]	= settr(446,0,454,1,0,".(goto)", 0, 2, 0);
	trans[0][445]	= settr(444,0,454,2,0,"else", 0, 2, 0);
	T = trans[0][454] = settr(453,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(453,0,448,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(453,0,452,0,0,"IF", 0, 2, 0);
	trans[0][448]	= settr(447,0,577,1,0,"goto end_computes", 0, 2, 0);
	trans[0][455]	= settr(454,0,556,1,0,".(goto)", 0, 2, 0);
	T = trans[ 0][452] = settr(451,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(451,2,449,0,0,"ATOMIC", 1, 2, 0);
	trans[0][449]	= settr(448,0,7,381,381,"runs = (runs&~(gp))", 1, 2, 0); /* m: 450 -> 0,7 */
	reached0[450] = 1;
	trans[0][450]	= settr(0,0,0,0,0,"ended = (ended|gp)",0,0,0);
	trans[0][451]	= settr(0,0,0,0,0,"gp = 0",0,0,0);
	trans[0][453]	= settr(452,0,7,1,0,"goto findrunnable", 0, 2, 0);
	T = trans[ 0][556] = settr(555,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(555,0,457,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][457] = settr(456,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(456,0,456,0,0,"sub-sequence", 0, 2, 0);
	trans[0][456]	= settr(455,0,460,1,0,"(1)", 0, 2, 0);
	T = trans[ 0][460] = settr(459,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(459,2,458,0,0,"ATOMIC", 1, 2, 0);
	trans[0][458]	= settr(457,4,555,382,382,"begun = (begun|(1<<(2-1)))", 1, 2, 0); /* m: 459 -> 0,555 */
	reached0[459] = 1;
	trans[0][459]	= settr(0,0,0,0,0,"ring[(pp-1)] = (ring[(pp-1)]|(1<<(2-1)))",0,0,0);
	T = trans[ 0][555] = settr(554,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(554,0,554,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][554] = settr(553,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(553,0,461,0,0,"sub-sequence", 0, 2, 0);
	trans[0][461]	= settr(460,0,470,383,383,"won = 1", 0, 2, 0);
	T = trans[0][470] = settr(469,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(469,0,462,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(469,0,469,0,0,"IF", 0, 2, 0);
	trans[0][462]	= settr(461,0,463,384,0,"((idle_p_count==0))", 1, 2, 0);
	trans[0][463]	= settr(462,0,467,385,385,"need_spinning = 1", 1, 2, 0);
	T = trans[0][467] = settr(466,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(466,0,464,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(466,0,466,0,0,"IF", 0, 2, 0);
	trans[0][464]	= settr(463,0,465,386,0,"((idle_p_count==0))", 1, 2, 0);
	trans[0][465]	= settr(464,0,475,387,387,"won = 0", 0, 2, 0);
	trans[0][468]	= settr(467,0,475,1,0,".(goto)", 0, 2, 0);
	trans[0][466]	= settr(465,0,475,2,0,"else", 0, 2, 0);
	trans[0][471]	= settr(470,0,475,1,0,".(goto)", 0, 2, 0);
	trans[0][469]	= settr(468,0,475,2,0,"else", 0, 2, 0);
	T = trans[0][475] = settr(474,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(474,0,472,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(474,0,474,0,0,"IF", 0, 2, 0);
	trans[0][472]	= settr(471,0,473,388,388,"((won&&(nmspinning!=0)))", 1, 2, 0);
	trans[0][473]	= settr(472,0,486,389,389,"won = 0", 0, 2, 0);
	trans[0][476]	= settr(475,0,486,1,0,".(goto)", 0, 2, 0);
	trans[0][474]	= settr(473,0,486,2,0,"else", 0, 2, 0);
	T = trans[0][486] = settr(485,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(485,0,477,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(485,0,485,0,0,"IF", 0, 2, 0);
	trans[0][477]	= settr(476,0,484,390,0,"(won)", 0, 2, 0);
	T = trans[ 0][484] = settr(483,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(483,2,482,0,0,"ATOMIC", 1, 2, 0);
	T = trans[0][482] = settr(481,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(481,2,478,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(481,2,480,0,0,"IF", 1, 2, 0);
	trans[0][478]	= settr(477,0,549,391,391,"((nmspinning==0))", 1, 2, 0); /* m: 479 -> 549,0 */
	reached0[479] = 1;
	trans[0][479]	= settr(0,0,0,0,0,"nmspinning = 1",0,0,0);
	trans[0][483]	= settr(482,0,549,392,392,".(goto)", 1, 2, 0);
	trans[0][480]	= settr(479,2,481,2,0,"else", 1, 2, 0);
	trans[0][481]	= settr(480,0,549,393,393,"won = 0", 1, 2, 0); /* m: 483 -> 0,549 */
	reached0[483] = 1;
	trans[0][487]	= settr(486,0,549,1,0,".(goto)", 0, 2, 0);
	trans[0][485]	= settr(484,0,549,2,0,"else", 0, 2, 0);
	T = trans[0][549] = settr(548,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(548,0,488,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(548,0,548,0,0,"IF", 0, 2, 0);
	trans[0][488]	= settr(487,0,492,394,394,"(won)", 0, 2, 0);
	T = trans[ 0][492] = settr(491,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(491,0,491,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][491] = settr(490,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(490,2,489,0,0,"ATOMIC", 1, 2, 0);
	trans[0][489]	= settr(488,4,509,395,395,"(!(mu))", 1, 2, 0); /* m: 490 -> 509,0 */
	reached0[490] = 1;
	trans[0][490]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 0][509] = settr(508,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(508,0,507,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][507] = settr(506,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(506,0,499,0,0,"sub-sequence", 0, 2, 0);
	T = trans[0][499] = settr(498,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(498,0,493,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(498,0,495,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(498,0,497,0,0,"IF", 0, 2, 0);
	trans[0][493]	= settr(492,0,494,396,0,"((idle_p&1))", 1, 2, 0);
	trans[0][494]	= settr(493,0,505,397,397,"q = 1", 0, 2, 0);
	trans[0][500]	= settr(499,0,505,1,0,".(goto)", 0, 2, 0);
	trans[0][495]	= settr(494,0,496,398,0,"((idle_p&2))", 1, 2, 0);
	trans[0][496]	= settr(495,0,505,399,399,"q = 2", 0, 2, 0);
	trans[0][497]	= settr(496,0,498,400,0,"((idle_p==0))", 1, 2, 0);
	trans[0][498]	= settr(497,0,505,401,401,"q = 0", 0, 2, 0);
	T = trans[0][505] = settr(504,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(504,0,501,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(504,0,504,0,0,"IF", 0, 2, 0);
	trans[0][501]	= settr(500,0,502,402,0,"((q!=0))", 0, 2, 0);
	trans[0][502]	= settr(501,0,503,403,403,"idle_p = (idle_p&~((1<<(q-1))))", 1, 2, 0);
	trans[0][503]	= settr(502,0,508,404,404,"idle_p_count = (idle_p_count-1)", 1, 2, 0);
	trans[0][506]	= settr(505,0,508,1,0,".(goto)", 0, 2, 0);
	trans[0][504]	= settr(503,0,508,2,0,"else", 0, 2, 0);
	trans[0][508]	= settr(507,0,513,405,405,"need_spinning = (q==0)", 1, 2, 0);
	T = trans[0][513] = settr(512,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(512,0,510,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(512,0,512,0,0,"IF", 0, 2, 0);
	trans[0][510]	= settr(509,0,511,406,0,"((q==0))", 0, 2, 0);
	trans[0][511]	= settr(510,0,516,407,407,"nmspinning = (nmspinning-1)", 1, 2, 0);
	trans[0][514]	= settr(513,0,516,1,0,".(goto)", 0, 2, 0);
	trans[0][512]	= settr(511,0,516,2,0,"else", 0, 2, 0);
	T = trans[ 0][516] = settr(515,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(515,0,515,0,0,"sub-sequence", 0, 2, 0);
	trans[0][515]	= settr(514,0,546,408,408,"mu = 0", 1, 2, 0);
	T = trans[0][546] = settr(545,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(545,0,517,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(545,0,545,0,0,"IF", 0, 2, 0);
	trans[0][517]	= settr(516,0,544,409,0,"((q!=0))", 0, 2, 0);
	T = trans[ 0][544] = settr(543,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(543,0,520,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][520] = settr(519,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(519,2,518,0,0,"ATOMIC", 1, 2, 0);
	trans[0][518]	= settr(517,4,536,410,410,"((!(mu)&&((idle_m|unborn)!=0)))", 1, 2, 0); /* m: 519 -> 536,0 */
	reached0[519] = 1;
	trans[0][519]	= settr(0,0,0,0,0,"mu = 1",0,0,0);
	T = trans[ 0][536] = settr(535,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(535,2,531,0,0,"ATOMIC", 1, 2, 0);
	T = trans[0][531] = settr(530,2,0,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(530,2,521,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(530,2,523,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(530,2,525,0,0,"IF", 1, 2, 0);
	T = T->nxt	= settr(530,2,527,0,0,"IF", 1, 2, 0);
	    T->nxt	= settr(530,2,529,0,0,"IF", 1, 2, 0);
	trans[0][521]	= settr(520,4,537,411,411,"((idle_m&1))", 1, 2, 0); /* m: 522 -> 537,0 */
	reached0[522] = 1;
	trans[0][522]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[0][532]	= settr(531,2,533,1,0,".(goto)", 1, 2, 0); /* m: 533 -> 0,537 */
	reached0[533] = 1;
	trans[0][523]	= settr(522,4,537,412,412,"((idle_m&2))", 1, 2, 0); /* m: 524 -> 537,0 */
	reached0[524] = 1;
	trans[0][524]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[0][525]	= settr(524,4,537,413,413,"((idle_m&4))", 1, 2, 0); /* m: 526 -> 537,0 */
	reached0[526] = 1;
	trans[0][526]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[0][527]	= settr(526,4,537,414,414,"(((idle_m==0)&&(unborn&2)))", 1, 2, 0); /* m: 528 -> 537,0 */
	reached0[528] = 1;
	trans[0][528]	= settr(0,0,0,0,0,"w = 1",0,0,0);
	trans[0][529]	= settr(528,4,537,415,415,"(((idle_m==0)&&!((unborn&2))))", 1, 2, 0); /* m: 530 -> 537,0 */
	reached0[530] = 1;
	trans[0][530]	= settr(0,0,0,0,0,"w = 2",0,0,0);
	trans[0][533]	= settr(532,4,537,416,416,"idle_m = (idle_m&~((1<<w)))", 1, 2, 0); /* m: 534 -> 0,537 */
	reached0[534] = 1;
	trans[0][534]	= settr(0,0,0,0,0,"unborn = (unborn&~((1<<w)))",0,0,0);
	trans[0][535]	= settr(0,0,0,0,0,"mu = 0",0,0,0);
	trans[0][537]	= settr(536,0,540,417,0,"assert((!(spinning[w])&&(next_p[w]==0)))", 1, 2, 0);
	T = trans[ 0][540] = settr(539,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(539,2,538,0,0,"ATOMIC", 1, 2, 0);
	trans[0][538]	= settr(537,4,543,418,418,"spinning[w] = 1", 1, 2, 0); /* m: 539 -> 0,543 */
	reached0[539] = 1;
	trans[0][539]	= settr(0,0,0,0,0,"next_p[w] = q",0,0,0);
	T = trans[ 0][543] = settr(542,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(542,2,541,0,0,"ATOMIC", 1, 2, 0);
	trans[0][541]	= settr(540,0,553,419,419,"park[w] = 1", 1, 2, 0); /* m: 542 -> 0,553 */
	reached0[542] = 1;
	trans[0][542]	= settr(0,0,0,0,0,"w = 0",0,0,0);
	trans[0][547]	= settr(546,0,553,1,0,".(goto)", 0, 2, 0);
	trans[0][545]	= settr(544,0,553,2,0,"else", 0, 2, 0);
	trans[0][550]	= settr(549,0,553,1,0,".(goto)", 0, 2, 0);
	trans[0][548]	= settr(547,0,553,2,0,"else", 0, 2, 0);
	T = trans[ 0][553] = settr(552,2,0,0,0,"ATOMIC", 0, 2, 0);
	T->nxt	= settr(552,2,551,0,0,"ATOMIC", 0, 2, 0);
	trans[0][551]	= settr(550,4,560,420,420,"won = 0", 0, 2, 0); /* m: 552 -> 0,560 */
	reached0[552] = 1;
	trans[0][552]	= settr(0,0,0,0,0,"q = 0",0,0,0);
	T = trans[ 0][560] = settr(559,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(559,0,559,0,0,"sub-sequence", 0, 2, 0);
	T = trans[ 0][559] = settr(558,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(558,2,557,0,0,"ATOMIC", 1, 2, 0);
	trans[0][557]	= settr(556,4,561,421,421,"(!(list_mu))", 1, 2, 0); /* m: 558 -> 561,0 */
	reached0[558] = 1;
	trans[0][558]	= settr(0,0,0,0,0,"list_mu = 1",0,0,0);
	trans[0][561]	= settr(560,0,564,422,422,"list_has = 1", 1, 2, 0);
	T = trans[ 0][564] = settr(563,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(563,2,562,0,0,"ATOMIC", 1, 2, 0);
	trans[0][562]	= settr(561,4,568,423,423,"next = (ring[(pp-1)]&-(ring[(pp-1)]))", 1, 2, 0); /* m: 563 -> 0,568 */
	reached0[563] = 1;
	trans[0][563]	= settr(0,0,0,0,0,"ring[(pp-1)] = (ring[(pp-1)]&~(next))",0,0,0);
	T = trans[ 0][568] = settr(567,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(567,2,565,0,0,"ATOMIC", 1, 2, 0);
	trans[0][565]	= settr(564,4,570,424,424,"saved = (saved|1)", 1, 2, 0); /* m: 566 -> 0,570 */
	reached0[566] = 1;
	trans[0][566]	= settr(0,0,0,0,0,"runs = (runs&~(1))",0,0,0);
	trans[0][567]	= settr(0,0,0,0,0,"gp = 0",0,0,0);
	T = trans[ 0][570] = settr(569,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(569,0,569,0,0,"sub-sequence", 0, 2, 0);
	trans[0][569]	= settr(568,0,575,425,425,"list_mu = 0", 1, 2, 0);
	T = trans[0][575] = settr(574,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(574,0,571,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(574,0,573,0,0,"IF", 0, 2, 0);
	trans[0][571]	= settr(570,0,342,426,0,"((next!=0))", 0, 2, 0);
	trans[0][572]	= settr(571,0,342,1,0,"goto start_running", 0, 2, 0);
	trans[0][576]	= settr(575,0,577,1,0,".(goto)", 0, 2, 0);
	trans[0][573]	= settr(572,0,7,2,0,"else", 0, 2, 0);
	trans[0][574]	= settr(573,0,7,1,0,"goto findrunnable", 0, 2, 0);
	trans[0][577]	= settr(576,0,578,427,0,"(0)", 0, 2, 0);
	trans[0][578]	= settr(577,0,0,428,428,"-end-", 0, 3500, 0);
	/* np_ demon: */
	trans[_NP_] = (Trans **) emalloc(3*sizeof(Trans *));
	T = trans[_NP_][0] = settr(9997,0,1,_T5,0,"(np_)", 1,2,0);
	    T->nxt	  = settr(9998,0,0,_T2,0,"(1)",   0,2,0);
	T = trans[_NP_][1] = settr(9999,0,1,_T5,0,"(np_)", 1,2,0);
}

Trans *
settr(	int t_id, int a, int b, int c, int d,
	char *t, int g, int tpe0, int tpe1)
{	Trans *tmp = (Trans *) emalloc(sizeof(Trans));

	tmp->atom  = a&(6|32);	/* only (2|8|32) have meaning */
	if (!g) tmp->atom |= 8;	/* no global references */
	tmp->st    = b;
	tmp->tpe[0] = tpe0;
	tmp->tpe[1] = tpe1;
	tmp->tp    = t;
	tmp->t_id  = t_id;
	tmp->forw  = c;
	tmp->back  = d;
	return tmp;
}

Trans *
cpytr(Trans *a)
{	Trans *tmp = (Trans *) emalloc(sizeof(Trans));

	int i;
	tmp->atom  = a->atom;
	tmp->st    = a->st;
#ifdef HAS_UNLESS
	tmp->e_trans = a->e_trans;
	for (i = 0; i < HAS_UNLESS; i++)
		tmp->escp[i] = a->escp[i];
#endif
	tmp->tpe[0] = a->tpe[0];
	tmp->tpe[1] = a->tpe[1];
	for (i = 0; i < 6; i++)
	{	tmp->qu[i] = a->qu[i];
		tmp->ty[i] = a->ty[i];
	}
	tmp->tp    = (char *) emalloc(strlen(a->tp)+1);
	strcpy(tmp->tp, a->tp);
	tmp->t_id  = a->t_id;
	tmp->forw  = a->forw;
	tmp->back  = a->back;
	return tmp;
}

#ifndef NOREDUCE
int
srinc_set(int n)
{	if (n <= 2) return LOCAL;
	if (n <= 2+  DELTA) return Q_FULL_F; /* 's' or nfull  */
	if (n <= 2+2*DELTA) return Q_EMPT_F; /* 'r' or nempty */
	if (n <= 2+3*DELTA) return Q_EMPT_T; /* empty */
	if (n <= 2+4*DELTA) return Q_FULL_T; /* full  */
	if (n ==   5*DELTA) return GLOBAL;
	if (n ==   6*DELTA) return TIMEOUT_F;
	if (n ==   7*DELTA) return ALPHA_F;
	Uerror("cannot happen srinc_class");
	return BAD;
}
int
srunc(int n, int m)
{	switch(m) {
	case Q_FULL_F: return n-2;
	case Q_EMPT_F: return n-2-DELTA;
	case Q_EMPT_T: return n-2-2*DELTA;
	case Q_FULL_T: return n-2-3*DELTA;
	case ALPHA_F:
	case TIMEOUT_F: return 257; /* non-zero, and > MAXQ */
	}
	Uerror("cannot happen srunc");
	return 0;
}
#endif
int cnt;
#ifdef HAS_UNLESS
int
isthere(Trans *a, int b)
{	Trans *t;
	for (t = a; t; t = t->nxt)
		if (t->t_id == b)
			return 1;
	return 0;
}
#endif
#ifndef NOREDUCE
int
mark_safety(Trans *t) /* for conditional safety */
{	int g = 0, i, j, k;

	if (!t) return 0;
	if (t->qu[0])
		return (t->qu[1])?2:1;	/* marked */

	for (i = 0; i < 2; i++)
	{	j = srinc_set(t->tpe[i]);
		if (j >= GLOBAL && j != ALPHA_F)
			return -1;
		if (j != LOCAL)
		{	k = srunc(t->tpe[i], j);
			if (g == 0
			||  t->qu[0] != k
			||  t->ty[0] != j)
			{	t->qu[g] = k;
				t->ty[g] = j;
				g++;
	}	}	}
	return g;
}
#endif
void
retrans(int n, int m, int is, short srcln[], uchar reach[], uchar lpstate[])
	/* process n, with m states, is=initial state */
{	Trans *T0, *T1, *T2, *T3;
	Trans *T4, *T5; /* t_reverse or has_unless */
	int i;
#if defined(HAS_UNLESS) || !defined(NOREDUCE)
	int k;
#endif
#ifndef NOREDUCE
	int g, h, j, aa;
#endif
#ifdef HAS_UNLESS
	int p;
#endif
	if (state_tables >= 4)
	{	printf("STEP 1 %s\n", 
			procname[n]);
		for (i = 1; i < m; i++)
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
			crack(n, i, T0, srcln);
		return;
	}
	do {
		for (i = 1, cnt = 0; i < m; i++)
		{	T2 = trans[n][i];
			T1 = T2?T2->nxt:(Trans *)0;
/* prescan: */		for (T0 = T1; T0; T0 = T0->nxt)
/* choice in choice */	{	if (T0->st && trans[n][T0->st]
				&&  trans[n][T0->st]->nxt)
					break;
			}
#if 0
		if (T0)
		printf("\tstate %d / %d: choice in choice\n",
		i, T0->st);
#endif
			if (T0)
			for (T0 = T1; T0; T0 = T0->nxt)
			{	T3 = trans[n][T0->st];
				if (!T3->nxt)
				{	T2->nxt = cpytr(T0);
					T2 = T2->nxt;
					imed(T2, T0->st, n, i);
					continue;
				}
				do {	T3 = T3->nxt;
					T2->nxt = cpytr(T3);
					T2 = T2->nxt;
					imed(T2, T0->st, n, i);
				} while (T3->nxt);
				cnt++;
			}
		}
	} while (cnt);
	if (state_tables >= 3)
	{	printf("STEP 2 %s\n", 
			procname[n]);
		for (i = 1; i < m; i++)
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
			crack(n, i, T0, srcln);
		return;
	}
	for (i = 1; i < m; i++)
	{	if (trans[n][i] && trans[n][i]->nxt) /* optimize */
		{	T1 = trans[n][i]->nxt;
#if 0
			printf("\t\tpull %d (%d) to %d\n",
			T1->st, T1->forw, i);
#endif
			srcln[i] = srcln[T1->st];	/* Oyvind Teig, 5.2.0 */

			if (!trans[n][T1->st]) continue;
			T0 = cpytr(trans[n][T1->st]);
			trans[n][i] = T0;
			reach[T1->st] = 1;
			imed(T0, T1->st, n, i);
			for (T1 = T1->nxt; T1; T1 = T1->nxt)
			{
#if 0
			printf("\t\tpull %d (%d) to %d\n",
				T1->st, T1->forw, i);
#endif
		/*		srcln[i] = srcln[T1->st];  gh: not useful */
				if (!trans[n][T1->st]) continue;
				T0->nxt = cpytr(trans[n][T1->st]);
				T0 = T0->nxt;
				reach[T1->st] = 1;
				imed(T0, T1->st, n, i);
	}	}	}
	if (state_tables >= 2)
	{	printf("STEP 3 %s\n", 
			procname[n]);
		for (i = 1; i < m; i++)
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
			crack(n, i, T0, srcln);
		return;
	}
#ifdef HAS_UNLESS
	for (i = 1; i < m; i++)
	{	if (!trans[n][i]) continue;
		/* check for each state i if an
		 * escape to some state p is defined
		 * if so, copy and mark p's transitions
		 * and prepend them to the transition-
		 * list of state i
		 */
	 if (!like_java) /* the default */
	 {	for (T0 = trans[n][i]; T0; T0 = T0->nxt)
		for (k = HAS_UNLESS-1; k >= 0; k--)
		{	if (p = T0->escp[k])
			for (T1 = trans[n][p]; T1; T1 = T1->nxt)
			{	if (isthere(trans[n][i], T1->t_id))
					continue;
				T2 = cpytr(T1);
				T2->e_trans = p;
				T2->nxt = trans[n][i];
				trans[n][i] = T2;
		}	}
	 } else /* outermost unless checked first */
	 {	T4 = T3 = (Trans *) 0;
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
		for (k = HAS_UNLESS-1; k >= 0; k--)
		{	if (p = T0->escp[k])
			for (T1 = trans[n][p]; T1; T1 = T1->nxt)
			{	if (isthere(trans[n][i], T1->t_id))
					continue;
				T2 = cpytr(T1);
				T2->nxt = (Trans *) 0;
				T2->e_trans = p;
				if (T3)	T3->nxt = T2;
				else	T4 = T2;
				T3 = T2;
		}	}
		if (T4)
		{	T3->nxt = trans[n][i];
			trans[n][i] = T4;
		}
	 }
	}
#endif
#ifndef NOREDUCE
	for (i = 1; i < m; i++)
	{	if (a_cycles)
		{ /* moves through these states are visible */
	#if PROG_LAB>0 && defined(HAS_NP)
			if (progstate[n][i])
				goto degrade;
			for (T1 = trans[n][i]; T1; T1 = T1->nxt)
				if (progstate[n][T1->st])
					goto degrade;
	#endif
			if (accpstate[n][i] || visstate[n][i])
				goto degrade;
			for (T1 = trans[n][i]; T1; T1 = T1->nxt)
				if (accpstate[n][T1->st])
					goto degrade;
		}
		T1 = trans[n][i];
		if (!T1) continue;
		g = mark_safety(T1);	/* V3.3.1 */
		if (g < 0) goto degrade; /* global */
		/* check if mixing of guards preserves reduction */
		if (T1->nxt)
		{	k = 0;
			for (T0 = T1; T0; T0 = T0->nxt)
			{	if (!(T0->atom&8))
					goto degrade;
				for (aa = 0; aa < 2; aa++)
				{	j = srinc_set(T0->tpe[aa]);
					if (j >= GLOBAL && j != ALPHA_F)
						goto degrade;
					if (T0->tpe[aa]
					&&  T0->tpe[aa]
					!=  T1->tpe[0])
						k = 1;
			}	}
			/* g = 0;	V3.3.1 */
			if (k)	/* non-uniform selection */
			for (T0 = T1; T0; T0 = T0->nxt)
			for (aa = 0; aa < 2; aa++)
			{	j = srinc_set(T0->tpe[aa]);
				if (j != LOCAL)
				{	k = srunc(T0->tpe[aa], j);
					for (h = 0; h < 6; h++)
						if (T1->qu[h] == k
						&&  T1->ty[h] == j)
							break;
					if (h >= 6)
					{	T1->qu[g%6] = k;
						T1->ty[g%6] = j;
						g++;
			}	}	}
			if (g > 6)
			{	T1->qu[0] = 0;	/* turn it off */
				printf("pan: warning, line %d, ",
					srcln[i]);
			 	printf("too many stmnt types (%d)",
					g);
			  	printf(" in selection\n");
			  goto degrade;
			}
		}
		/* mark all options global if >=1 is global */
		for (T1 = trans[n][i]; T1; T1 = T1->nxt)
			if (!(T1->atom&8)) break;
		if (T1)
degrade:	for (T1 = trans[n][i]; T1; T1 = T1->nxt)
			T1->atom &= ~8;	/* mark as unsafe */
		/* can only mix 'r's or 's's if on same chan */
		/* and not mixed with other local operations */
		T1 = trans[n][i];
		if (!T1 || T1->qu[0]) continue;
		j = T1->tpe[0];
		if (T1->nxt && T1->atom&8)
		{ if (j == 5*DELTA)
		  {	printf("warning: line %d ", srcln[i]);
			printf("mixed condition ");
			printf("(defeats reduction)\n");
			goto degrade;
		  }
		  for (T0 = T1; T0; T0 = T0->nxt)
		  for (aa = 0; aa < 2; aa++)
		  if  (T0->tpe[aa] && T0->tpe[aa] != j)
		  {	printf("warning: line %d ", srcln[i]);
			printf("[%d-%d] mixed %stion ",
				T0->tpe[aa], j, 
				(j==5*DELTA)?"condi":"selec");
			printf("(defeats reduction)\n");
			printf("	'%s' <-> '%s'\n",
				T1->tp, T0->tp);
			goto degrade;
		} }
	}
#endif
	for (i = 1; i < m; i++)
	{	T2 = trans[n][i];
		if (!T2
		||  T2->nxt
		||  strncmp(T2->tp, ".(goto)", 7)
		||  !stopstate[n][i])
			continue;
		stopstate[n][T2->st] = 1;
	}
	if (state_tables && !verbose)
	{	if (dodot)
		{	char buf[256], *q = buf, *p = procname[n];
			while (*p != '\0')
			{	if (*p != ':')
				{	*q++ = *p;
				}
				p++;
			}
			*q = '\0';
			printf("digraph ");
			switch (Btypes[n]) {
			case I_PROC:  printf("init {\n"); break;
			case N_CLAIM: printf("claim_%s {\n", buf); break;
			case E_TRACE: printf("notrace {\n"); break;
			case N_TRACE: printf("trace {\n"); break;
			default:      printf("p_%s {\n", buf); break;
			}
			printf("size=\"8,10\";\n");
			printf("  GT [shape=box,style=dotted,label=\"%s\"];\n", buf);
			printf("  GT -> S%d;\n", is);
		} else
		{	switch (Btypes[n]) {
			case I_PROC:  printf("init\n"); break;
			case N_CLAIM: printf("claim %s\n", procname[n]); break;
			case E_TRACE: printf("notrace assertion\n"); break;
			case N_TRACE: printf("trace assertion\n"); break;
			default:      printf("proctype %s\n", procname[n]); break;
		}	}
		for (i = 1; i < m; i++)
		{	reach[i] = 1;
		}
		tagtable(n, m, is, srcln, reach);
		if (dodot) printf("}\n");
	} else
	for (i = 1; i < m; i++)
	{	int nrelse;
		if (Btypes[n] != N_CLAIM)
		{	for (T0 = trans[n][i]; T0; T0 = T0->nxt)
			{	if (T0->st == i
				&& strcmp(T0->tp, "(1)") == 0)
				{	printf("error: proctype '%s' ",
						procname[n]);
		  			printf("line %d, state %d: has un",
						srcln[i], i);
					printf("conditional self-loop\n");
					pan_exit(1);
		}	}	}
		nrelse = 0;
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
		{	if (strcmp(T0->tp, "else") == 0)
				nrelse++;
		}
		if (nrelse > 1)
		{	printf("error: proctype '%s' state",
				procname[n]);
		  	printf(" %d, inherits %d", i, nrelse);
		  	printf(" 'else' stmnts\n");
			pan_exit(1);
	}	}
#if !defined(LOOPSTATE) && !defined(BFS_PAR)
	if (state_tables)
#endif
	do_dfs(n, m, is, srcln, reach, lpstate);

	if (!t_reverse)
	{	return;
	}
	/* process n, with m states, is=initial state -- reverse list */
	if (!state_tables && Btypes[n] != N_CLAIM)
	{	for (i = 1; i < m; i++)
		{	Trans *Tx = (Trans *) 0; /* list of escapes */
			Trans *Ty = (Trans *) 0; /* its tail element */
			T1 = (Trans *) 0; /* reversed list */
			T2 = (Trans *) 0; /* its tail */
			T3 = (Trans *) 0; /* remembers possible 'else' */

			/* find unless-escapes, they should go first */
			T4 = T5 = T0 = trans[n][i];
	#ifdef HAS_UNLESS
			while (T4 && T4->e_trans) /* escapes are first in orig list */
			{	T5 = T4;	  /* remember predecessor */
				T4 = T4->nxt;
			}
	#endif
			/* T4 points to first non-escape, T5 to its parent, T0 to original list */
			if (T4 != T0)		 /* there was at least one escape */
			{	T3 = T5->nxt;		 /* start of non-escapes */
				T5->nxt = (Trans *) 0;	 /* separate */
				Tx = T0;		 /* start of the escapes */
				Ty = T5;		 /* its tail */
				T0 = T3;		 /* the rest, to be reversed */
			}
			/* T0 points to first non-escape, Tx to the list of escapes, Ty to its tail */

			/* first tail-add non-escape transitions, reversed */
			T3 = (Trans *) 0;
			for (T5 = T0; T5; T5 = T4)
			{	T4 = T5->nxt;
	#ifdef HAS_UNLESS
				if (T5->e_trans)
				{	printf("error: cannot happen!\n");
					continue;
				}
	#endif
				if (strcmp(T5->tp, "else") == 0)
				{	T3 = T5;
					T5->nxt = (Trans *) 0;
				} else
				{	T5->nxt = T1;
					if (!T1) { T2 = T5; }
					T1 = T5;
			}	}
			/* T3 points to a possible else, which is removed from the list */
			/* T1 points to the reversed list so far (without escapes) */
			/* T2 points to the tail element -- where the else should go */
			if (T2 && T3)
			{	T2->nxt = T3;	/* add else */
			} else
			{	if (T3) /* there was an else, but there's no tail */
				{	if (!T1)	/* and no reversed list */
					{	T1 = T3; /* odd, but possible */
					} else		/* even stranger */
					{	T1->nxt = T3;
			}	}	}

			/* add in the escapes, to that they appear at the front */
			if (Tx && Ty) { Ty->nxt = T1; T1 = Tx; }

			trans[n][i] = T1;
			/* reversed, with escapes first and else last */
	}	}
	if (state_tables && verbose)
	{	printf("FINAL proctype %s\n", 
			procname[n]);
		for (i = 1; i < m; i++)
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
			crack(n, i, T0, srcln);
	}
}
void
imed(Trans *T, int v, int n, int j)	/* set intermediate state */
{	progstate[n][T->st] |= progstate[n][v];
	accpstate[n][T->st] |= accpstate[n][v];
	stopstate[n][T->st] |= stopstate[n][v];
	mapstate[n][j] = T->st;
}
void
tagtable(int n, int m, int is, short srcln[], uchar reach[])
{	Trans *z;

	if (is >= m || !trans[n][is]
	||  is <= 0 || reach[is] == 0)
		return;
	reach[is] = 0;
	if (state_tables)
	for (z = trans[n][is]; z; z = z->nxt)
	{	if (dodot)
			dot_crack(n, is, z);
		else
			crack(n, is, z, srcln);
	}

	for (z = trans[n][is]; z; z = z->nxt)
	{
#ifdef HAS_UNLESS
		int i, j;
#endif
		tagtable(n, m, z->st, srcln, reach);
#ifdef HAS_UNLESS
		for (i = 0; i < HAS_UNLESS; i++)
		{	j = trans[n][is]->escp[i];
			if (!j) break;
			tagtable(n, m, j, srcln, reach);
		}
#endif
	}
}

extern Trans *t_id_lkup[];

void
dfs_table(int n, int m, int is, short srcln[], uchar reach[], uchar lpstate[])
{	Trans *z;

	if (is >= m || is <= 0 || !trans[n][is])
		return;
	if ((reach[is] & (4|8|16)) != 0)
	{	if ((reach[is] & (8|16)) == 16)	/* on stack, not yet recorded */
		{	lpstate[is] = 1;
			reach[is] |= 8; /* recorded */
			if (state_tables && verbose)
			{	printf("state %d line %d is a loopstate\n", is, srcln[is]);
		}	}
		return;
	}
	reach[is] |= (4|16);	/* visited | onstack */
	for (z = trans[n][is]; z; z = z->nxt)
	{	t_id_lkup[z->t_id] = z;
#ifdef HAS_UNLESS
		int i, j;
#endif
		dfs_table(n, m, z->st, srcln, reach, lpstate);
#ifdef HAS_UNLESS
		for (i = 0; i < HAS_UNLESS; i++)
		{	j = trans[n][is]->escp[i];
			if (!j) break;
			dfs_table(n, m, j, srcln, reach, lpstate);
		}
#endif
	}
	reach[is] &= ~16; /* no longer on stack */
}
void
do_dfs(int n, int m, int is, short srcln[], uchar reach[], uchar lpstate[])
{	int i;
	dfs_table(n, m, is, srcln, reach, lpstate);
	for (i = 0; i < m; i++)
		reach[i] &= ~(4|8|16);
}
void
crack(int n, int j, Trans *z, short srcln[])
{	int i;

	if (!z) return;
	printf("	state %3d -(tr %3d)-> state %3d  ",
		j, z->forw, z->st);
	printf("[id %3d tp %3d", z->t_id, z->tpe[0]);
	if (z->tpe[1]) printf(",%d", z->tpe[1]);
#ifdef HAS_UNLESS
	if (z->e_trans)
		printf(" org %3d", z->e_trans);
	else if (state_tables >= 2)
	for (i = 0; i < HAS_UNLESS; i++)
	{	if (!z->escp[i]) break;
		printf(" esc %d", z->escp[i]);
	}
#endif
	printf("]");
	printf(" [%s%s%s%s%s] %s:%d => ",
		z->atom&6?"A":z->atom&32?"D":"-",
		accpstate[n][j]?"a" :"-",
		stopstate[n][j]?"e" : "-",
		progstate[n][j]?"p" : "-",
		z->atom & 8 ?"L":"G",
		PanSource, srcln[j]);
	for (i = 0; z->tp[i]; i++)
		if (z->tp[i] == '\n')
			printf("\\n");
		else
			putchar(z->tp[i]);
	if (verbose && z->qu[0])
	{	printf("\t[");
		for (i = 0; i < 6; i++)
			if (z->qu[i])
				printf("(%d,%d)",
				z->qu[i], z->ty[i]);
		printf("]");
	}
	printf("\n");
	fflush(stdout);
}
/* spin -a m.pml; cc -o pan pan.c; ./pan -D | dot -Tps > foo.ps; ps2pdf foo.ps */
void
dot_crack(int n, int j, Trans *z)
{	int i;

	if (!z) return;
	printf("	S%d -> S%d  [color=black", j, z->st);

	if (z->atom&6) printf(",style=dashed");
	else if (z->atom&32) printf(",style=dotted");
	else if (z->atom&8) printf(",style=solid");
	else printf(",style=bold");

	printf(",label=\"");
	for (i = 0; z->tp[i]; i++)
	{	if (z->tp[i] == '\\'
		&&  z->tp[i+1] == 'n')
		{	i++; printf(" ");
		} else
		{	putchar(z->tp[i]);
	}	}
	printf("\"];\n");
	if (accpstate[n][j]) printf("  S%d [color=red,style=bold];\n", j);
	else if (progstate[n][j]) printf("  S%d [color=green,style=bold];\n", j);
	if (stopstate[n][j]) printf("  S%d [color=blue,style=bold,shape=box];\n", j);
}

#ifdef VAR_RANGES
#define BYTESIZE	32	/* 2^8 : 2^3 = 256:8 = 32 */

typedef struct Vr_Ptr {
	char	*nm;
	uchar	vals[BYTESIZE];
	struct Vr_Ptr *nxt;
} Vr_Ptr;
Vr_Ptr *ranges = (Vr_Ptr *) 0;

void
logval(char *s, int v)
{	Vr_Ptr *tmp;

	if (v<0 || v > 255) return;
	for (tmp = ranges; tmp; tmp = tmp->nxt)
		if (!strcmp(tmp->nm, s))
			goto found;
	tmp = (Vr_Ptr *) emalloc(sizeof(Vr_Ptr));
	tmp->nxt = ranges;
	ranges = tmp;
	tmp->nm = s;
found:
	tmp->vals[(v)/8] |= 1<<((v)%8);
}

void
dumpval(uchar X[], int range)
{	int w, x, i, j = -1;

	for (w = i = 0; w < range; w++)
	for (x = 0; x < 8; x++, i++)
	{
from:		if ((X[w] & (1<<x)))
		{	printf("%d", i);
			j = i;
			goto upto;
	}	}
	return;
	for (w = 0; w < range; w++)
	for (x = 0; x < 8; x++, i++)
	{
upto:		if (!(X[w] & (1<<x)))
		{	if (i-1 == j)
				printf(", ");
			else
				printf("-%d, ", i-1);
			goto from;
	}	}
	if (j >= 0 && j != 255)
		printf("-255");
}

void
dumpranges(void)
{	Vr_Ptr *tmp;
	printf("\nValues assigned within ");
	printf("interval [0..255]:\n");
	for (tmp = ranges; tmp; tmp = tmp->nxt)
	{	printf("\t%s\t: ", tmp->nm);
		dumpval(tmp->vals, BYTESIZE);
		printf("\n");
	}
}
#endif
