import type { GazetteerEntry, PartField } from './address-parts.ts';
import type { Mention } from './place-mentions.ts';

/** A place that the words of a query may mean. */
export interface Candidate {
  readonly entry: GazetteerEntry;
  readonly mention: Mention;
  readonly score: number;
  /** The query also names the region it lies in. */
  readonly inNamedRegion: boolean;
}

/** Score of a kind before anything else is known. */
const KIND_SCORES = { settlement: 2, district: 1.6, region: 0.6, country: 0 } as const;
/** What speaks for and against a candidate. */
const WEIGHTS = {
  /** For each factor of ten in people, of settlements and districts. */
  people: 0.35,
  inNamedRegion: 2.5,
  /** Another region is named than the one it lies in; the second where a column says so. */
  outsideNamedRegion: -1.5,
  outsideStatedRegion: -3,
  inNamedDistrict: 1.2,
  marked: 1.2,
  asDistrict: 0.8,
  street: -2.5,
  whole: 0.8,
  locality: 2,
  /** A settlement of up to four letters among other words. */
  short: -0.8,
  similar: -0.6,
  hint: 1.5,
  moreWords: 0.5,
} as const;

/** Every place that a mention may mean, with what speaks for and against it. */
export function scoreCandidates(mentions: readonly Mention[], hint: string | null): Candidate[] {
  const divisions = mentions.flatMap((mention) =>
    mention.entries.filter(({ kind }) => kind !== 'settlement').map((entry) => ({ entry, mention })),
  );
  const regions = divisions.filter(({ entry }) => entry.kind === 'region' && entry.region !== null);
  const regionIs = (entry: GazetteerEntry, mention: Mention): boolean =>
    regions.some(
      (other) =>
        other.entry.country === entry.country &&
        other.entry.region === entry.region &&
        other.mention.from !== mention.from &&
        (other.mention.spelling !== 'letters' || other.mention.field === 'admin1' || follows(other.mention, mention)),
    );
  const districtIs = (entry: GazetteerEntry, mention: Mention): boolean =>
    entry.district > 0 &&
    divisions.some((other) => other.entry.district === entry.district && other.mention.from !== mention.from);
  const isStated = regions.some(({ mention }) => mention.field === 'admin1' && mention.whole);
  const isNamed = regions.some(({ mention }) => mention.spelling !== 'letters');
  return mentions.flatMap((mention) =>
    mention.entries.map((entry): Candidate => {
      const isRegion = entry.kind === 'region';
      const inNamedRegion = !isRegion && regionIs(entry, mention);
      let score: number = KIND_SCORES[entry.kind];
      if (!isRegion) score += WEIGHTS.people * Math.log10(peopleOf(entry, mention.entries) + 10);
      if (inNamedRegion) score += WEIGHTS.inNamedRegion;
      else if (!isRegion && isStated) score += WEIGHTS.outsideStatedRegion;
      else if (!isRegion && isNamed) score += WEIGHTS.outsideNamedRegion;
      if (entry.kind === 'settlement' && districtIs(entry, mention)) score += WEIGHTS.inNamedDistrict;
      if (mention.marked) score += WEIGHTS.marked;
      if (mention.asDistrict && entry.kind === 'district') score += WEIGHTS.asDistrict;
      if (mention.street) score += WEIGHTS.street;
      if (mention.whole) score += FIELD_WEIGHTS[mention.field];
      else if (entry.kind === 'settlement' && mention.key.length <= 4) score += WEIGHTS.short;
      if (mention.spelling === 'similar') score += WEIGHTS.similar;
      if (entry.country === hint) score += WEIGHTS.hint;
      score += Math.min(mention.words - 1, 2) * WEIGHTS.moreWords;
      return { entry, mention, score, inNamedRegion };
    }),
  );
}

/** What it counts for that a part is a name and nothing else, by the column it comes from. */
const FIELD_WEIGHTS: Readonly<Record<PartField, number>> = {
  address: WEIGHTS.whole,
  locality: WEIGHTS.whole + WEIGHTS.locality,
  admin1: WEIGHTS.whole,
  name: 0,
};

/** Letters that stand right after a name: `Dallas TX`, `Dallas, TX`. */
function follows(letters: Mention, name: Mention): boolean {
  return letters.from === name.to;
}

/** A town that nobody counted has at most the people of the district that is named after it. */
function peopleOf(entry: GazetteerEntry, namesakes: readonly GazetteerEntry[]): number {
  if (entry.people > 0) return entry.people;
  const district = namesakes.find(
    ({ kind, country, region }) => kind === 'district' && country === entry.country && region === entry.region,
  );
  return district?.people ?? 0;
}

/** The first of those with the highest score; null of none. */
export function bestOf(candidates: readonly Candidate[]): Candidate | null {
  return candidates.reduce<Candidate | null>(
    (best, candidate) => (best === null || candidate.score > best.score ? candidate : best),
    null,
  );
}
