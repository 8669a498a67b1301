import { round } from '../../geo/round.ts';
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
  readonly grounds: readonly DescribedGround[];
}

export type Confidence = 'high' | 'medium' | 'low';

/** Puts what was found of a plot into words and figures. */
export function describeSplit(split: PlotSplit, isSynthetic: boolean): DescribedSplit {
  const result = resultOf(split);
  const reasons = CONFIDENCE_RULES.filter(({ applies }) => applies(split, isSynthetic));
  return {
    result,
    reason: REASONS[result](split),
    confidence: reasons.some(({ level }) => level === 'low') ? 'low' : reasons.length > 0 ? 'medium' : 'high',
    confidenceReasons: reasons.map(({ say }) => say(split)),
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

const REASONS: Readonly<Record<MeasuredResult, (split: PlotSplit) => string>> = {
  split: (split) => `${kindsInWords(split)} ${apartInWords(split.kinds)}${unknownInWords(split)}`,
  not_drawn: (split) =>
    `${kindsInWords(split)} ${apartInWords(split.kinds)} No faultless border could be drawn between them.`,
  one_kind: (split) => `One kind of ground: ${halvesInWords(split)}${unknownInWords(split)}`,
  small_parts: (split) =>
    `One kind of ground, with others that are clearly apart but too small for a part (wanted ${SPLIT_RULES.leastHa} ha and ${percent(SPLIT_RULES.leastShare)} of the plot): ${listKinds(split)}.${unknownInWords(split)}`,
  partly_unknown: (split) =>
    `One kind of ground where there is data, but ${ha(split.unknownHa)} (${percent(split.unknownHa / split.areaHa)}) of the plot have none.`,
  no_data: () => 'The embeddings have no data on the plot.',
};

function kindsInWords(split: PlotSplit): string {
  const count = split.kinds.filter(({ isMajor }) => isMajor).length;
  return `${NUMBERS[count] ?? String(count)} kinds of ground: ${listKinds(split)}.`;
}

const NUMBERS: Readonly<Record<number, string>> = { 2: 'Two', 3: 'Three', 4: 'Four', 5: 'Five', 6: 'Six' };

function listKinds({ kinds, kindHa, areaHa }: PlotSplit): string {
  return kinds
    .map(
      ({ isMajor }, i) =>
        `${groundName(i)} ${ha(kindHa[i])} (${percent(kindHa[i] / areaHa)}${isMajor ? '' : ', too small for a part'})`,
    )
    .join(', ');
}

function apartInWords(kinds: readonly GroundKind[]): string {
  const major = kinds.filter(({ isMajor }) => isMajor);
  const distance = Math.min(...major.map(({ nearestDistance }) => nearestDistance ?? 1));
  const ashmanD = Math.min(...major.map((kind) => kind.ashmanD ?? Infinity));
  return `Their mean embeddings are ${measures(distance, ashmanD)}: clearly apart.`;
}

function halvesInWords({ halves, pieces }: PlotSplit): string {
  if (halves === null)
    return pieces > 1
      ? `one segment covers it, but for pieces of less than ${SPLIT_RULES.leastHa} ha.`
      : 'a single segment covers it.';
  return `the mean embeddings of the two halves that differ most are ${measures(halves.distance, halves.ashmanD)}: not clearly apart.`;
}

function measures(distance: number, ashmanD: number): string {
  const spread =
    ashmanD === Infinity
      ? 'no spread within either'
      : `Ashman's D ${ashmanD.toFixed(1)} (clear from ${SPLIT_RULES.leastAshmanD})`;
  return `${distance.toFixed(2)} apart (clear from ${SPLIT_RULES.leastDistance}), ${spread}`;
}

function unknownInWords({ unknownHa, areaHa }: PlotSplit): string {
  return unknownHa > 0 ? ` ${ha(unknownHa)} (${percent(unknownHa / areaHa)}) have no data.` : '';
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
  readonly say: (split: PlotSplit) => string;
}

/** What takes confidence from an answer, whichever way it went. */
const CONFIDENCE_RULES: readonly ConfidenceRule[] = [
  {
    level: 'low',
    applies: (_, isSynthetic) => isSynthetic,
    say: () => 'The embeddings are generated and describe no real place.',
  },
  {
    level: 'low',
    applies: ({ unknownHa, areaHa }) => unknownHa > 0.25 * areaHa,
    say: ({ unknownHa, areaHa }) => `${percent(unknownHa / areaHa)} of the plot have no data.`,
  },
  {
    level: 'medium',
    applies: ({ unknownHa, areaHa }) => unknownHa > 0.05 * areaHa && unknownHa <= 0.25 * areaHa,
    say: ({ unknownHa, areaHa }) => `${percent(unknownHa / areaHa)} of the plot have no data.`,
  },
  {
    level: 'medium',
    applies: ({ areaHa }) => areaHa < 2,
    say: ({ areaHa }) => `The plot has ${ha(areaHa)}, fewer than 50 cells of 20 m.`,
  },
  {
    level: 'medium',
    applies: ({ unproven }) => unproven > 0,
    say: ({ unproven, segments }) =>
      `${unproven} of ${segments} segments reach so far that a larger window might draw them otherwise.`,
  },
  {
    level: 'medium',
    applies: isNearBound,
    say: () => 'The difference is close to what counts as clearly apart.',
  },
  {
    level: 'medium',
    applies: ({ kinds }) => kinds.some(({ isMajor, ownShare }) => isMajor && ownShare !== null && ownShare < 0.9),
    say: () => 'More than one cell in ten of a ground is nearer to the mean of another.',
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
