import { placeKey } from '../../geo/place-key.ts';
import type { GeocodeAnswer, GeocodePrecision, GeocodeQuery } from '../sources.ts';
import type { Gazetteer, GazetteerEntry } from './gazetteer.ts';
import { AFTER_PLACE, BEFORE_PLACE, COMMON_WORDS, STREET_WORDS } from './place-words.ts';

/** Words that are looked up together at most. */
const MAX_WORDS = 4;
/** Words of an address that are looked at. */
const MAX_TOKENS = 60;

/** A place that the words of a query may mean. */
interface Candidate {
  readonly entry: GazetteerEntry;
  readonly score: number;
  /** The query also names the region it lies in. */
  readonly inNamedRegion: boolean;
  readonly marked: boolean;
}

/**
 * The place that a query most likely means among settlements, districts, regions and countries, offline. Names are looked
 * for in the country that is stated, or that the address ends in; a name counts more where it has more people, where its
 * region is named too, where a word such as "village" stands beside it, and less where it names a street. Without any
 * name the country itself is the answer; null where not even that is known.
 */
export function findPlace(query: GeocodeQuery, gazetteer: Gazetteer): GeocodeAnswer | null {
  const tokens = tokensOf([query.address, query.locality, query.admin1].filter((text) => text !== null).join(', '));
  const country = query.country ?? countryIn(tokens, gazetteer);
  const named = tokens.length > 0 ? tokens : tokensOf(query.name ?? '');
  const runs = runsOf(named, gazetteer).flatMap((run) =>
    run.entries.filter((entry) => country === null || entry.country === country).map((entry) => ({ ...run, entry })),
  );
  const regions = new Set(runs.filter(({ entry }) => entry.kind === 'region').map(({ entry }) => entry.region));
  const localityKey = placeKey(query.locality ?? '');
  const candidates = runs.map((run) => judge(run, regions, localityKey));
  const best = bestOf(candidates.filter(({ score }) => score > 0));
  if (best === null || (country === null && best.entry.people < 100_000))
    return country === null ? null : countryAnswer(country, gazetteer);
  return asAnswer(best, candidates, gazetteer, tokens.length === 0);
}

interface Token {
  readonly text: string;
  readonly key: string;
}

interface Run {
  readonly key: string;
  readonly before: Token | undefined;
  readonly after: Token | undefined;
  readonly entries: readonly GazetteerEntry[];
  readonly words: number;
}

