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
  return `### ${bench}.ts

${date}, commit ${commit}, ${machine}, Node ${node}, load ${load} at the end; medians of ${rounds} rounds in turn.

| What | Ours | Usual peer takes | Strongest peer takes | Goal |
| --- | --- | --- | --- | --- |
${rows.map(line).join('\n')}
${profiles.length === 0 ? '' : `\n${PROFILES}\n${profiles.flatMap(profileLines).join('\n')}\n`}`;
}

const PROFILES = `| Profile | Largest entries | Share of busy time | What it is |
| --- | --- | --- | --- |`;

function profileLines({ what, entries }: BenchProfile): string[] {
  return entries.map(({ name, share, why }, i) => `| ${i === 0 ? what : ''} | \`${name}\` | ${share} % | ${why} |`);
}

function line({ what, ours, peers = [], goal = '', limit }: BenchRow): string {
  const usual = peers.filter(({ strongest }) => strongest !== true).map(cell);
  const strongest = peers.filter((peer) => peer.strongest).map(cell);
  const own = limit === undefined ? ours : `${ours}. Limit: ${limit}`;
  return `| ${what} | ${own} | ${usual.join('; ')} | ${strongest.join('; ')} | ${goal} |`;
}

function cell(peer: PeerRatio): string {
  const { name, times, processor, was } = peer;
  const cost = processor === undefined ? `${times} times` : `${times} times, ${processor} times the processor time`;
  return `${cost} (${name})${isWorse(peer) ? ` **worse: ${was} before**` : ''}`;
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
