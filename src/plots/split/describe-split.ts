import { round } from '../../geo/round.ts';
import type { Said } from '../../messages/said.ts';
import { english, partsOf, said, type Text, type TextPart } from '../../messages/text.ts';
import { NO_DATA, type GroundKind } from './find-kinds.ts';
import type { PlotSplit } from './split-plot.ts';
import { SPLIT_RULES } from './split-rules.ts';

/** What came of a plot, and whether a split is proposed; null: nobody can say. */
export const SPLIT_RESULTS = {
  split: { proposed: true, meaning: 'the plot is clearly two things or more' },
  one_kind: { proposed: false, meaning: 'one kind of ground' },
  small_parts: { proposed: false, meaning: 'one kind of ground, with others too small for a part' },
  partly_unknown: {
    proposed: null,
    meaning: 'one kind of ground where there is data, which is too little of the plot',
  },
  not_drawn: {
    proposed: null,
    meaning: 'two kinds of ground or more, between which no faultless border could be drawn',
  },
  no_polygon: { proposed: null, meaning: 'not a polygon' },
  invalid_geometry: { proposed: null, meaning: 'a geometry that cannot be used' },
  across_antimeridian: { proposed: null, meaning: 'across the antimeridian' },
  too_large: { proposed: null, meaning: 'larger than a plot may be' },
  outside_coverage: { proposed: null, meaning: 'outside all embeddings' },
  no_data: { proposed: null, meaning: 'inside embeddings that have no data there' },
  source_unavailable: { proposed: null, meaning: 'embeddings that could not be read' },
} as const satisfies Readonly<Record<string, { readonly proposed: boolean | null; readonly meaning: string }>>;

export type SplitResult = keyof typeof SPLIT_RESULTS;

/** A kind of ground as clients see it. */
export interface DescribedGround {
  /** `A` for the largest, then `B` and so on. */
  readonly ground: string;
  readonly area_ha: number;
  /** Of the plot, 0 to 1. */
  readonly share: number;
  /** Whether it is large enough for a part of its own. */
  readonly is_part: boolean;
  /** 1 - cosine of its mean embedding to that of the nearest other ground; null where it is the only one. */
  readonly distance: number | null;
  /** Ashman's D to that ground; null where it is the only one, or where neither has any spread. */
  readonly ashman_d: number | null;
  /** Share of its cells nearer to its own mean than to any other; null where it is the only one. */
  readonly own_share: number | null;
  /** Mean probability of trees by the forest gate. */
  readonly tree_probability: number;
}

/** What is said of a plot that was looked at. */
interface DescribedSplit {
  readonly result: SplitResult;
  /** In plain words, with the numbers it rests on. */
  readonly reason: string;
  readonly confidence: Confidence;
  /** What keeps it from `high`, a sentence each. */
  readonly confidenceReasons: readonly string[];
  /** What they say, as codes with parameters. */
  readonly messages: {
    readonly split_reason: readonly TextPart[];
    readonly split_confidence_reasons: readonly (readonly TextPart[])[];
  };
  readonly grounds: readonly DescribedGround[];
}

export type Confidence = 'high' | 'medium' | 'low';

/** Puts what was found of a plot into words and figures. */
export function describeSplit(split: PlotSplit, isSynthetic: boolean): DescribedSplit {
  const result = resultOf(split);
  const reasons = CONFIDENCE_RULES.filter(({ applies }) => applies(split, isSynthetic));
  const text = REASONS[result](split);
  const doubts = reasons.map(({ say }) => say(split));
  return {
    result,
    reason: english(text),
    confidence: reasons.some(({ level }) => level === 'low') ? 'low' : reasons.length > 0 ? 'medium' : 'high',
    confidenceReasons: doubts.map(({ message }) => message),
    messages: { split_reason: partsOf(text), split_confidence_reasons: doubts.map((one) => partsOf([one])) },
    grounds: split.kinds.map((kind, i) => ({
      ground: groundName(i),
      area_ha: round(split.kindHa[i], 4),
      share: round(split.kindHa[i] / split.areaHa, 4),
      is_part: kind.isMajor,
      distance: kind.nearestDistance === null ? null : round(kind.nearestDistance, 3),
      ashman_d: kind.ashmanD === null || kind.ashmanD === Infinity ? null : round(kind.ashmanD, 2),
      own_share: kind.ownShare === null ? null : round(kind.ownShare, 3),
      tree_probability: round(split.treeProbability[i], 2),
    })),
  };
}

