import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchProfile, BenchResult, BenchRow, PeerRatio } from '../bench/results.ts';

/*
 * Makes the tables of docs/benchmarks.md from what benchmarks last kept in bench/results/, and says which ratios are more than a tenth
 * below those of the commit that the run began from.
 *
 *   node tools/bench-report.ts            writes the page
 *   node tools/bench-report.ts --check    writes nothing; fails when the page is not what the results say, or a ratio got worse
 */
const ROOT = join(import.meta.dirname, '..');
const RESULTS = join(ROOT, 'bench/results');
const PAGE = join(ROOT, 'docs/benchmarks.md');
const BEGIN = '<!-- Tables made by tools/bench-report.ts; change nothing by hand up to the end mark. -->';
const END = '<!-- End of the tables made by tools/bench-report.ts. -->';
/** A ratio below this share of the one before is a bug. */
const WORSE = 0.9;

/** All results that are kept, by name. */
export function readResults(): BenchResult[] {
  return readdirSync(RESULTS)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(RESULTS, name), 'utf8')) as BenchResult);
}

/** The page with its tables made of `results`. @throws when the page has no marks between which they belong. */
export function pageWith(page: string, results: readonly BenchResult[]): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('docs/benchmarks.md has no marks between which the tables belong');
  return `${page.slice(0, begin)}${BEGIN}\n\n${results.map(section).join('\n')}\n${page.slice(end)}`;
}

/** Sentences about ratios that got worse. */
export function worseRatios(results: readonly BenchResult[]): string[] {
  return results.flatMap(({ bench, rows }) =>
    rows.flatMap(({ what, peers = [] }) =>
      peers
        .filter(isWorse)
        .map((peer) => `${bench}: ${what}: ${peer.name}: ${compared(peer)} times, ${peer.was} before`),
    ),
  );
}

function section({ bench, date, machine, node, load, rounds, commit, rows, profiles = [] }: BenchResult): string {
  const columns = COLUMNS.filter(({ has }) => rows.some(has));
  const notes = notesOf(rows);
  const cells = (of: (column: Column) => string): string => `| ${columns.map(of).join(' | ')} |`;
  const runs = rounds === 1 ? 'one run' : `medians of ${rounds} rounds in turn`;
  return `### ${bench}.ts

${date}, commit ${commit}, ${machine}, Node ${node}, load ${load} at the end; ${runs}.

${cells(({ head }) => head)}
${cells(() => '---')}
${rows.map((row) => cells(({ text }) => text(row, notes))).join('\n')}
${notes.lines.length === 0 ? '' : `\n${notes.lines.join('\n')}\n`}${profiles.length === 0 ? '' : `\n${PROFILES}\n${profiles.flatMap(profileLines).join('\n')}\n`}`;
}

/** Long texts stand below the table, once each, so that its figures can be read down a column. */
interface Notes {
  readonly lines: readonly string[];
  /** The mark of a peer, where its column has several. */
  readonly markOf: (peer: PeerRatio) => string;
  readonly numberOf: (limit: string) => number;
}

/** A column is left out where no row has anything in it. */
interface Column {
  readonly head: string;
  readonly has: (row: BenchRow) => boolean;
  readonly text: (row: BenchRow, notes: Notes) => string;
}

const COLUMNS: readonly Column[] = [
  { head: 'What', has: () => true, text: ({ what }) => what },
  {
    head: 'Ours',
    has: () => true,
    text: ({ ours, limit }, { numberOf }) => (limit === undefined ? ours : `${ours} (limit ${numberOf(limit)})`),
  },
  ...[false, true].map((strongest) => ({
    head: `${strongest ? 'Strongest' : 'Usual'} peer / ours`,
    has: (row: BenchRow) => peersOf([row], strongest).length > 0,
    text: (row: BenchRow, { markOf }: Notes) =>
      peersOf([row], strongest)
        .map((peer) => `${ratios(peer)}${markOf(peer)}`)
        .join('; '),
  })),
  { head: 'Goal', has: ({ goal }) => goal !== undefined, text: ({ goal = '' }) => goal },
];

function notesOf(rows: readonly BenchRow[]): Notes {
  const columns = [false, true].map((strongest) => [...new Set(peersOf(rows, strongest).map(({ name }) => name))]);
  const all = columns.flat();
  const limits = [...new Set(rows.flatMap(({ limit }) => limit ?? []))];
  const place = ({ name, strongest = false }: PeerRatio): number =>
    columns[Number(strongest)].indexOf(name) + (strongest ? columns[0].length : 0);
  const letter = (at: number): string => String.fromCharCode(97 + at);
  const hasOne = columns.every((names) => names.length < 2);
  const peers = all.map((name, i) => {
    const kind = i < columns[0].length ? 'usual peer' : 'strongest peer';
    return hasOne ? `- ${kind}: ${name}` : `- ${letter(i)}, ${kind}: ${name}`;
  });
  return {
    lines: [...peers, ...limits.map((limit, i) => `- limit ${i + 1}: ${limit}`)],
    markOf: (peer) => (hasOne ? '' : ` (${letter(place(peer))})`),
    numberOf: (limit) => limits.indexOf(limit) + 1,
  };
}

function peersOf(rows: readonly BenchRow[], isStrongest: boolean): PeerRatio[] {
  return rows.flatMap(({ peers = [] }) => peers.filter(({ strongest = false }) => strongest === isStrongest));
}

const PROFILES = `| Profile | Largest entries | Share of busy time | What it is |
| --- | --- | --- | --- |`;

function profileLines({ what, entries }: BenchProfile): string[] {
  return entries.map(({ name, share, why }, i) => `| ${i === 0 ? what : ''} | \`${name}\` | ${share} % | ${why} |`);
}

/** Of the clock, and of processor time where that was measured. */
function ratios(peer: PeerRatio): string {
  const { times, processor, was } = peer;
  const both = processor === undefined ? `${times}` : `${times} / ${processor}`;
  return isWorse(peer) ? `${both} **worse: ${was} before**` : both;
}

/** Processor time holds on a machine that does other work. */
function compared({ times, processor }: PeerRatio): number {
  return processor ?? times;
}

function isWorse(peer: PeerRatio): boolean {
  return peer.was !== undefined && compared(peer) < WORSE * peer.was;
}

if (import.meta.main) {
  const results = readResults();
  const page = readFileSync(PAGE, 'utf8');
  const wanted = pageWith(page, results);
  const worse = worseRatios(results);
  for (const sentence of worse) console.log(`worse: ${sentence}`);
  if (!process.argv.includes('--check')) {
    writeFileSync(PAGE, wanted);
    console.log(`docs/benchmarks.md: ${results.length} benchmarks, ${worse.length} ratios got worse`);
  } else if (page !== wanted || worse.length > 0) {
    if (page !== wanted)
      console.log('docs/benchmarks.md is not what bench/results/ says: run node tools/bench-report.ts');
    process.exitCode = 1;
  }
}
