/**
 * Votes of eight layers on 2,500 plots of 4 ha, compared with the windowed way in rasterio and numpy (a window of each layer for each
 * plot, pixels by their centre), taking turns in one run: medians of 7 rounds. The peer is given two ways: a mask for each layer, as a call
 * of rasterstats for each raster makes it, and one mask for each plot. Ours is the whole measuring of a batch, its baseline and losses
 * inside forest among it, from files that are opened again each round; the operating system has them in memory.
 *
 *     node bench/convergence.ts [FOLDER]      FOLDER keeps the rasters, made at first: synthetic, 8,192 x 8,192 pixels each
 *
 * The peer has 512 MB of cache and gets the plots in the order of the blocks, as ours are put. Needs Debian's python3-rasterio.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smoothNoise } from '../src/readers/sample-district/district.ts';
import { encodeTiff } from '../src/readers/formats/tiff/encode-tiff.ts';
import { makePlots, ZONAL_GRID } from './made-up-plots.ts';
import { startPeer } from './python-peer.ts';
import { saveResult } from './results.ts';
import { median, ms, ROUNDS } from './rounds.ts';

/** What one run of a reader gives. */
export interface ConvergenceRun {
  readonly ms: number;
  /** Time of processors, all threads of the process together. */
  readonly cpuMs: number;
  /** Hectares of all plots with each answer, in the order of `LAYERS`. */
  readonly hectares: readonly number[];
  /** Largest memory of the process so far, in MB. */
  readonly peakMb: number;
}

/** The layers: what their pixels are, and from which value on they are a yes. */
export const LAYERS = [
  { name: 'forest', yes: 30, valueAt: trees(90, 1) },
  { name: 'losses', yes: 21, valueAt: years(9, 2) },
  { name: 'cover', yes: 30, valueAt: trees(60, 4) },
  { name: 'primary', yes: 50, valueAt: trees(200, 5) },
  { name: 'planted', yes: 60, valueAt: trees(40, 6) },
  { name: 'crops', yes: 70, valueAt: trees(30, 7) },
  { name: 'alerts', yes: 21, valueAt: years(7, 8) },
  { name: 'parks', yes: 55, valueAt: trees(400, 9) },
] as const;

/** A quarter of the one of `zonal.ts`, with as many plots a block: the peers take half a minute a round for it. */
const GRID = { ...ZONAL_GRID, side: 8_192 } as const;
const PLOTS = 2_500;
const READERS = ['ours', 'mask a layer', 'mask a plot'] as const;

if (process.send === undefined) await main();

async function main(): Promise<void> {
  const given = process.argv[2];
  const folder = given ?? mkdtempSync(join(tmpdir(), 'bench-convergence-'));
  mkdirSync(folder, { recursive: true });
  makeRasters(folder);
  const plots = makePlots(GRID, PLOTS);
  writeFileSync(join(folder, 'plots.json'), JSON.stringify(plots));
  const ours = fork(new URL('convergence-ours.ts', import.meta.url), [folder], { stdio: 'inherit' });
  const peers = ['layer', 'plot'].map((mask) =>
    startPeer('convergence.py', folder, mask, LAYERS.map(({ name, yes }) => `${name}:${yes}`).join(',')),
  );
  await once(ours, 'message');
  const runs: ConvergenceRun[][] = READERS.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    ours.send('run');
    runs[0].push(((await once(ours, 'message')) as [ConvergenceRun])[0]);
    for (const [i, peer] of peers.entries()) runs[i + 1].push(await peer.send<ConvergenceRun>('{}'));
  }
  ours.disconnect();
  for (const peer of peers) peer.stop();
  if (given === undefined) rmSync(folder, { recursive: true });
  report(runs, plots.length);
}

function report(runs: readonly (readonly ConvergenceRun[])[], plots: number): void {
  const medianOf = (i: number, of: 'ms' | 'cpuMs'): number => median(runs[i].slice(1).map((run) => run[of]));
  const ratio = (i: number) => ({
    times: medianOf(i, 'ms') / medianOf(0, 'ms'),
    processor: medianOf(i, 'cpuMs') / medianOf(0, 'cpuMs'),
  });
  for (const [i, name] of READERS.entries()) {
    const { hectares, peakMb } = runs[i].at(-1) as ConvergenceRun;
    const { times, processor } = ratio(i);
    const sums = hectares.map((value) => value.toFixed(0)).join(', ');
    console.log(
      `${name.padEnd(13)} ${ms(medianOf(i, 'ms'))} ms, ${times.toFixed(1)} times ours, processor time ${processor.toFixed(1)} times; ` +
        `peak ${peakMb.toFixed(0)} MB; hectares by layer ${sums}`,
    );
  }
  const peak = Math.max(...runs[0].map(({ peakMb }) => peakMb));
  saveResult('convergence', [
    {
      what: `votes of ${LAYERS.length} layers of 8,192 x 8,192 on ${plots.toLocaleString('en')} plots of 4 ha, with baseline and losses inside forest`,
      ours: `${ms(medianOf(0, 'ms'))} ms, ${ms(medianOf(0, 'cpuMs'))} of processor; peak ${peak.toFixed(0)} MB`,
      peers: [
        { name: 'rasterio and numpy, a window and a mask by pixel centres for each plot and layer', ...ratio(1) },
        { name: 'the same with one mask for all layers of a plot', strongest: true, ...ratio(2) },
      ],
    },
  ]);
}

function makeRasters(folder: string): void {
  const { side, pixel, west, north, block } = GRID;
  for (const { name, valueAt } of LAYERS) {
    const path = join(folder, `${name}.tif`);
    if (existsSync(path)) continue;
    const values = new Uint8Array(side * side);
    for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) values[y * side + x] = valueAt(x, y);
    const raster = {
      width: side,
      height: side,
      bands: 1,
      sampleType: 'uint8',
      nodata: null,
      transform: [pixel, 0, west, 0, -pixel, north],
      crs: 'EPSG:4326',
      values,
    } as const;
    writeFileSync(path, encodeTiff(raster, { compression: 'deflate', tile: block }));
  }
}

/** Per cent of tree cover in patches of so many pixels. */
function trees(patch: number, seed: number): (x: number, y: number) => number {
  return (x, y) => Math.round(100 * Math.min(1, Math.max(0, 1.6 * smoothNoise(x / patch, y / patch, seed) - 0.3)));
}

/** Years of losses in patches of so many pixels; 0 in most places. */
function years(patch: number, seed: number): (x: number, y: number) => number {
  return (x, y) =>
    smoothNoise(x / patch, y / patch, seed) < 0.8 ? 0 : 1 + Math.floor(25 * smoothNoise(x / 40, y / 40, seed + 10));
}
