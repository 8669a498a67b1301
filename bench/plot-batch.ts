/**
 * Batches of made-up plots with their due diligence report in one process: what a plot costs, stage by stage, of few plots, all of which
 * are drawn with pictures, and of many, of which 2,000 are. With a checkout of an older version its code takes turns, and records and
 * report are compared. The database is memory: it takes some 0.02 ms of processor a plot besides.
 * Run: node bench/plot-batch.ts [FOLDER of another checkout] [plots,plots]
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shareSampleDistrict } from '../test/end-to-end/run-service.ts';
import { writeDistrictPlots } from './district-plots.ts';
import type { BatchRun } from './plot-batch-run.ts';
import { explained } from './read-profile.ts';
import { type BenchProfile, type BenchRow, saveResult } from './results.ts';
import { type Cost, median, ROUNDS } from './rounds.ts';

const HERE = join(import.meta.dirname, '..');
const STAGES = ['cut', 'parts', 'join'] as const;
const [before, sizes = '1000,10000'] = process.argv.slice(2);

const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
const rows: BenchRow[] = [];
try {
  await shareSampleDistrict(folder);
  for (const plots of sizes.split(',').map(Number)) rows.push(await compare(plots));
  saveResult('plot-batch', rows, ROUNDS, await profiles());
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** The largest batch twice in a process of its own: warm for half of the time. */
async function profiles(): Promise<BenchProfile[]> {
  const plots = Math.max(...sizes.split(',').map(Number));
  const all: BenchProfile[] = [];
  for (const [when, tree] of Object.entries({ ...(before !== undefined && { before }), now: HERE })) {
    const entries = await explained(async (env) => {
      const child = await start(tree, join(folder, `${plots}-plots.geojson`), env);
      await runIn(child);
      await runIn(child);
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    }, 'all');
    all.push({ what: `batch of ${plots.toLocaleString('en')} plots with its report, all threads, ${when}`, entries });
  }
  return all;
}

async function compare(plots: number): Promise<BenchRow> {
  const file = join(folder, `${plots}-plots.geojson`);
  await writeDistrictPlots(file, plots);
  const trees = before === undefined ? [HERE] : [HERE, before];
  const children = await Promise.all(trees.map((tree) => start(tree, file)));
  const rounds: BatchRun[][] = children.map(() => []);
  for (let round = 0; round <= ROUNDS; round++)
    // Each version is the first in turn.
    for (const i of [...children.keys()].toSorted((a, b) => (round % 2 === 0 ? a - b : b - a))) {
      const run = await runIn(children[i]);
      if (round > 0) rounds[i].push(run);
      console.log(trees[i], JSON.stringify(run));
    }
  for (const child of children) child.disconnect();
  return rowOf(plots, rounds[0], rounds[1]);
}

function rowOf(plots: number, ours: readonly BatchRun[], older: readonly BatchRun[] | undefined): BenchRow {
  const whole = (runs: readonly BatchRun[], key: keyof Cost): number =>
    median(runs.map((run) => STAGES.reduce((sum, stage) => sum + run[stage][key], 0))) / plots;
  const stage = (name: 'texts' | (typeof STAGES)[number]): string =>
    (median(ours.map((run) => run[name].cpuMs)) / plots).toFixed(2);
  const isSame = older?.at(-1)?.digest === ours.at(-1)?.digest;
  return {
    what: `batch of ${plots.toLocaleString('en')} plots with its report in one process, checks, statistics and pictures`,
    ours:
      `${Math.round(1000 / whole(ours, 'ms')).toLocaleString('en')} plots a second, ${whole(ours, 'cpuMs').toFixed(2)} ms of processor each ` +
      `(cutting ${stage('cut')}, parts ${stage('parts')}, joining with the report ${stage('join')}); ` +
      `peak ${Math.max(...ours.map(({ peakMb }) => peakMb)).toFixed(0)} MB`,
    ...(older !== undefined && {
      peers: [
        {
          name: `this service before, ${isSame ? 'the same records and report' : 'other records or another report'}`,
          times: whole(older, 'ms') / whole(ours, 'ms'),
          processor: whole(older, 'cpuMs') / whole(ours, 'cpuMs'),
        },
      ],
    }),
    goal: '1,500 plots a second, 1 ms of processor each',
    limit: `\`JSON.stringify\` of the records alone, ${stage('texts')} ms of processor a plot`,
  };
}

async function start(tree: string, file: string, env: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'plot-batch-run.ts'), [tree, folder, file], {
    env: { ...process.env, ...env },
  });
  await once(child, 'message');
  return child;
}

async function runIn(child: ChildProcess): Promise<BatchRun> {
  const answer = once(child, 'message') as Promise<[BatchRun]>;
  const ended = once(child, 'exit').then(() => {
    throw new Error('the process of the batch ended');
  });
  ended.catch(() => {});
  child.send('run');
  return (await Promise.race([answer, ended]))[0];
}
