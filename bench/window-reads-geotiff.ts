/** geotiff.js for `window-reads.ts`: `window-reads-geotiff.ts POOL SIZE`; a pool of 0 decodes in the calling thread. */
import { fromFile, fromUrl, Pool, type GeoTIFF } from 'geotiff';
import type { Question, Reading, Row } from './window-reads.ts';

const [poolSize, size] = process.argv.slice(2).map(Number);
const pool = poolSize === 0 ? {} : { pool: new Pool(poolSize) };
const kept = new Map<string, GeoTIFF>();

process.on('message', ({ row, place }: Question) => void read(row, place).then((reading) => process.send?.(reading)));
// The pool cannot be ended.
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function read({ x, y, delayMs, state }: Row, place: string): Promise<Reading> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const file = kept.get(place) ?? (await (delayMs === null ? fromFile(place) : fromUrl(place)));
  file.cache = state === 'warm';
  const image = await file.getImage();
  const window = [x, y, x + size, y + size];
  const bands = (await image.readRasters({ window, ...pool })) as unknown as Int8Array[];
  const { user, system } = process.cpuUsage(before);
  const cost = { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
  if (state === 'warm') kept.set(place, file);
  else file.close();
  let sum = 0;
  for (const band of bands) for (let i = 0; i < band.length; i++) sum += band[i];
  return { ...cost, sum };
}
