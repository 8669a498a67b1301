import { foldName, isNumbered, isUnspaced } from './header.ts';
import { FIELDS, OFFICIAL_HEADINGS, SYNONYMS, TRAIT_WORDS, type Field } from './fields.ts';
import { TRAIT_HEADINGS, WEAK_WORDS } from './headings-by-language.ts';
import { DESCRIPTIVE, valueVote, type WordSources } from './value-votes.ts';
import { parseCoordinate } from '../values/parse-coordinate.ts';
import { round } from '../../geo/round.ts';

/** What a column was taken for, and why. */
export interface ColumnFinding {
  readonly column: string;
  /** Null: kept as it is, under `source`. */
  readonly field: Field | null;
  /** 0 to 1, two decimals. */
  readonly confidence: number;
  /** In words. */
  readonly why: string;
  /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
  readonly order?: number;
}

/** The caller's own mapping: their column to our field, or to null to leave it alone. */
export type ColumnMapping = Readonly<Record<string, Field | null>>;

export interface ColumnSample {
  readonly column: string;
  /** Values of the first rows that have one. */
  readonly values: readonly unknown[];
}

interface Candidate {
  readonly column: string;
  readonly field: Field;
  readonly name: number;
  readonly values: number;
  readonly score: number;
  /** A heading of the EU's own format. */
  readonly official?: true;
}

const SYNONYM_RANKS: Readonly<Record<Field, ReadonlyMap<string, number>>> = Object.fromEntries(
  FIELDS.map((field) => [field, new Map(SYNONYMS[field].map((name, rank) => [foldName(name), rank]))]),
) as unknown as Record<Field, ReadonlyMap<string, number>>;
/** Words that stand in headings of every kind: they count as a whole heading alone. */
const WEAK = new Set([
  'location',
  'type',
  'code',
  'name',
  'size',
  'region',
  'zone',
  'product',
  'site',
  'material',
  'street',
  'reference',
  'title',
  'state',
  'iso',
  'tipo',
  'codigo',
  'kode',
  'nama',
  'nombre',
  'gps',
  'size',
  'culture',
  'surface',
  'loai',
  'north',
  'east',
  ...WEAK_WORDS.map(foldName),
]);
const TRAITS: ReadonlySet<string> = new Set([...TRAIT_WORDS, ...TRAIT_HEADINGS.map(foldName)]);
/** Two columns of coordinates without headings: their order is taken for the usual one. */
const PAIR_SCORE = 0.5;
/** Below this a column is not given to a field. */
const LEAST_SCORE = 0.45;
/** A proposal whose values all fit; less than anything the rules find. */
const PROPOSED_SCORE = 0.4;
/** Values by which a column without a descriptive name is taken for countries. */
const LEAST_COUNTRIES = 5;
/** Values that contradict the name this much outvote it. */
const LEAST_VALUES = 0.3;
/** From here on a heading is one of the field's names as a whole. */
const WHOLE = 0.87;
/** Fields whose heading must not name a trait of the thing, and must be a name as a whole before numbers count as values. */
const NAMES: ReadonlySet<Field> = new Set<Field>(['supplier_name', 'name', 'production_place']);
/** Fields of which one column never completes another: an id of another kind, half of another grid. */
const ONE_COLUMN: ReadonlySet<Field> = new Set<Field>([
  'location_id',
  'easting',
  'northing',
  'utm_zone',
  'hemisphere',
  'epsg',
]);

/**
 * Finds what each column means: its name and its values vote and the best votes are served first. `mapping` wins over every vote,
 * the official EUDR names over the rest; further columns whose whole heading means the same field complete it row by row;
 * `proposals` of a language model fill what the votes leave open, where the values do not contradict.
 */
