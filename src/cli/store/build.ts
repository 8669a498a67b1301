import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bucketPlace } from '../../config/bucket-place.ts';
import type { Config } from '../../config/settings.ts';
import { buildStore } from '../../service/labels/build.ts';
import { openBuildSource } from '../../service/labels/embeddings.ts';
import { type PlannedTile, planStore, type StorePart, type StorePlan } from '../../service/labels/plan.ts';
import { openStoreBucket } from '../../service/labels/store-bucket.ts';
import { storesFolder } from '../../service/labels/label-store.ts';
import { commandLog } from '../parts/command-log.ts';
import { UsageError, type Command, type CommandContext } from '../command.ts';
import { createProgressBar } from '../parts/progress-bar.ts';
import { readBbox } from '../parts/read-places.ts';
import { embeddingsNamed } from './store-arguments.ts';
import { packageVersion } from '../../config/package-version.ts';

/** Pixels a second a worker labels, and bytes of codes a pixel has: for the estimate alone. */
const ESTIMATE = { pixelsPerSecond: 4e6, bytesPerPixel: 64, withSurroundings: 1.35 } as const;
const MOST_WORKERS = 64;
const FIRST_YEAR = 2017;

export const storeBuild: Command = {
  args: [],
  options: {
    dataset: { type: 'string', short: 'd', value: 'ID', doc: 'Embeddings of the catalogue to label.' },
    bbox: { type: 'string', value: 'W,S,E,N', doc: 'What to label, in degrees.' },
    tile: { type: 'string', value: 'NAME', doc: 'One tile by its name, such as EPSG_32616/2024/65.5.' },
    all: { type: 'boolean', doc: 'All that the dataset holds; needed only where that is the world.' },
    year: { type: 'string', value: 'YEAR', doc: 'Year of the embeddings; default: the newest.' },
    out: { type: 'string', short: 'o', value: 'FOLDER', doc: 'Folder of the store; default: stores/ID in DATA_DIR.' },
    bucket: {
      type: 'string',
      value: 'PREFIX',
      doc: 'Write the store into the bucket of OBJECT_STORE_URL, under this prefix, tile by tile. --out is then a folder for the work, emptied at the start.',
    },
    workers: {
      type: 'string',
      short: 'w',
      value: 'N',
      doc: 'Tiles at the same time in this process; default TASK_CONCURRENCY. 0 leaves them to other workers.',
    },
    part: {
      type: 'string',
      value: 'I/N',
      doc: 'Only part I of N, from 0, without a database: one task of an array job. `auto/N` takes I from JOB_COMPLETION_INDEX (Kubernetes) or SLURM_ARRAY_TASK_ID (SLURM); `auto` takes N from SLURM too.',
    },
    shard: {
      type: 'string',
      value: 'CELLS',
      doc: 'Cells a side of a tile, a multiple of 128; default 4096. Smaller ones divide a small region among more workers.',
    },
    force: { type: 'boolean', doc: 'Label again what has been built.' },
    'dry-run': { type: 'boolean', doc: 'Say what would be built, and stop.' },
    quiet: { type: 'boolean', short: 'q', doc: 'No progress and no summary; faults are still reported.' },
  },
  examples: [
    'npx firstmile store build --dataset aef --bbox 8.1,47.2,8.6,47.6 --dry-run',
    'npx firstmile store build --dataset my-embeddings',
    'npx firstmile store build --dataset aef --bbox=-64,-10,-60,-6 --out /shared/labels --part 2/16',
    'npx firstmile store build --dataset aef --bbox=-64,-10,-60,-6 --bucket labels/aef --part auto/16',
    'DATABASE_URL=postgres://db.internal/firstmile npx firstmile store build -d aef --bbox=-64,-10,-60,-6 -o /shared/labels',
  ],
  async run(context) {
    const { config, err, signal, options } = context;
    const dataset = await embeddingsNamed(options['dataset'], config);
    const box = options['bbox'] === undefined ? null : readBbox(options['bbox'], 'build');
    const tile = (options['tile'] as string | undefined) ?? null;
    if (box !== null && tile !== null) throw new UsageError('wanted one of --bbox and --tile, got both');
    if (box === null && tile === null && dataset.kind !== 'cog' && options['all'] !== true)
      throw new UsageError(`${dataset.id} covers the world: wanted --bbox, --tile or --all`);
    const part = partOf(context);
    const bucketed = bucketOf(context);
    const workers = workersOf(context, part !== null || bucketed !== null);
    const folder = await folderOf(context, dataset.id, part, bucketed !== null);
    await using bucket = bucketed === null ? null : openStoreBucket(bucketed, folder, signal);
    await bucket?.pull();
    const force = options['force'] === true;
    const request = { folder, box, tile, year: yearOf(options['year']), force, part, sizes: sizesOf(options['shard']) };
    const source = await openBuildSource(dataset, config);
    const plan = await planStore(source, request, signal).finally(() => source.close());
    if (options['quiet'] !== true) err.write(describePlan(plan, bucket?.place ?? folder, Math.max(1, workers)));
    // A part whose tiles are all there still brings the document up to date: a part that was killed could not.
    if (options['dry-run'] === true || (plan.tiles.length === 0 && (part === null || plan.built === 0))) return 0;
    const reporter = createReporter(context, plan.tiles.length);
    const log = commandLog({ ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }, err);
    const createdBy = `firstmile ${packageVersion()}`;
    const result = await buildStore({
      config,
      dataset,
      folder,
      bucket,
      plan,
      force,
      shared: config.databaseUrl !== null && part === null && bucket === null,
      workers,
      createdBy,
      log,
      signal,
      ...reporter,
    });
    reporter.finish();
    const left = plan.tiles.length - result.built - result.failed;
    if (plan.tiles.length > 0 && (options['quiet'] !== true || result.failed > 0))
      err.write(`${result.built} tiles built, ${result.failed} failed, ${left} left: ${bucket?.place ?? folder}\n`);
    if (left > 0) err.write('Stopped. The same command goes on where it was.\n');
    return left > 0 ? 130 : result.failed > 0 ? 1 : 0;
  },
};

