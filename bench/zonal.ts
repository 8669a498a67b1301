/**
 * Hectares of forest and of yearly losses, and of losses inside the forest, of 10,000 plots of 4 ha, compared with three peers in
 * rasterio and numpy, taking turns in one run, medians of 7 rounds: what rasterstats does (a window for each plot, its pixels by
 * centre); whole blocks, each read once with all of its plots drawn into it; and windows whose pixels GEOS cuts exactly (shapely
 * 1.8), which alone computes what ours does. Each round opens the files again; the operating system has them in memory.
 *
 * What nobody can leave out is measured too: inflating the blocks of both rasters with Node's zlib, and no more.
 *
 *     node bench/zonal.ts [FOLDER]      FOLDER keeps the rasters, made at first: synthetic, 16,384 x 16,384 pixels each
 *
 * The peers get the plots in the order of the blocks, as ours are put, and 512 MB of cache. Needs Debian's python3-rasterio
 * and python3-shapely.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { smoothNoise } from '../src/readers/sample-district/district.ts';
import { encodeTiff } from '../src/readers/formats/tiff/encode-tiff.ts';
import { openTiff } from '../src/readers/formats/tiff/open-tiff.ts';
import { fileSource } from '../src/readers/io/file-source.ts';
import { makePlots, ZONAL_GRID } from './made-up-plots.ts';
import { startPeer } from './python-peer.ts';
import { saveResult } from './results.ts';
import { costOf, median, ms, ROUNDS } from './rounds.ts';

const { side: SIDE, pixel: PIXEL, west: WEST, north: NORTH, block: BLOCK } = ZONAL_GRID;
const PLOTS = 10_000;
/** Plots a peer is given; GEOS takes a hundred times as long. */
const PLOTS_OF: Readonly<Record<string, number>> = { centres: PLOTS, blocks: PLOTS, exact: 1_000 };

/** What one run of a reader gives. */
export interface ZonalRun {
  readonly ms: number;
  /** Time of processors, all threads of the process together. */
  readonly cpuMs: number;
  /** Hectares of all plots: forest, losses, losses inside forest. */
  readonly forest: number;
  readonly lost: number;
  readonly inside: number;
  /** Largest memory of the process so far, in MB. */
  readonly peakMb: number;
}

if (process.send === undefined) await main();

async function main(): Promise<void> {
  const given = process.argv[2];
  const folder = given ?? mkdtempSync(join(tmpdir(), 'bench-zonal-'));
  mkdirSync(folder, { recursive: true });
  makeRasters(folder);
  writeFileSync(join(folder, 'plots.json'), JSON.stringify(makePlots()));
  const ours = fork(new URL('zonal-ours.ts', import.meta.url), [folder], { stdio: 'inherit' });
  const runOurs = async (): Promise<ZonalRun> => {
    ours.send('run');
    const [run] = (await once(ours, 'message')) as [ZonalRun];
    return run;
  };
  const peers = Object.entries(PLOTS_OF).map(([way, plots]) => ({
    way,
    peer: startPeer('zonal.py', folder, way, plots),
  }));
  await once(ours, 'message');
  const blocks = (
    await Promise.all(['forest', 'losses'].map((name) => storedBlocks(join(folder, `${name}.tif`))))
  ).flat();
  const inflateMs: number[] = [];
  const runs: Record<string, ZonalRun[]> = { ours: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    runs.ours.push(await runOurs());
    for (const { way, peer } of peers) (runs[way] ??= []).push(await peer.send<ZonalRun>('{}'));
    const [{ cpuMs }] = await costOf(() => blocks.forEach((block) => inflateSync(block)));
    inflateMs.push(cpuMs);
  }
  ours.disconnect();
  for (const { peer } of peers) peer.stop();
  if (given === undefined) rmSync(folder, { recursive: true });
  report(runs, median(inflateMs.slice(1)));
}

