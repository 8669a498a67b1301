/**
 * Hectares of forest and of yearly losses, and of losses inside the forest, of 10,000 plots of 4 ha, compared with what rasterstats
 * does (a window for each plot, its pixels by centre) in rasterio and numpy, and compared with pixels cut exactly by GEOS (shapely 1.8),
 * taking turns in one run: medians of 7 rounds. Each round opens the files again; the operating system has them in memory.
 *
 *     node bench/zonal.ts [FOLDER]      FOLDER keeps the rasters, made at first: synthetic, 16,384 x 16,384 pixels each
 *
 * The peers get the plots in the order of the blocks, as ours are put, and 512 MB of cache. Needs Debian's python3-rasterio
 * and python3-shapely.
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
import { median, ms, ROUNDS } from './rounds.ts';

const { side: SIDE, pixel: PIXEL, west: WEST, north: NORTH, block: BLOCK } = ZONAL_GRID;
const PLOTS = 10_000;
/** Plots that are cut by GEOS, which takes a hundred times as long. */
const CUT_PLOTS = 1_000;

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
  const rasterstats = startPeer('zonal.py', folder, 'centres', PLOTS);
  const geos = startPeer('zonal.py', folder, 'exact', CUT_PLOTS);
  await once(ours, 'message');
  const runs: Record<'ours' | 'centres' | 'exact', ZonalRun[]> = { ours: [], centres: [], exact: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    runs.ours.push(await runOurs());
    runs.centres.push(await rasterstats.send<ZonalRun>('{}'));
    runs.exact.push(await geos.send<ZonalRun>('{}'));
  }
  ours.disconnect();
  rasterstats.stop();
  geos.stop();
  if (given === undefined) rmSync(folder, { recursive: true });
  report(runs);
}

function report(runs: Record<'ours' | 'centres' | 'exact', readonly ZonalRun[]>): void {
  const perPlot = (name: string, of: 'ms' | 'cpuMs'): number =>
    median(runs[name as 'ours'].slice(1).map((run) => run[of])) / (name === 'exact' ? CUT_PLOTS : PLOTS);
  const columns = ['reader', 'ms per 10,000 plots', 'times ours', 'processor time, times ours', 'peak memory, MB'];
  console.log(`| ${columns.join(' | ')} | forest, lost, lost inside (ha) |\n|---|---|---|---|---|---|`);
  for (const [name, all] of Object.entries(runs)) {
    const { forest, lost, inside, peakMb } = all.at(-1) as ZonalRun;
    const sums = [forest, lost, inside].map((value) => value.toFixed(2)).join(', ');
    const [wall, cpu] = (['ms', 'cpuMs'] as const).map((of) => perPlot(name, of) / perPlot('ours', of));
    console.log(
      `| ${name} | ${ms(perPlot(name, 'ms') * PLOTS)} | ${wall.toFixed(1)} | ${cpu.toFixed(1)} | ${peakMb.toFixed(0)} | ${sums} |`,
    );
  }
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