function yearOf(text: unknown): number | null {
  if (text === undefined) return null;
  const year = Number(text);
  if (Number.isInteger(year) && year >= FIRST_YEAR && year <= 9999) return year;
  throw new UsageError(`--year: wanted a year from ${FIRST_YEAR}, got "${String(text)}"`);
}

/** `--part`; null without it. What it leaves to the environment comes with the settings. */
function partOf({ options, config }: CommandContext): StorePart | null {
  const text = options['part'] as string | undefined;
  if (text === undefined) return null;
  const [, first, last] = /^(\d{1,6}|auto)(?:\/(\d{1,6}))?$/.exec(text) ?? [];
  if (first === undefined || (first !== 'auto' && last === undefined))
    throw new UsageError(`--part: wanted I/N such as 0/16, auto/N or auto, got "${text}"`);
  const index = first === 'auto' ? (config.jobCompletionIndex ?? config.slurmArrayTaskId) : Number(first);
  if (index === null)
    throw new UsageError(
      '--part: auto wants JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID, which array jobs have; neither is set',
    );
  const count = last === undefined ? wholeArray(config) : Number(last);
  if (count === null)
    throw new UsageError(
      '--part: auto wants the whole array, from task 0 on, to know how many parts there are; give it as auto/N',
    );
  if (index < count) return { index, count };
  throw new UsageError(`--part: parts count from 0, so the last of ${count} is ${count - 1}; got ${index}`);
}

/** Tasks of an array of SLURM that is whole: 0, 1, ... Some of them submitted again are an array of their own. */
function wholeArray({ slurmArrayTaskCount: count, slurmArrayTaskMax: last }: Config): number | null {
  return count !== null && last === count - 1 ? count : null;
}

const CHUNK = 128;

function sizesOf(text: unknown): { readonly shard?: number } {
  if (text === undefined) return {};
  const shard = Number(text);
  if (/^\d+$/.test(String(text)) && shard >= CHUNK && shard <= 65_536 && shard % CHUNK === 0) return { shard };
  throw new UsageError(`--shard: wanted a multiple of ${CHUNK} from ${CHUNK} to 65536, got "${String(text)}"`);
}

