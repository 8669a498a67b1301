/*
 * How well producers are recognised: the names of a list of palm oil mills, written as suppliers write them, at places up to
 * 1 km off, compared with a token set ratio over the same list in Python (thefuzz), of every record and of those alone that are near
 * enough to be confirmed. Precision counts what is confirmed and right, recall what should be confirmed and is. Needs `python3-thefuzz` and `python3-levenshtein`.
 */
import { producerState } from '../src/facilities/producer-score.ts';
import type { Shape } from '../src/geo/shapes/shape.ts';
import { toShape } from '../src/geo/shapes/to-shape.ts';
import { openLocationFile } from '../src/readers/formats/tables/open-location-file.ts';
import { buildRegistry } from '../src/readers/producers/build-registry.ts';
import { openRegistry } from '../src/readers/producers/open-registry.ts';
import { readRecords } from '../src/readers/producers/read-records.ts';
import type { RegistryRecord } from '../src/readers/producers/registry.ts';
import { MATCH_RULES } from '../src/service/datasets/find-producer.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { startPeer } from './python-peer.ts';
import { saveResult } from './results.ts';
import { type Cost, costOf, Costs, ROUNDS } from './rounds.ts';

const LIST = new URL('../../shared/data/facilities/palm_mills_sample.csv', import.meta.url).pathname;
const random = seededRandom(20_261_121);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)];

interface Query {
  readonly kind: string;
  readonly name: string;
  readonly at: readonly [number, number];
  /** Id of the record that is meant, or null where none is. */
  readonly wanted: string | null;
}

/** What suppliers do to names. */
const CHANGES: Readonly<Record<string, (name: string) => string>> = {
  'as it is': (name) => name,
  'lower case': (name) => name.toLowerCase(),
  'without legal form': (name) =>
    name.replaceAll(/\b(sdn\.? ?bhd\.?|pt\.?|s\.?a\.?s?\.?|ltd\.?|tbk|berhad)\b/gi, ' ').trim(),
  'another legal form': (name) =>
    pick([`PT. ${name}, Tbk`, `${name} Sdn. Bhd.`, `${name} S.A. de C.V.`, `C.V. ${name}`]),
  abbreviated: (name) =>
    name
      .replace(/palm oil mill/i, pick(['POM', 'PKS', 'P.O.M.']))
      .replace(/plantations?/i, 'Pltn')
      .replace(/sungai/i, 'Sg.')
      .replace(/bukit/i, 'Bkt')
      .replace(/industri(es|as?)?/i, 'Ind.'),
  'kind added': (name) => `${name} ${pick(['Palm Oil Mill', 'POM', 'Pabrik Kelapa Sawit', 'Oil Mill'])}`,
  'one slip': (name) => slip(name),
  'two slips': (name) => slip(slip(name)),
  accents: (name) => name.replaceAll(/a/gi, () => pick(['á', 'a', 'à'])).replaceAll(/o/gi, () => pick(['ó', 'o'])),
  'other order': (name) => name.split(' ').toReversed().join(' '),
  'written together': (name) => name.replace(/(\w{4,}) (\w{4,})/, '$1$2'),
};

/** One letter dropped, doubled, swapped with the next or mistyped. */
function slip(name: string): string {
  const at = 1 + Math.floor(random() * Math.max(1, name.length - 2));
  const kind = Math.floor(random() * 4);
  if (kind === 0) return name.slice(0, at) + name.slice(at + 1);
  if (kind === 1) return name.slice(0, at) + name[at] + name.slice(at);
  if (kind === 2) return name.slice(0, at) + (name[at + 1] ?? '') + name[at] + name.slice(at + 2);
  return name.slice(0, at) + pick([...'aeioustnr']) + name.slice(at + 1);
}

function near([lon, lat]: readonly [number, number], metres: number): readonly [number, number] {
  const [angle, distance] = [random() * 2 * Math.PI, random() * metres];
  return [lon + (Math.cos(angle) * distance) / 111_320, lat + (Math.sin(angle) * distance) / 110_574];
}

const WORDS = 'maju gemilang perdana cahaya murni kencana mulia satria wijaya sentosa perkasa rejeki subur megah'.split(
  ' ',
);

/** Every record under every change, a name of another mill elsewhere, and a name made up, all at places of the list. */
function queriesOf(records: readonly RegistryRecord[]): readonly Query[] {
  return records.flatMap((record) => {
    const { id, names, at } = record;
    if (at === null) return [];
    const right = Object.entries(CHANGES).map(([kind, change]): Query => ({
      kind,
      name: change(pick(names)),
      at: near(at, 1_000),
      wanted: id,
    }));
    const other = pick(records.filter((each) => Math.abs((each.at?.[0] ?? 0) - at[0]) > 1));
    const made = `${pick(WORDS)} ${pick(WORDS)} ${pick(['Palm Oil Mill', 'Sawit', 'Plantation Sdn Bhd'])}`;
    return [
      ...right,
      { kind: 'name of a mill elsewhere', name: pick(other.names), at: near(at, 1_000), wanted: null },
      { kind: 'name made up', name: made, at: near(at, 1_000), wanted: null },
    ];
  });
}