export function detectColumns(
  samples: readonly ColumnSample[],
  mapping: ColumnMapping,
  words: WordSources,
  proposals: ReadonlyMap<string, Field> = new Map(),
): ColumnFinding[] {
  const taken = new Map<Field, Candidate>();
  /** The columns of each field in the order in which they are read. */
  const order = new Map<Field, string[]>();
  const give = (candidate: Candidate): void => {
    const { field, column } = candidate;
    if (!taken.has(field)) taken.set(field, candidate);
    given.set(column, candidate);
    order.set(field, [...(order.get(field) ?? []), column]);
  };
  const given = new Map<string, Candidate | 'mapping'>();
  const proposed = new Set<string>();
  const mapped = new Map(Object.entries(mapping).map(([column, field]) => [column, field]));
  const closed = new Set<Field>();
  for (const [column, field] of mapped) {
    given.set(column, 'mapping');
    if (field === null) continue;
    closed.add(field);
    if (!taken.has(field)) taken.set(field, { column, field, name: 1, values: 1, score: 1 });
    order.set(field, [...(order.get(field) ?? []), column]);
  }
  const free = samples.filter(({ column }) => !mapped.has(column));
  for (const candidate of officialOf(free, words)) if (!closed.has(candidate.field)) give(candidate);
  const candidates = free
    .flatMap((sample) => candidatesOf(sample, words))
    .toSorted((a, b) => b.score - a.score || FIELDS.indexOf(a.field) - FIELDS.indexOf(b.field));
  for (const candidate of candidates) if (!taken.has(candidate.field) && !given.has(candidate.column)) give(candidate);
  for (const candidate of candidates) {
    const { field, column, name } = candidate;
    const completes = name >= WHOLE && !ONE_COLUMN.has(field) && (taken.get(field)?.name ?? 0) >= WHOLE;
    if (completes && !closed.has(field) && !given.has(column)) give(candidate);
  }
  if (!POSITION_FIELDS.some((field) => taken.has(field))) for (const axis of numberedPair(free)) give(axis);
  for (const { column, values } of samples) {
    const field = proposals.get(column);
    if (field === undefined || taken.has(field) || given.has(column)) continue;
    const share = valueVote(field, values, words);
    if (share < LEAST_VALUES) continue;
    give({ column, field, name: 0, values: share, score: PROPOSED_SCORE * share });
    proposed.add(column);
  }
  return samples.map(({ column, values }) => {
    const found = finding(column, values, given.get(column) ?? null, mapped.get(column) ?? null, proposed.has(column));
    return found.field === null ? found : ordered(found, order.get(found.field) ?? []);
  });
}

/** Fields that say where a row is, of which one is enough. */
const POSITION_FIELDS = ['geometry', 'coordinates', 'latitude', 'longitude', 'easting', 'northing'] as const;

/**
 * The first two neighbours without headings that hold degrees with decimals alone, latitude first; where the values say that it is
 * the other way round, the plan of the table finds that out.
 */
function numberedPair(samples: readonly ColumnSample[]): Candidate[] {
  const holdsDegrees = ({ column, values }: ColumnSample): boolean =>
    isNumbered(column) &&
    values.length > 0 &&
    values.every((value) => {
      const parsed = parseCoordinate(value);
      return parsed !== null && Math.abs(parsed.value) <= 180 && parsed.decimals >= 2;
    });
  const first = samples.findIndex(
    (sample, i) => holdsDegrees(sample) && i + 1 < samples.length && holdsDegrees(samples[i + 1]),
  );
  if (first < 0) return [];
  return (['latitude', 'longitude'] as const).map((field, i) => ({
    column: samples[first + i].column,
    field,
    name: 0,
    values: 1,
    score: PAIR_SCORE,
  }));
}

/** Several columns of one field: the order in which a row is read, said in words. */
function ordered(found: ColumnFinding, columns: readonly string[]): ColumnFinding {
  if (columns.length < 2) return found;
  const at = columns.indexOf(found.column);
  const others = (at === 0 ? columns.slice(1) : columns.slice(0, at)).map((name) => JSON.stringify(name.slice(0, 60)));
  const why =
    at === 0
      ? `Rows that leave it empty take ${listed(others, 'then')}.`
      : `Read where ${listed(others, 'and')} ${others.length === 1 ? 'is' : 'are'} empty.`;
  return { ...found, why: `${found.why} ${why}`, order: at + 1 };
}

function listed(names: readonly string[], last: string): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}

/** The columns that are spelt as the EU's own format spells them. */
function officialOf(samples: readonly ColumnSample[], words: WordSources): Candidate[] {
  const isCutOff = samples.some(({ column }) => /^producer(na|co)$/i.test(column.trim()));
  return samples.flatMap(({ column, values }): Candidate[] => {
    const heading = column.trim();
    const known = OFFICIAL_HEADINGS.find(([pattern]) => pattern.test(heading))?.[1];
    const field = known ?? (isCutOff && /^production$/i.test(heading) ? 'production_place' : undefined);
    if (field === undefined) return [];
    const share = valueVote(field, values, words);
    // "Area" is also the heading of regions by name; the official one is a number.
    if (field === 'area' && values.length > 0 && share === 0) return [];
    return [{ column, field, name: 1, values: share, score: 1, official: true }];
  });
}