/** `A` to `Z`, then `AA`, `AB` and so on; `unknown` for ground without data. */
export function groundName(kind: number): string {
  if (kind === NO_DATA) return 'unknown';
  return (kind >= 26 ? groundName(Math.floor(kind / 26) - 1) : '') + String.fromCharCode(65 + (kind % 26));
}

/** The results that a plot can have once its embeddings were read. */
type MeasuredResult = 'split' | 'one_kind' | 'small_parts' | 'partly_unknown' | 'not_drawn' | 'no_data';

function resultOf({ kinds, parts, areaHa, unknownHa }: PlotSplit): MeasuredResult {
  if (kinds.length === 0) return 'no_data';
  if (parts !== null) return 'split';
  if (kinds.filter(({ isMajor }) => isMajor).length > 1) return 'not_drawn';
  if (unknownHa >= SPLIT_RULES.leastHa && unknownHa >= SPLIT_RULES.leastShare * areaHa) return 'partly_unknown';
  return kinds.length > 1 ? 'small_parts' : 'one_kind';
}

const REASONS: Readonly<Record<MeasuredResult, (split: PlotSplit) => Text>> = {
  split: (split) => [kindsInWords(split), apartInWords(split.kinds), ...unknownInWords(split)],
  not_drawn: (split) => [
    kindsInWords(split),
    apartInWords(split.kinds),
    said('split.no_border', 'No faultless border could be drawn between them.'),
  ],
  one_kind: (split) => [halvesInWords(split), ...unknownInWords(split)],
  small_parts: (split) => [
    said(
      'split.small_parts',
      `One kind of ground, with others that are clearly apart but too small for a part (wanted ${SPLIT_RULES.leastHa} ha and ${percent(SPLIT_RULES.leastShare)} of the plot): ${kindsOf(
        split,
      )
        .map(({ message }) => message)
        .join(', ')}.`,
      { least_ha: SPLIT_RULES.leastHa, least_share: SPLIT_RULES.leastShare, kinds_list: kindsOf(split) },
    ),
    ...unknownInWords(split),
  ],
  partly_unknown: (split) => [
    said(
      'split.partly_unknown',
      `One kind of ground where there is data, but ${ha(split.unknownHa)} (${percent(split.unknownHa / split.areaHa)}) of the plot have none.`,
      unknownOf(split),
    ),
  ],
  no_data: () => [said('split.no_data', 'The embeddings have no data on the plot.')],
};

function kindsInWords(split: PlotSplit): Said {
  const count = split.kinds.filter(({ isMajor }) => isMajor).length;
  const kinds = kindsOf(split);
  const list = kinds.map(({ message }) => message).join(', ');
  return said('split.kinds', `${NUMBERS[count] ?? String(count)} kinds of ground: ${list}.`, {
    count,
    kinds_list: kinds,
  });
}

const NUMBERS: Readonly<Record<number, string>> = { 2: 'Two', 3: 'Three', 4: 'Four', 5: 'Five', 6: 'Six' };

function kindsOf({ kinds, kindHa, areaHa }: PlotSplit): readonly Said[] {
  return kinds.map(({ isMajor }, i) => {
    const [ground, share] = [groundName(i), kindHa[i] / areaHa];
    return said(
      isMajor ? 'split.kind' : 'split.small_kind',
      `${ground} ${ha(kindHa[i])} (${percent(share)}${isMajor ? '' : ', too small for a part'})`,
      { ground, area: hectares(kindHa[i]), part_share: share },
    );
  });
}

function apartInWords(kinds: readonly GroundKind[]): Said {
  const major = kinds.filter(({ isMajor }) => isMajor);
  const distance = Math.min(...major.map(({ nearestDistance }) => nearestDistance ?? 1));
  const ashmanD = Math.min(...major.map((kind) => kind.ashmanD ?? Infinity));
  return said(
    'split.apart',
    `Their mean embeddings are ${measures(distance, ashmanD)}: clearly apart.`,
    measured(distance, ashmanD),
  );
}

function halvesInWords({ halves, pieces }: PlotSplit): Said {
  if (halves === null)
    return pieces > 1
      ? said(
          'split.one_segment_but',
          `One kind of ground: one segment covers it, but for pieces of less than ${SPLIT_RULES.leastHa} ha.`,
          { least_ha: SPLIT_RULES.leastHa },
        )
      : said('split.one_segment', 'One kind of ground: a single segment covers it.');
  const { distance, ashmanD } = halves;
  return said(
    'split.halves',
    `One kind of ground: the mean embeddings of the two halves that differ most are ${measures(distance, ashmanD)}: not clearly apart.`,
    measured(distance, ashmanD),
  );
}