/** The bucket of the settings with `--bucket` added to its prefix; null without it. */
function bucketOf({ options, config }: CommandContext): ReturnType<typeof bucketPlace> {
  const prefix = options['bucket'] as string | undefined;
  if (prefix === undefined) return null;
  if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(prefix) || prefix.split('/').some((part) => part === '.' || part === '..'))
    throw new UsageError(`--bucket: wanted a prefix of letters, digits, ".", "-", "_" and "/", got "${prefix}"`);
  const place = bucketPlace(config);
  if (place === null) throw new UsageError('--bucket: OBJECT_STORE_URL is not set: there is no bucket to write to');
  return { ...place, prefix: `${place.prefix}${prefix.replace(/\/$/, '')}/` };
}

/** Where the store is or, when it is in a bucket, an empty folder for the work of this part. */
async function folderOf(
  { options, config }: CommandContext,
  dataset: string,
  part: StorePart | null,
  isInBucket: boolean,
): Promise<string> {
  const out = options['out'] as string | undefined;
  if (!isInBucket) return resolve(out ?? join(storesFolder(config), dataset));
  const folder = resolve(out ?? join(config.dataDir, 'building', dataset), `part-${part?.index ?? 'all'}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

function workersOf({ options, config }: CommandContext, isAlone: boolean): number {
  if (options['workers'] === undefined) return config.taskConcurrency;
  const workers = Number(options['workers']);
  if (!Number.isInteger(workers) || workers < 0 || workers > MOST_WORKERS)
    throw new UsageError(`--workers: wanted 0 to ${MOST_WORKERS}, got "${String(options['workers'])}"`);
  if (workers === 0 && isAlone)
    throw new UsageError(
      '--workers: 0 leaves the tiles to others; a part, and a store in a bucket, is built by the process that was given it',
    );
  if (workers === 0 && config.databaseUrl === null)
    throw new UsageError('--workers: 0 needs DATABASE_URL, because no other process can take tiles without it');
  return workers;
}

function describePlan({ tiles, built }: StorePlan, folder: string, workers: number): string {
  const pixels = 4 * tiles.reduce((sum, { cells }) => sum + cells, 0);
  const gigabytes = (pixels * ESTIMATE.bytesPerPixel * ESTIMATE.withSurroundings) / 1e9;
  const minutes = pixels / ESTIMATE.pixelsPerSecond / Math.min(workers, tiles.length || 1) / 60;
  if (tiles.length === 0 && built === 0) return 'Nothing to do: there are fewer tiles than parts.\n';
  if (tiles.length === 0)
    return `Nothing to do: all ${built} tiles have been built in ${folder}. --force builds them again.\n`;
  const lines = [
    `${tiles.length} tiles to build, ${built} built already: ${folder}`,
    ...tiles.slice(0, 5).map(({ name }) => `  ${name}`),
    ...(tiles.length > 5 ? [`  and ${tiles.length - 5} more`] : []),
    `${amount(pixels / 1e6)} million pixels, up to ${amount(gigabytes)} GB of codes before compression, ${minutes < 1 ? 'less than a minute' : `about ${amount(minutes)} minutes`} where the embeddings are near`,
  ];
  return `${lines.join('\n')}\n`;
}

function amount(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 2 });
}

/** Says how the work fares: a bar on a terminal, else a line a tile. */
function createReporter({ err, options }: CommandContext, tiles: number) {
  const isQuiet = options['quiet'] === true;
  const bar = isQuiet || !err.isTTY ? null : createProgressBar(err, 'pixels');
  let ended = 0;
  return {
    onProgress: (done: number, total: number): void => bar?.update(4 * done, 4 * total),
    onTile({ name }: PlannedTile, fault: string | null): void {
      ended++;
      if (fault === null && (isQuiet || bar !== null)) return;
      bar?.finish();
      err.write(`${ended}/${tiles} ${name}: ${fault ?? 'built'}\n`);
    },
    finish: (): void => bar?.finish(),
  };
}
