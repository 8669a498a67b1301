/** `high`: two or more independent sources agree. `medium`: one source read in full, or several that may copy each other. `low`: one indirect source. */
export type Confidence = 'high' | 'medium' | 'low';

/** The acts the tables name, by their short names. */
export const ACTS = {
  REG: 'Regulation (EU) 2023/1115',
  AM24: 'Regulation (EU) 2024/3234',
  AM25: 'Regulation (EU) 2025/2650',
  DEL26: 'Delegated Regulation (EU) 2026/2102',
  BENCH: 'Implementing Regulation (EU) 2025/1093',
  IS24: 'Implementing Regulation (EU) 2024/3084',
  IS26: 'Implementing Regulation (EU) 2026/1565',
  EUTR: 'Regulation (EU) No 995/2010',
} as const;

export type Act = keyof typeof ACTS;

/**
 * The day up to which each table was compared with the published law, `YYYY-MM-DD`: an act published later is not in it.
 */
export const TABLES_AS_OF = { annex: '2026-10-02', country_tiers: '2026-09-24', obligations: '2026-10-02' } as const;

/** Where the texts of the law were read: nobody claims the Official Journal. */
export const HOW_READ =
  'Read through public copies of the acts and of the consolidated text of 26 December 2025, not in the Official Journal itself.';

/** What was published or came into force, in order. */
interface Event {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly act: string;
  readonly effect: string;
  readonly confidence: Confidence;
}

export const TIMELINE: readonly Event[] = [
  {
    date: '2020-12-31',
    act: `${ACTS.REG}, Art 2(13)`,
    effect:
      'Cut-off date: forest on this day must not have been converted to agricultural use after it and, for wood, not degraded. No amendment has changed it.',
    confidence: 'high',
  },
  {
    date: '2023-06-29',
    act: `${ACTS.REG}, Art 1(2)`,
    effect:
      'In force. Products produced before this day are outside the regulation; so are cattle born before it (Commission FAQ 1.25).',
    confidence: 'high',
  },
  {
    date: '2024-12-04',
    act: 'Information system',
    effect:
      'Opened; closed for rebuilding in the first half of 2026 and opened again at the end of June 2026 with version 3 of its services. Versions 1 and 2 answer that they are discontinued.',
    confidence: 'medium',
  },
  {
    date: '2024-12-26',
    act: ACTS.AM24,
    effect: 'First delay, to 30 December 2025 and 30 June 2026.',
    confidence: 'high',
  },
  {
    date: '2025-05-26',
    act: ACTS.BENCH,
    effect:
      'Country tiers: 140 countries low, 4 high, every other standard. Not amended as of 24 September 2026; a review was announced for 2026.',
    confidence: 'high',
  },
  {
    date: '2025-12-26',
    act: ACTS.AM25,
    effect:
      'Second delay, to 30 December 2026 and 30 June 2027. Downstream operators file nothing; micro and small primary operators file a one-off simplified declaration; printed matter (ex 49) left Annex I; point 4 of Annex II was deleted, Annex III added.',
    confidence: 'high',
  },
  {
    date: '2026-05-04',
    act: 'Commission package',
    effect:
      'Simplification report COM(2026) 191, guidance C/2026/3896, version 5 of the FAQ, and the draft of the delegated act.',
    confidence: 'high',
  },
  {
    date: '2026-07-14',
    act: `${ACTS.IS26}, amending ${ACTS.IS24}`,
    effect:
      'Rules of the information system for simplified declarations, grouping and the 72 hours for amending. Article 1 point 2(c) applies from 15 October 2026.',
    confidence: 'medium',
  },
  {
    date: '2026-09-10',
    act: 'Council proposal 52026PC0661',
    effect: 'On outermost regions; it would touch the regulation. It is not law.',
    confidence: 'low',
  },
  {
    date: '2026-09-18',
    act: ACTS.DEL26,
    effect:
      'Annex I replaced: hides and leather, belts, tyres other than treads, soya for sowing and most seats are out.',
    confidence: 'high',
  },
  {
    date: '2026-12-30',
    act: `${ACTS.REG}, Art 38(2)`,
    effect:
      'Obligations bind large and medium undertakings, and every undertaking for products of the annex of the old Timber Regulation.',
    confidence: 'high',
  },
  {
    date: '2027-06-30',
    act: `${ACTS.REG}, Art 38(3)`,
    effect:
      'Obligations bind natural persons, micro and small undertakings that were established as such by 31 December 2024, for all other products.',
    confidence: 'high',
  },
  {
    date: '2027-12-30',
    act: ACTS.DEL26,
    effect: '18 codes join Annex I: soluble coffee, frozen tongues and 16 of oil palm.',
    confidence: 'high',
  },
  {
    date: '2029-12-31',
    act: `${ACTS.REG}, Art 37`,
    effect: `Last day on which wood harvested before 29 June 2023 is placed under the old Timber Regulation (${ACTS.EUTR}).`,
    confidence: 'medium',
  },
];

/** What the tables leave open, and what is answered meanwhile. */
export const OPEN_QUESTIONS: readonly { readonly question: string; readonly meanwhile: string }[] = [
  {
    question: 'Does ex 1520 00 (crude glycerol) start on 18 September 2026 or on 30 December 2027?',
    meanwhile: 'Its deferral is printed outside the quoted row. Between the two days the answer is unknown.',
  },
  {
    question: 'How exactly does the annex word its "ex" entries, notes on species and exclusions?',
    meanwhile:
      'They were read through public copies only; of the lists before 18 September 2026 most "ex" marks were not read. A code that is listed with "ex", or whose mark was not read, depends on the goods.',
  },
  {
    question: 'Which Annex I governs goods that are placed around a day on which it changes?',
    meanwhile: 'The list of the day of placing on the market or export is taken; no rule on it was found.',
  },
  {
    question: 'Which tier have territories and disputed areas that the list does not name (GF, RE, HK, TW, XK ...)?',
    meanwhile: 'Not determined; treat them as standard, never as low.',
  },
  {
    question: 'Have the country tiers been changed since 24 September 2026?',
    meanwhile: 'The tables end on that day; a review was announced.',
  },
  {
    question: 'Which codes of Annex I are also in the annex of the old Timber Regulation?',
    meanwhile: 'The list was not read, so for wood it is a question to you (timber_regulation).',
  },
  {
    question: 'What holds for wood harvested before 29 June 2023 that is placed after 31 December 2029?',
    meanwhile: 'The end of the transition was not read; the answer is unknown.',
  },
  {
    question: 'Are the numbers of the paragraphs of Articles 13 and 16, and of Regulation 2024/3084, right?',
    meanwhile: 'They were taken from notes on the consolidated text; look them up before you quote them.',
  },
  {
    question: 'Does your country set other limits for micro and small undertakings?',
    meanwhile:
      'Directive (EU) 2023/2775 lets states raise those of small undertakings to 7.5 and 15 million EUR; the base values are given.',
  },
];
