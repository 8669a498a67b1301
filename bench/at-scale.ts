/**
 * What a tile of a label store costs to build from a file as the public ones are (zstd, bands apart, blocks of 1,024), and
 * what a country and all land would: writes the tables of `docs/at-scale.md`.
 *
 *     node bench/at-scale.ts            # prints the tables
 *     node bench/at-scale.ts --write    # and puts them into docs/at-scale.md
 *
 * The file is the sample raster continued by mirroring to 4,096 pixels a side, a quarter of a public file. It is built by
 * one worker in a process of its own, whose processor time counts all its threads; the median of 3.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config/settings.ts';
import { createLog } from '../src/log.ts';
import type { Dataset } from '../src/readers/catalogue/dataset.ts';
import { BANDS } from '../src/geo/segmentation/grid.ts';
import { encodeTiff } from '../src/readers/formats/tiff/encode-tiff.ts';
import { buildStore } from '../src/service/labels/build.ts';
import { openBuildSource } from '../src/service/labels/embeddings.ts';
import { planStore } from '../src/service/labels/plan.ts';
import { mirrored, realRaster } from './mirrored-raster.ts';
import { median } from './rounds.ts';
import { writeMeasured } from './write-measured.ts';

const SIDE = 4096;
/** Pixels a side of a public file, and those around it that a tile is cut with. */
const TILE = 8192;
const AROUND = 640;
/** In a corner of a public file: a tile is one shard then, as it is of those. */
const PLACE = [10, 0, 500_000, 0, -10, 54 * 81_920] as const;
const ROUNDS = 3;
/** What is not measured here. Prices in US dollars are usual ones of large providers without discounts. */
const ASSUMED = {
  corePerHour: 0.05,
  gigabyteMonth: 0.023,
  /** Bytes a second from the public bucket, for one worker. */
  networkMBps: 100,
  /** The public index lists some 300,000 files for 9 years. */
  landFiles: 300_000 / 9,
  countries: [
    ['Ghana', 238_500],
    ['Indonesia', 1_905_000],
    ['Brazil', 8_515_000],
  ],
  /** A region's outline cuts through tiles, and zones of UTM overlap. */
  edges: 1.4,
} as const;

interface Measured {
  readonly cpu: number;
  readonly wall: number;
  readonly peakMb: number;
  readonly bytes: number;
}