/** The bytes of all blocks of a raster as they are stored; plots lie in each of them. */
async function storedBlocks(path: string): Promise<Buffer[]> {
  const bytes = readFileSync(path);
  const { offsets, lengths } = await openTiff(fileSource(path), new AbortController().signal);
  return Array.from(offsets, (offset, i) => bytes.subarray(offset, offset + lengths[i]));
}

function report(runs: Readonly<Record<string, readonly ZonalRun[]>>, inflateMs: number): void {
  const perPlot = (name: string, of: 'ms' | 'cpuMs'): number =>
    median(runs[name].slice(1).map((run) => run[of])) / (PLOTS_OF[name] ?? PLOTS);
  const ratio = (name: string) => ({
    times: perPlot(name, 'ms') / perPlot('ours', 'ms'),
    processor: perPlot(name, 'cpuMs') / perPlot('ours', 'cpuMs'),
  });
  for (const [name, all] of Object.entries(runs)) {
    const { forest, lost, inside, peakMb } = all.at(-1) as ZonalRun;
    const sums = [forest, lost, inside].map((value) => value.toFixed(2)).join(', ');
    const { times, processor } = ratio(name);
    console.log(
      `${name.padEnd(8)} ${ms(perPlot(name, 'ms') * PLOTS)} ms per 10,000 plots, ${times.toFixed(1)} times ours, processor time ` +
        `${processor.toFixed(1)} times; peak ${peakMb.toFixed(0)} MB; forest, lost, lost inside: ${sums} ha`,
    );
  }
  const peak = Math.max(...runs.ours.map(({ peakMb }) => peakMb));
  saveResult('zonal', [
    {
      what: '10,000 plots of 4 ha on two rasters of 16,384 x 16,384: forest, losses by year, losses inside forest, exact shares of pixels',
      ours: `${ms(perPlot('ours', 'ms') * PLOTS)} ms, ${ms(perPlot('ours', 'cpuMs') * PLOTS)} of processor; peak ${peak.toFixed(0)} MB`,
      peers: [
        { name: 'rasterio and numpy, a window and a mask by pixel centres for each plot', ...ratio('centres') },
        { name: 'the same by whole blocks, all plots of a block at once', strongest: true, ...ratio('blocks') },
        { name: 'every pixel cut by GEOS, which is what is computed', ...ratio('exact') },
      ],
      goal: '4 times the strongest peer',
      limit:
        `inflating the blocks of both rasters, ${ms(inflateMs)} ms of processor; ours is ` +
        `${((perPlot('ours', 'cpuMs') * PLOTS) / inflateMs).toFixed(1)} times that, the strongest peer ` +
        `${((perPlot('blocks', 'cpuMs') * PLOTS) / inflateMs).toFixed(1)} times`,
    },
  ]);
}

/** Forest in patches of kilometres, losses in patches of hundreds of metres, as such rasters have them. Synthetic. */
function makeRasters(folder: string): void {
  const shared = {
    width: SIDE,
    height: SIDE,
    bands: 1,
    sampleType: 'uint8',
    nodata: null,
    transform: [PIXEL, 0, WEST, 0, -PIXEL, NORTH],
    crs: 'EPSG:4326',
  } as const;
  for (const [name, valueAt] of [
    ['forest', treeCover],
    ['losses', lossYear],
  ] as const) {
    const path = join(folder, `${name}.tif`);
    if (existsSync(path)) continue;
    const values = new Uint8Array(SIDE * SIDE);
    for (let y = 0; y < SIDE; y++) for (let x = 0; x < SIDE; x++) values[y * SIDE + x] = valueAt(x, y);
    writeFileSync(path, encodeTiff({ ...shared, values }, { compression: 'deflate', tile: BLOCK }));
  }
}

function treeCover(x: number, y: number): number {
  return Math.round(100 * Math.min(1, Math.max(0, 1.6 * smoothNoise(x / 90, y / 90, 1) - 0.3)));
}

function lossYear(x: number, y: number): number {
  const patch = smoothNoise(x / 9, y / 9, 2);
  return patch < 0.8 ? 0 : 1 + Math.floor(25 * smoothNoise(x / 40, y / 40, 3));
}