function tokensOf(text: string): Token[] {
  // Numbers, full stops and hyphens stand between names as often as spaces do: `AGRA-282007`, `AREA.WENZHOU`.
  const words = text.match(/[\p{L}\p{M}'’]+|[,;，、]/gu) ?? [];
  return words.slice(-MAX_TOKENS).map((word) => ({ text: word, key: placeKey(word) }));
}

/** Every run of up to four words that is the name of something, never over a comma. */
function runsOf(tokens: readonly Token[], gazetteer: Gazetteer): Run[] {
  const runs: Run[] = [];
  for (let from = 0; from < tokens.length; from++)
    for (let size = 1; size <= MAX_WORDS && from + size <= tokens.length; size++) {
      const words = tokens.slice(from, from + size);
      if (words.some((word) => word.key === '')) break;
      const key = words.map((word) => word.key).join('');
      if (key.length < 3 || key.length > 60 || (size === 1 && COMMON_WORDS.has(key))) continue;
      const entries = gazetteer.named(key);
      if (entries.length > 0)
        runs.push({ key, before: tokens[from - 1], after: tokens[from + size], entries, words: size });
    }
  return runs;
}

function countryIn(tokens: readonly Token[], gazetteer: Gazetteer): string | null {
  for (let end = tokens.length; end > 0; end--)
    for (let size = Math.min(4, end); size > 0; size--) {
      const text = tokens
        .slice(end - size, end)
        .map((token) => token.text)
        .join(' ');
      const code = text.includes(',') || text.length < 4 ? null : gazetteer.countryCode(text);
      if (code !== null) return code;
    }
  return null;
}

const KIND_SCORES = { settlement: 2, district: 1.6, region: 0.6, country: 0 } as const;

function judge(
  { entry, entries, key, before, after, words }: Run & { readonly entry: GazetteerEntry },
  regions: ReadonlySet<string | null>,
  localityKey: string,
): Candidate {
  const inNamedRegion = entry.kind !== 'region' && entry.region !== null && regions.has(entry.region);
  const marked = AFTER_PLACE.has(after?.key ?? '') || BEFORE_PLACE.has(before?.key ?? '');
  const isStreet = STREET_WORDS.has(after?.key ?? '') || STREET_WORDS.has(before?.key ?? '');
  let score: number = KIND_SCORES[entry.kind];
  score +=
    entry.kind === 'settlement' || entry.kind === 'district' ? 0.35 * Math.log10(peopleOf(entry, entries) + 10) : 0;
  if (inNamedRegion) score += 2.5;
  else if (regions.size > 0 && entry.kind !== 'region' && entry.kind !== 'country') score -= 1.5;
  if (marked) score += 1.2;
  if (isStreet) score -= 2.5;
  if (key === localityKey) score += 2;
  if (key.length <= 4) score -= 0.8;
  score += Math.min(words - 1, 2) * 0.5;
  return { entry, score, inNamedRegion, marked };
}

/** A town that nobody counted has at most the people of the district that is named after it. */
function peopleOf(entry: GazetteerEntry, namesakes: readonly GazetteerEntry[]): number {
  if (entry.people > 0) return entry.people;
  const district = namesakes.find(
    ({ kind, country, region }) => kind === 'district' && country === entry.country && region === entry.region,
  );
  return district?.people ?? 0;
}

function bestOf(candidates: readonly Candidate[]): Candidate | null {
  return candidates.reduce<Candidate | null>(
    (best, candidate) => (best === null || candidate.score > best.score ? candidate : best),
    null,
  );
}

const PRECISION = {
  settlement: 'locality',
  district: 'region',
  region: 'region',
  country: 'country',
} as const satisfies Record<GazetteerEntry['kind'], GeocodePrecision>;

function asAnswer(
  { entry, inNamedRegion, marked, score }: Candidate,
  all: readonly Candidate[],
  gazetteer: Gazetteer,
  fromName: boolean,
): GeocodeAnswer {
  const rival = bestOf(
    all.filter((other) => other.entry !== entry && other.entry.kind === entry.kind && apart(other.entry, entry)),
  );
  const lead = rival === null ? 2 : score - rival.score;
  const confidence =
    0.4 +
    Math.min(0.25, Math.max(0, lead) * 0.12) +
    (inNamedRegion ? 0.15 : 0) +
    (marked ? 0.05 : 0) -
    (fromName ? 0.15 : 0);
  const parts = [entry.name, entry.region === entry.name ? null : entry.region, gazetteer.countryName(entry.country)];
  return {
    at: entry.at,
    precision: PRECISION[entry.kind],
    confidence: entry.kind === 'country' ? 0.9 : Math.min(0.9, Math.max(0.1, confidence)),
    name:
      entry.kind === 'country'
        ? gazetteer.countryName(entry.country)
        : parts.filter((part) => part !== null).join(', '),
    country: entry.country,
    admin1: entry.region,
    provider: 'built-in settlements',
  };
}

/** More than about 20 km from each other. */
function apart(a: GazetteerEntry, b: GazetteerEntry): boolean {
  return Math.hypot(a.at[0] - b.at[0], a.at[1] - b.at[1]) > 0.2;
}

function countryAnswer(country: string, gazetteer: Gazetteer): GeocodeAnswer | null {
  const entry = gazetteer.named(placeKey(country)).find(({ kind }) => kind === 'country');
  return entry === undefined
    ? null
    : asAnswer({ entry, score: 0, inNamedRegion: false, marked: false }, [], gazetteer, false);
}