const at = process.argv.indexOf('--build');
if (at > 0) console.log(JSON.stringify(await buildOnce(process.argv[at + 1])));
else {
  const folder = mkdtempSync(join(tmpdir(), 'bench-at-scale-'));
  try {
    const source = join(folder, 'embeddings.tif');
    writeSource(source);
    const runs = Array.from({ length: ROUNDS }, () => buildApart(source));
    const figure = (name: keyof Measured) => median(runs.map((run) => run[name]));
    const text = tables(
      { cpu: figure('cpu'), wall: figure('wall'), peakMb: figure('peakMb'), bytes: figure('bytes') },
      statSync(source).size,
    );
    console.log(text);
    if (process.argv.includes('--write')) writeMeasured('at-scale.md', text);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeSource(path: string): void {
  const { codes, ...grid } = mirrored(realRaster(), SIDE, SIDE);
  const pixels = { ...grid, transform: PLACE, values: codes, bands: BANDS, sampleType: 'int8', nodata: -128 } as const;
  writeFileSync(path, encodeTiff(pixels, { compression: 'zstd', interleave: 'band', tile: 1024 }));
}

function buildApart(path: string): Measured {
  const words = [import.meta.filename, '--build', path];
  return JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8', maxBuffer: 1e7 })) as Measured;
}

async function buildOnce(path: string): Promise<Measured> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-at-scale-store-'));
  // The data folder keeps blocks that were read, which are no part of the store.
  const folder = join(dataDir, 'store');
  const signal = new AbortController().signal;
  const about = {
    id: 'bench',
    role: 'embeddings',
    kind: 'cog',
    version: '1',
    date: '2024',
    licence: 'CC-BY-4.0',
  } as const;
  const dataset = {
    ...about,
    path,
    coverage: { bbox: [-180, -90, 180, 90] },
    attribution: 'AEF',
    synthetic: true,
    options: {},
  } as const satisfies Dataset;
  try {
    const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
    const source = await openBuildSource(dataset, config);
    const request = { folder, box: null, tile: null, year: null, force: false, part: { index: 0, count: 1 } };
    const plan = await planStore(source, request, signal).finally(() => source.close());
    const [wall, cpu] = [performance.now(), process.cpuUsage()];
    const { failed } = await buildStore({
      config,
      dataset,
      folder,
      plan,
      signal,
      force: false,
      shared: false,
      workers: 1,
      createdBy: 'bench',
      log: createLog({ level: 'silent', json: true }),
      onProgress: () => {},
      onTile: () => {},
    });
    if (failed > 0) throw new Error('the tile failed');
    const used = process.cpuUsage(cpu);
    const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return {
      cpu: (used.user + used.system) / 1e6,
      wall: (performance.now() - wall) / 1000,
      peakMb: Number(peak) / 1000,
      bytes: await bytesOfTiles(folder),
    };
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

/** Without the coordinates of rows and columns, 0.7 MB that all tiles of a zone and year share, however many they are. */
async function bytesOfTiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/[/\\][xy][/\\]/.test(join(entry.parentPath, entry.name)))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** Both tables. Processor time grows with the pixels that are decoded, bytes of the store with those that are labelled. */
function tables({ cpu, wall, peakMb, bytes }: Measured, sourceBytes: number): string {
  const read = ((TILE + 2 * AROUND) / SIDE) ** 2;
  const tile = {
    cpu: cpu * read,
    readGB: (sourceBytes * read) / 1e9,
    storeMB: (bytes * (TILE / SIDE) ** 2) / 1e6,
  };
  const waiting = (tile.readGB * 1000) / ASSUMED.networkMBps;
  const slower = tile.cpu > waiting ? 'the processor' : 'the network';
  const rows = [
    ...ASSUMED.countries.map(([name, km2]) => [name, Math.ceil((km2 / (TILE * TILE * 1e-4)) * ASSUMED.edges)] as const),
    ['all land, one year', Math.round(ASSUMED.landFiles)] as const,
  ].map(([name, tiles]) => {
    const coreHours = (tiles * tile.cpu) / 3600;
    const gigabytes = (tiles * tile.storeMB) / 1000;
    const terabytesRead = (tiles * tile.readGB) / 1000;
    const hours = (tiles * Math.max(tile.cpu, waiting)) / 3600 / 16;
    const cells = [
      name,
      whole(tiles),
      two(coreHours),
      `${two(coreHours * ASSUMED.corePerHour)} $`,
      `${two(terabytesRead)} TB`,
      `${two(gigabytes)} GB`,
      `${two(gigabytes * ASSUMED.gigabyteMonth)} $`,
      two(hours),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const [model] = cpus().map((one) => one.model.trim());
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${availableParallelism()} processors (${model}): a file of ${whole(SIDE)} pixels a side, ${whole(sourceBytes / 1e6)} MB, built by one worker in ${two(cpu)} s of processor time (${two(wall)} s on the clock of a machine that did other work), at most ${whole(peakMb)} MB of memory, ${two(bytes / 1e6)} MB of store.`,
    '',
    '| one tile of 8,192 pixels a side, from that | |',
    '| --- | --- |',
    `| pixels decoded, with the ${AROUND} around it | ${two((TILE + 2 * AROUND) ** 2 / 1e6)} million |`,
    `| processor time | ${two(tile.cpu)} s |`,
    `| read, at most | ${two(tile.readGB)} GB |`,
    `| time to read that at ${ASSUMED.networkMBps} MB/s | ${two(waiting)} s |`,
    `| store | ${two(tile.storeMB)} MB |`,
    `| what limits one worker | ${slower} |`,
    '',
    `| region | tiles | core hours | at ${ASSUMED.corePerHour} $ an hour | read | store | a month at ${ASSUMED.gigabyteMonth} $ a GB | hours with 16 workers |`,
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function two(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 2 });
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
