/**
 * Kinds of ground and the proposed split of plots of 4, 50 and 500 ha, on a real raster in memory, compared with what numpy, scikit-image, scipy and shapely do
 * the ordinary way (`peers/plot_split.py`, which computes less), taking turns in one run: medians of 7 rounds over the same plots.
 *
 *     node bench/plot-split.ts
 *
 * Needs ../shared/data and Debian's python3-skimage, python3-rasterio and python3-shapely. Maps and detectors are not queried.
 */
import { join } from 'node:path';
import { openGeos } from '../src/geo/partition/open-geos.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { splitPlot } from '../src/plots/split/split-plot.ts';
import { readRaster } from '../test/oracles/segmentation/read-raster.ts';
import { SHARED_DATA } from '../test/shared-data.ts';
import { inDegrees, randomRing, rasterOfGrid } from '../test/split-cases.ts';
import { startPeer } from './python-peer.ts';
import { type BenchRow, saveResult } from './results.ts';
import { type Cost, costOf, Costs, ms, ROUNDS } from './rounds.ts';

const SIZES = [4, 50, 500] as const;
/** Plots of each size in a round. */
const PLOTS = 6;
const [LEFT, TOP] = [354_030, 4_911_010];
const { signal } = new AbortController();

const grid = readRaster('wisconsin_west');
if (grid === null) throw new Error('wanted ../shared/data/aef/wisconsin_west.tif, which is not there');
const raster = rasterOfGrid({ ...grid, transform: [10, 0, LEFT, 0, -10, TOP] });
const geos = await openGeos();
const peer = startPeer('plot_split.py', join(SHARED_DATA, 'aef/wisconsin_west.tif'));
const rows: BenchRow[] = [];

for (const size of SIZES) {
  const random = seededRandom(size);
  const rings = Array.from({ length: PLOTS }, () => {
    const middle = [356_300 + random() * 1_000, 4_908_800 - random() * 5_300] as const;
    return randomRing(random, middle, Math.sqrt((size * 10_000) / Math.PI), 9);
  });
  const costs = new Costs();
  let parts = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    parts = 0;
    for (const ring of rings) {
      const plot = inDegrees('EPSG:32616', ring);
      const [cost, split] = await costOf(() => splitPlot([plot], raster, geos, signal));
      parts += split?.parts?.length ?? 1;
      costs.add('ours', cost);
      const outline = ring.map(([x, y]) => [(x - LEFT) / 10, (TOP - y) / 10]);
      costs.add('python', await peer.send<Cost>({ outline }));
    }
  }
  const own = costs.median('ours', PLOTS);
  rows.push({
    what: `kinds of ground and proposed split of a plot of ${size} ha, raster in memory, maps not queried`,
    ours: `${ms(own.ms)} ms, ${ms(own.cpuMs)} of processor; ${parts} parts of ${PLOTS} plots`,
    peers: [
      {
        name: 'numpy, scikit-image, scipy and shapely, which compute less: cells by their centres, an unproven window, no test of what is clearly apart',
        strongest: true,
        ...costs.ratio('python', 'ours'),
      },
    ],
  });
  console.dir(rows.at(-1), { depth: null });
}
peer.stop();
saveResult('plot-split', rows);
