import { join } from 'node:path';
import { openPack, readPack, writePack, type Pack } from '../../packs/pack-file.ts';
import { buildCountries } from './build-countries.ts';
import { buildPlaces } from './build-places.ts';
import { buildPorts } from './build-ports.ts';
import { buildSettlements } from './build-settlements.ts';
import { buildWater } from './build-water.ts';
import { openCountries } from '../countries.ts';
import { PACK_NAMES, packKey, type PackName } from './source-packages.ts';
import { openWater } from '../water.ts';

/** What the process reports of each pack: that its file is there, or why not. */
export type BuildReport =
  | { readonly kind: 'built'; readonly name: PackName; readonly ms: number; readonly bytes: number }
  | { readonly kind: 'failed'; readonly name: PackName; readonly message: string };

// Arguments: the folder of the packs, then the names of those to build. Nobody left to report to: nothing left to do.
const [folder, ...wanted] = process.argv.slice(2);
process.once('disconnect', () => process.exit());
const packs = new Map<PackName, Pack>();
for (const name of PACK_NAMES) {
  if (!wanted.includes(name)) continue;
  const message = await report(name);
  process.send?.(message);
}
process.disconnect?.();

async function report(name: PackName): Promise<BuildReport> {
  const start = performance.now();
  try {
    const pack = await build(name, packKey(name));
    packs.set(name, pack);
    await writePack(fileOf(name), pack);
    return { kind: 'built', name, ms: Math.round(performance.now() - start), bytes: pack.buffer.byteLength };
  } catch (error) {
    return { kind: 'failed', name, message: (error as Error).message };
  }
}

async function build(name: PackName, key: string): Promise<Pack> {
  if (name === 'countries') return buildCountries(key);
  if (name === 'settlements') return buildSettlements(key);
  if (name === 'water') return buildWater(key);
  if (name === 'places') return buildPlaces(key);
  return buildPorts(key, openCountries(await existing('countries')), openWater(await existing('water')));
}

/** A pack that ports are checked against: made just now, or there before. */
async function existing(name: PackName): Promise<Pack> {
  const made = packs.get(name);
  if (made !== undefined) return openPack(made.buffer);
  const reading = await readPack(fileOf(name), name, packKey(name));
  if (reading.pack === null)
    throw new Error(`ports are checked against the pack of ${name}, which is ${reading.reason}`);
  return reading.pack;
}

function fileOf(name: PackName): string {
  return join(folder, `${name}.pack`);
}
