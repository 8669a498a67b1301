/*
 * The share of ground within 5 km of 10,000 mills that a map of 8,000 x 8,000 pixels of 10 m says is soy, in the service's
 * own thread with its messages: the first pass, which reads every sampled pixel once, and the second one. The usual
 * peer reads a window of the map for each mill (rasterio, 512 MB of cache) and masks the circle, which counts every pixel; the
 * strongest one does so in an array that was read once. Both are given fewer mills, and no message, deadline or evidence.
 *
 *     node bench/commodity-map.ts [MILLS]      needs Debian's python3-rasterio
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config/settings.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { pointShape } from '../src/geo/shapes/shape.ts';
import { smoothNoise } from '../src/readers/sample-district/district.ts';
import { detectionData, openDetection } from '../src/service/detection/detection.ts';
import { madeUpTiff, rasterDataset } from '../test/made-up-rasters.ts';
import { startPeer } from './python-peer.ts';
import { saveResult } from './results.ts';
import { type Cost, Costs, costOf, median, ms, ROUNDS } from './rounds.ts';

const MILLS = Number(process.argv[2] ?? 10_000);
/** Mills of the peers. */
const PEER_MILLS = 200;
const SIDE = 8_000;
const PIXEL = 9e-5;
const [WEST, NORTH] = [-55, -11];
const RADIUS_M = 5_000;
/** Questions at a time, as a batch sends them. */
const AT_ONCE = 16;
const { signal } = new AbortController();

const folder = await mkdtemp(join(tmpdir(), 'commodity-map-'));
const path = join(folder, 'soy.tif');
const at = (x: number, y: number): number => (smoothNoise(x / 120, y / 120, 4) > 0.55 ? 1 : 0);
const options = { compression: 'deflate', tile: 512 } as const;
await writeFile(path, madeUpTiff({ width: SIDE, height: SIDE, west: WEST, north: NORTH, pixel: PIXEL, at, options }));
const mills = madeUpMills();
await writeFile(join(folder, 'mills'), mills);
const setup = JSON.stringify({ map: path, mills: join(folder, 'mills'), radius: RADIUS_M });
const peers = {
  windows: startPeer('commodity_map.py', 'windows', setup),
  whole: startPeer('commodity_map.py', 'whole', setup),
};
try {
  const costs = new Costs();
  const off: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    // In a thread that has answered nothing yet.
    const detection = openOwn();
    let shares: readonly number[] = [];
    for (const pass of ['first', 'second']) {
      const [cost, found] = await costOf(() => queryAll(detection));
      costs.add(pass, cost);
      shares = found;
      for (const [name, peer] of Object.entries(peers)) {
        const answer = await peer.send<Cost & { shares: number[] }>({ mills: PEER_MILLS, first: pass === 'first' });
        costs.add(`${name} ${pass}`, answer);
        if (round === 0) off.push(...answer.shares.map((share, i) => Math.abs(share - shares[i])));
      }
    }
    await detection.close();
  }
  report(costs, off);
} finally {
  for (const peer of Object.values(peers)) peer.stop();
  await rm(folder, { recursive: true });
}

function report(costs: Costs, off: readonly number[]): void {
  const rate = (name: string, count: number): string => {
    const { ms: clock, cpuMs } = costs.median(name, count);
    return `${Math.round(1000 / clock).toLocaleString('en')} a second, ${cpuMs.toPrecision(3)} ms of processor each`;
  };
  const peer = (name: string, pass: string) => {
    const [theirs, own] = [costs.median(`${name} ${pass}`, PEER_MILLS), costs.median(pass, MILLS)];
    return { times: theirs.ms / own.ms, processor: theirs.cpuMs / own.cpuMs };
  };
  const rows = ['first', 'second'].map((pass) => ({
    what: `share of a map within 5 km of ${MILLS.toLocaleString('en')} mills, ${pass} pass, in the service's thread`,
    ours: `${rate(pass, MILLS)}; from the exact share ${median(off).toFixed(3)} in the median, ${Math.max(...off).toFixed(3)} at most (966 pixels)`,
    peers: [
      { name: 'rasterio and numpy, a window and a mask for each mill', ...peer('windows', pass) },
      { name: 'numpy, windows and masks of an array that was read once', strongest: true, ...peer('whole', pass) },
    ],
    goal: '1,000 a second after the first pass',
    limit: 'a message there and back between threads: about 30 µs of processor',
  }));
  for (const { ours } of rows) console.log(ours);
  for (const name of Object.keys(peers)) console.log(name, rate(`${name} second`, PEER_MILLS), ms(off.length));
  saveResult('commodity-map', rows);
}

function openOwn() {
  const dataset = rasterDataset({
    id: 'soy',
    role: 'commodity-map',
    path,
    options: { commodity: 'soy', classes: [1] },
  });
  return openDetection(detectionData([], [dataset], readConfig({ DATA_DIR: folder, CACHE_MAX_MB: '0' })));
}

/** Shares around all mills, some at a time. */
async function queryAll({ sources }: ReturnType<typeof openOwn>): Promise<readonly number[]> {
  const shares = Array.from({ length: MILLS }, () => Number.NaN);
  let next = 0;
  const query = async (): Promise<void> => {
    for (let i = next++; i < MILLS; i = next++) {
      const found = await sources.commodityShare('soy', pointShape(mills[2 * i], mills[2 * i + 1]), RADIUS_M, signal);
      shares[i] = found?.value.share ?? Number.NaN;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, query));
  return shares;
}

/** Longitude and latitude of mills whose circles lie on the map. */
function madeUpMills(): Float64Array {
  const random = seededRandom(7);
  const margin = 600 * PIXEL;
  const span = SIDE * PIXEL - 2 * margin;
  return Float64Array.from({ length: 2 * MILLS }, (_, i) =>
    i % 2 === 0 ? WEST + margin + random() * span : NORTH - margin - random() * span,
  );
}