interface Tally {
  total: number;
  right: number;
  wrong: number;
}

function tally(
  queries: readonly Query[],
  answers: readonly (string | null)[],
  same: (a: string, b: string) => boolean,
) {
  const kinds = new Map<string, Tally>();
  for (const [i, { kind, wanted }] of queries.entries()) {
    const row = kinds.get(kind) ?? { total: 0, right: 0, wrong: 0 };
    kinds.set(kind, row);
    row.total++;
    const got = answers[i];
    if (got === null) row.right += wanted === null ? 1 : 0;
    else if (wanted !== null && same(got, wanted)) row.right++;
    else row.wrong++;
  }
  return kinds;
}

/** Confirmed and right of all confirmed, and of all that should be. */
function figures(kinds: ReadonlyMap<string, Tally>) {
  const rows = [...kinds].map(([kind, row]) => ({ ...row, isPositive: !/elsewhere|made up/.test(kind) }));
  const positives = rows.filter(({ isPositive }) => isPositive);
  const right = positives.reduce((sum, row) => sum + row.right, 0);
  const wrong = rows.reduce((sum, row) => sum + row.wrong, 0);
  const total = positives.reduce((sum, row) => sum + row.total, 0);
  const negatives = rows.filter(({ isPositive }) => !isPositive);
  const confirmed = negatives.reduce((sum, row) => sum + row.wrong, 0);
  const tested = negatives.reduce((sum, row) => sum + row.total, 0);
  return { precision: right / (right + wrong), recall: right / total, falsely: confirmed / tested };
}

const file = await openLocationFile(LIST);
if (!('tables' in file)) throw new Error(`${LIST} is no table`);
const { records } = await readRecords(file, {}, new AbortController().signal);
const about = { title: 'Mills', version: '1', date: null, licence: '', attribution: '', synthetic: false };
const registry = openRegistry(buildRegistry('mills', records, about), MATCH_RULES);
const queries = queriesOf(records);
/** Neighbouring lines of one company under one name are the same answer. */
const byId = new Map(records.map((record) => [record.id, record]));
const same = (a: string, b: string): boolean =>
  a === b || (byId.get(a)?.names ?? []).some((name) => (byId.get(b)?.names ?? []).includes(name));

const shapes = queries.map(({ at }) => toShape({ type: 'Point', coordinates: at }).shape as Shape);
function ours(): readonly (string | null)[] {
  return queries.map(({ name }, i) => {
    const match = registry.find(name, shapes[i], null);
    return match !== null && producerState(match) === 'confirmed' ? match.recordId : null;
  });
}

const peer = startPeer('producer_names.py');
await peer.send({ records });
const sample = queries.filter((_, i) => i % 4 === 0);
const requests = sample.map(({ name, at }) => [name, at]);
const costs = new Costs();
const answered: Record<'plain' | 'near', (string | null)[]> = { plain: [], near: [] };
let own: readonly (string | null)[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  costs.begin();
  const [cost, found] = await costOf(ours);
  own = found;
  costs.add('ours', perQuery(cost, queries.length));
  for (const way of ['plain', 'near'] as const) {
    const { answers, ...spent } = await peer.send<Cost & { answers: [string | null, number][] }>({
      queries: requests,
      way,
    });
    answered[way] = answers.map(([id]) => id);
    costs.add(way, perQuery(spent, sample.length));
  }
}
peer.stop();
if (answered.plain.some((id, i) => id !== answered.near[i])) throw new Error('the two ways of the peer differ');
const theirs = answered.plain;

const [mine, other] = [tally(queries, own, same), tally(sample, theirs, same)];
console.log(`${records.length} mills, ${queries.length} queries; the peer answers every fourth\n`);
for (const [kind, { total, right }] of mine) {
  const theirRow = other.get(kind);
  const share = (a: number, b: number): string => `${((100 * a) / b).toFixed(1)} %`.padStart(8);
  console.log(
    `${kind.padEnd(26)} right ${share(right, total)}   peer ${share(theirRow?.right ?? 0, theirRow?.total ?? 1)}`,
  );
}
const inWords = ({ precision, recall, falsely }: ReturnType<typeof figures>): string =>
  `recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}, ${(100 * falsely).toFixed(1)} % of absent names confirmed`;
const each = costs.median('ours');
const fuzz = `thefuzz: ${inWords(figures(other))}`;
const row = {
  what: `names of ${records.length} mills, perturbed and moved up to 1 km, ${queries.length.toLocaleString('en')} look-ups`,
  ours: `${inWords(figures(mine))}; ${Math.round(1_000 / each.ms).toLocaleString('en')} a second, ${(each.cpuMs * 1_000).toFixed(0)} µs of processor each`,
  peers: [
    { name: fuzz, ...costs.ratio('plain', 'ours') },
    {
      name: 'the same of the records alone that are near enough to be confirmed, found by numpy',
      strongest: true,
      ...costs.ratio('near', 'ours'),
    },
  ],
};
console.dir(row, { depth: null });
saveResult('producer-names', [row]);

function perQuery({ ms, cpuMs }: Cost, count: number): Cost {
  return { ms: ms / count, cpuMs: cpuMs / count };
}