function candidatesOf({ column, values }: ColumnSample, words: WordSources): Candidate[] {
  const folded = foldName(column);
  const isWhole = FIELDS.some((field) => SYNONYM_RANKS[field].has(folded));
  return FIELDS.flatMap((field): Candidate[] => {
    const vote = nameVote(field, folded);
    // A heading that is a name of one field as a whole is none of another by one of its words.
    const name = isWhole && vote < WHOLE ? 0 : vote;
    const weight = DESCRIPTIVE[field];
    if (name === 0 && weight === undefined) return [];
    const share = valueVote(field, values, words);
    if (name === 0) {
      const isDescriptive =
        weight !== undefined && share >= 0.9 && values.length >= (field === 'country' ? LEAST_COUNTRIES : 1);
      return isDescriptive ? [{ column, field, name, values: share, score: weight * share * 0.8 }] : [];
    }
    if (values.length > 0 && share < LEAST_VALUES) {
      // A column that can mean nothing else keeps its field: its values are wrong, not absent.
      return isUnmistakable(field, folded) ? [{ column, field, name, values: share, score: LEAST_SCORE }] : [];
    }
    if (name < WHOLE && NAMES.has(field) && !mayBeName(folded, values)) return [];
    const score = values.length === 0 ? name * 0.6 : name * (0.5 + 0.5 * share);
    return score >= LEAST_SCORE ? [{ column, field, name, values: share, score }] : [];
  });
}

/** Headings that mean one axis, alone or by a word in full; `x` and `long` may mean other things. */
const AXIS_WORDS = {
  latitude:
    /^(gps )?lat$|\b(latitude|latitud|lintang|vi do|latitudine|breitengrad|breedtegraad)\b|ละติจูด|[緯纬]度|خط عرض|داير?ه عرض/,
  longitude:
    /^(gps )?(lon|lng)$|\b(longitude|longitud|bujur|kinh do|longitudine|lan?gengrad|laengengrad|lengtegraad)\b|ลองจิจูด|[経经經]度|خط طول/,
} as const;

function isUnmistakable(field: Field, folded: string): boolean {
  if (field !== 'latitude' && field !== 'longitude') return false;
  const other = field === 'latitude' ? 'longitude' : 'latitude';
  return AXIS_WORDS[field].test(folded) && !AXIS_WORDS[other].test(folded);
}

/** Whether a heading with the name of a person or place among its words can head such names: "farmer phone" and numbers cannot. */
function mayBeName(folded: string, values: readonly unknown[]): boolean {
  if (folded.split(' ').some((word) => TRAITS.has(word))) return false;
  const inWords = values.filter((value) => /\p{L}{2}/u.test(String(value))).length;
  return values.length === 0 || inWords / values.length >= LEAST_VALUES;
}

/** 1 for the best name of a field, a little less for the later ones, less again where it is only part of the heading. */
function nameVote(field: Field, folded: string): number {
  const ranks = SYNONYM_RANKS[field];
  const rank = ranks.get(folded);
  if (rank !== undefined) return 1 - Math.min(rank, 40) * 0.003;
  const words = folded.split(' ');
  let best = 0;
  for (let size = Math.min(4, words.length); size > 0; size--)
    for (let from = 0; from + size <= words.length; from++) {
      const part = words.slice(from, from + size).join(' ');
      const found = (part.length > 2 || isUnspaced(part)) && !WEAK.has(part) ? ranks.get(part) : undefined;
      if (found !== undefined) best = Math.max(best, 0.7 + 0.2 * (size / words.length) - Math.min(found, 40) * 0.002);
    }
  for (const word of words) if (isUnspaced(word)) best = Math.max(best, endVote(ranks, word) / words.length);
  return best;
}

/** The vote of the longest name that a word without spaces ends with: `种植户地址` is an address, `农户电话` nothing. */
function endVote(ranks: ReadonlyMap<string, number>, word: string): number {
  for (let from = 1; from <= word.length - 2; from++) {
    const end = word.slice(from);
    const rank = WEAK.has(end) ? undefined : ranks.get(end);
    if (rank !== undefined) return 0.7 + 0.2 * (end.length / word.length) - Math.min(rank, 40) * 0.002;
  }
  return 0;
}

function finding(
  column: string,
  values: readonly unknown[],
  given: Candidate | 'mapping' | null,
  mapped: Field | null,
  isProposed: boolean,
): ColumnFinding {
  if (given === 'mapping') return { column, field: mapped, confidence: 1, why: 'The mapping says so.' };
  if (given === null)
    return {
      column,
      field: null,
      confidence: 0,
      why:
        values.length === 0 ? 'The column is empty in the first rows.' : 'Neither its name nor its values fit a field.',
    };
  const { field, name, values: share, score } = given;
  const shown = `${Math.round(share * 100)} % of the first ${values.length} values`;
  const byName = given.official
    ? `The name is the official EUDR name of ${field}`
    : name >= WHOLE
      ? `The name is one for ${field}`
      : `The name holds one for ${field}`;
  const why = isProposed
    ? `A language model proposes ${field} from the heading, and ${shown} fit; send mapping to say otherwise.`
    : name === 0
      ? field === 'latitude' || field === 'longitude'
        ? `No heading names it; ${shown} are coordinates next to those of the other axis, and the first of the two was taken for the latitude.`
        : `${shown} are a ${field}.`
      : values.length === 0
        ? `${byName}; it has no values in the first rows.`
        : `${byName} and ${shown} fit.`;
  return { column, field, confidence: round(Math.min(score, 1), 2), why };
}