function measures(distance: number, ashmanD: number): string {
  const spread =
    ashmanD === Infinity
      ? 'no spread within either'
      : `Ashman's D ${ashmanD.toFixed(1)} (clear from ${SPLIT_RULES.leastAshmanD})`;
  return `${distance.toFixed(2)} apart (clear from ${SPLIT_RULES.leastDistance}), ${spread}`;
}

/** The same as parameters; where nothing is spread there is no Ashman's D. */
function measured(distance: number, ashmanD: number) {
  return {
    distance_score: distance,
    least_score: SPLIT_RULES.leastDistance,
    spread: ashmanD === Infinity ? 'none' : 'some',
    ashman_d: ashmanD === Infinity ? '' : Number(ashmanD.toFixed(1)),
    least_ashman_d: SPLIT_RULES.leastAshmanD,
  };
}

function unknownInWords(split: PlotSplit): Said[] {
  const { unknownHa, areaHa } = split;
  if (!(unknownHa > 0)) return [];
  return [
    said('split.without_data', `${ha(unknownHa)} (${percent(unknownHa / areaHa)}) have no data.`, unknownOf(split)),
  ];
}

function unknownOf({ unknownHa, areaHa }: PlotSplit) {
  return { area: hectares(unknownHa), part_share: unknownHa / areaHa };
}

/** Hectares as sentences give them. */
function hectares(value: number): number {
  return Number(value.toFixed(value < 0.1 ? 3 : 1));
}

function ha(hectares: number): string {
  return `${hectares < 0.1 ? hectares.toFixed(3) : hectares.toFixed(1)} ha`;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(share < 0.1 ? 1 : 0))} %`;
}

interface ConfidenceRule {
  readonly level: 'medium' | 'low';
  readonly applies: (split: PlotSplit, isSynthetic: boolean) => boolean;
  readonly say: (split: PlotSplit) => Said;
}

/** What takes confidence from an answer, whichever way it went. */
const CONFIDENCE_RULES: readonly ConfidenceRule[] = [
  {
    level: 'low',
    applies: (_, isSynthetic) => isSynthetic,
    say: () => said('split.synthetic', 'The embeddings are generated and describe no real place.'),
  },
  {
    level: 'low',
    applies: ({ unknownHa, areaHa }) => unknownHa > 0.25 * areaHa,
    say: shareWithoutData,
  },
  {
    level: 'medium',
    applies: ({ unknownHa, areaHa }) => unknownHa > 0.05 * areaHa && unknownHa <= 0.25 * areaHa,
    say: shareWithoutData,
  },
  {
    level: 'medium',
    applies: ({ areaHa }) => areaHa < 2,
    say: ({ areaHa }) =>
      said('split.few_cells', `The plot has ${ha(areaHa)}, fewer than 50 cells of 20 m.`, { area: hectares(areaHa) }),
  },
  {
    level: 'medium',
    applies: ({ unproven }) => unproven > 0,
    say: ({ unproven, segments }) =>
      said(
        'split.unproven',
        `${unproven} of ${segments} segments reach so far that a larger window might draw them otherwise.`,
        { unproven, segments },
      ),
  },
  {
    level: 'medium',
    applies: isNearBound,
    say: () => said('split.near_bound', 'The difference is close to what counts as clearly apart.'),
  },
  {
    level: 'medium',
    applies: ({ kinds }) => kinds.some(({ isMajor, ownShare }) => isMajor && ownShare !== null && ownShare < 0.9),
    say: () => said('split.mixed', 'More than one cell in ten of a ground is nearer to the mean of another.'),
  },
];

/** Within a fifth of either bound, on the side that the answer fell on. */
function isNearBound({ kinds, halves }: PlotSplit): boolean {
  const { leastDistance, leastAshmanD } = SPLIT_RULES;
  const major = kinds.filter(({ isMajor }) => isMajor);
  if (major.length > 1)
    return major.some(
      ({ nearestDistance, ashmanD }) =>
        (nearestDistance ?? 1) < 1.2 * leastDistance || (ashmanD ?? Infinity) < 1.2 * leastAshmanD,
    );
  return halves !== null && halves.distance > 0.8 * leastDistance && halves.ashmanD > 0.8 * leastAshmanD;
}

function shareWithoutData({ unknownHa, areaHa }: PlotSplit): Said {
  const share = unknownHa / areaHa;
  return said('split.share_without_data', `${percent(share)} of the plot have no data.`, { part_share: share });
}
