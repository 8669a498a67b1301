import { join } from 'node:path';
import type { Bbox } from '../../geo/shapes/shape.ts';
import { packArray, readPack, type Pack } from '../packs/pack-file.ts';
import type { KnownSettlement } from '../themes/measure-themes.ts';
import { buildSettlements, SETTLEMENT_SCALE as SCALE } from './build/build-settlements.ts';
import { packKey } from './build/source-packages.ts';
import { SHIPPED_PACKS } from './built-in.ts';

/** The settlements of 1,000 people or more in a box. Reads the pack of the installation or of the data folder; without either it is made. */
export async function settlementsIn(
  { dataDir }: { readonly dataDir: string },
  [west, south, east, north]: Bbox,
): Promise<readonly KnownSettlement[]> {
  const pack = await (kept.get(dataDir) ?? keep(dataDir));
  const places = packArray(pack, 'allPlaces', 'Int32Array');
  const found: KnownSettlement[] = [];
  for (const [i, people] of packArray(pack, 'allPeople', 'Uint32Array').entries()) {
    const lon = places[i * 2] / SCALE;
    const lat = places[i * 2 + 1] / SCALE;
    if (lon >= west && lon <= east && lat >= south && lat <= north) found.push({ lon, lat, people });
  }
  return found;
}

/** Some MB, read once: cells of map data are packed by the dozen. */
const kept = new Map<string, Promise<Pack>>();

function keep(dataDir: string): Promise<Pack> {
  const reading = settlementsPack([SHIPPED_PACKS, join(dataDir, 'packs')]);
  kept.clear();
  kept.set(dataDir, reading);
  reading.catch(() => kept.delete(dataDir));
  return reading;
}

async function settlementsPack(folders: readonly string[]): Promise<Pack> {
  const key = packKey('settlements');
  for (const folder of folders) {
    const { pack } = await readPack(join(folder, 'settlements.pack'), 'settlements', key);
    if (pack !== null) return pack;
  }
  return buildSettlements(key);
}
