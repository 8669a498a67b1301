import { foldName } from './fold-name.ts';
import { FIELDS, SYNONYMS, type Field } from './fields.ts';
import { TELLING, valueVote, type WordSources } from './value-votes.ts';

/** What a column was taken for, and why. */
export interface ColumnFinding {
  readonly column: string;
  /** Null: kept as it is, under `source`. */
  readonly field: Field | null;
  /** 0 to 1, two decimals. */
  readonly confidence: number;
  /** One sentence. */
  readonly why: string;
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
]);
/** Below this a column is not given to a field. */
const LEAST_SCORE = 0.45;
/** A proposal whose values all fit; less than anything the rules find. */
const PROPOSED_SCORE = 0.4;
/** Values by which a column without a telling name is taken for countries. */
const LEAST_COUNTRIES = 5;
/** Values that contradict the name this much outvote it. */
const LEAST_VALUES = 0.3;

/**
 * Finds what each column means: its name and its values vote, the best votes are served first, and no field is given
 * twice. `mapping` wins over every vote; `proposals` of a language model fill what the votes leave open, where the values
 * do not contradict.
 */
export function detectColumns(
  samples: readonly ColumnSample[],
  mapping: ColumnMapping,
  words: WordSources,
  proposals: ReadonlyMap<string, Field> = new Map(),
): ColumnFinding[] {
  const taken = new Map<Field, Candidate>();
  const given = new Map<string, Candidate | 'mapping'>();
  const proposed = new Set<string>();
  const mapped = new Map(Object.entries(mapping).map(([column, field]) => [column, field]));
  for (const [column, field] of mapped) {
    given.set(column, 'mapping');
    if (field !== null) taken.set(field, { column, field, name: 1, values: 1, score: 1 });
  }
  const candidates = samples
    .filter(({ column }) => !mapped.has(column))
    .flatMap((sample) => candidatesOf(sample, words));
  for (const candidate of candidates.toSorted(
    (a, b) => b.score - a.score || FIELDS.indexOf(a.field) - FIELDS.indexOf(b.field),
  )) {
    if (taken.has(candidate.field) || given.has(candidate.column)) continue;
    taken.set(candidate.field, candidate);
    given.set(candidate.column, candidate);
  }
  for (const { column, values } of samples) {
    const field = proposals.get(column);
    if (field === undefined || taken.has(field) || given.has(column)) continue;
    const share = valueVote(field, values, words);
    if (share < LEAST_VALUES) continue;
    const candidate = { column, field, name: 0, values: share, score: PROPOSED_SCORE * share };
    taken.set(field, candidate);
    given.set(column, candidate);
    proposed.add(column);
  }
  return samples.map(({ column, values }) =>
    finding(column, values, given.get(column) ?? null, mapped.get(column) ?? null, proposed.has(column)),
  );
}

function candidatesOf({ column, values }: ColumnSample, words: WordSources): Candidate[] {
  const folded = foldName(column);
  return FIELDS.flatMap((field): Candidate[] => {
    const name = nameVote(field, folded);
    const telling = TELLING[field];
    if (name === 0 && telling === undefined) return [];
    const share = valueVote(field, values, words);
    if (name === 0) {
      const isTelling =
        telling !== undefined && share >= 0.9 && values.length >= (field === 'country' ? LEAST_COUNTRIES : 1);
      return isTelling ? [{ column, field, name, values: share, score: telling * share * 0.8 }] : [];
    }
    if (values.length > 0 && share < LEAST_VALUES) return [];
    const score = values.length === 0 ? name * 0.6 : name * (0.5 + 0.5 * share);
    return score >= LEAST_SCORE ? [{ column, field, name, values: share, score }] : [];
  });
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
      const found = part.length > 2 && !WEAK.has(part) ? ranks.get(part) : undefined;
      if (found !== undefined) best = Math.max(best, 0.7 + 0.2 * (size / words.length) - Math.min(found, 40) * 0.002);
    }
  return best;
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
  const byName = name >= 0.87 ? `The name is one for ${field}` : `The name holds one for ${field}`;
  const why = isProposed
    ? `A language model proposes ${field} from the heading, and ${shown} fit; send mapping to say otherwise.`
    : name === 0
      ? `${shown} are a ${field}.`
      : values.length === 0
        ? `${byName}; it has no values in the first rows.`
        : `${byName} and ${shown} fit.`;
  return { column, field, confidence: Math.round(Math.min(score, 1) * 100) / 100, why };
}
