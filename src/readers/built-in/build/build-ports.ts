import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../../../geo/ellipsoid.ts';
import { curveOrder, packPoints } from '../../../geo/shapes/point-set.ts';
import { pointShape } from '../../../geo/shapes/shape.ts';
import { createPack, type Pack } from '../../packs/pack-file.ts';
import type { Countries } from '../countries.ts';
import { installedPackage } from './source-packages.ts';
import { packTexts } from '../pack-arrays.ts';
import type { Water } from '../water.ts';

/** Unit of stored coordinates, in a degree. */
export const PORT_SCALE = 100_000;
export const PORT_KINDS = ['sea port', 'river port'] as const;

export interface PortsMeta {
  readonly count: number;
}

interface Port {
  readonly name: string;
  readonly lon: number;
  readonly lat: number;
  /** Index into `PORT_KINDS`. */
  readonly kind: number;
}

/** Metres to the sea or to a wide river of a port there. */
const WATERSIDE_M = 10_000;
/** Metres to the sea of a port on a lagoon or in an estuary, with water next to it. */
const ESTUARY_M = 30_000;
/** Metres of width that make a river large. */
const LARGE_WIDTH_M = 400;

/** Codes of UN/LOCODE that no longer are a country's. */
const SUCCESSORS: Readonly<Record<string, readonly string[]>> = { AN: ['BQ', 'CW', 'SX'] };

interface Entry {
  readonly name?: string;
  readonly coordinates?: readonly number[];
}

/**
 * Packs the ports of the package sea-ports that stand up to a check: the point lies in the country of the port's code, and by the
 * sea, a lagoon or a large river. Coordinates that fit only the other way round are turned; the rest (inland freight depots,
 * points elsewhere) is left out.
 */
export function buildPorts(key: string, countries: Countries, water: Water): Pack {
  const entries = JSON.parse(
    readFileSync(join(installedPackage('sea-ports').folder, 'lib', 'ports.json'), 'utf8'),
  ) as Record<string, Entry>;
  const ports = Object.entries(entries).flatMap(([code, entry]) => checkPort(code, entry, countries, water) ?? []);
  const sorted = Array.from(curveOrder(ports.flatMap(({ lon, lat }) => [lon, lat])), (i) => ports[i]);
  const names = packTexts(sorted.map(({ name }) => name));
  const arrays = {
    boxes: packPoints(
      sorted.flatMap(({ lon, lat }) => [lon, lat]),
      PORT_SCALE,
    ),
    kinds: Uint8Array.from(sorted, ({ kind }) => kind),
    nameOffsets: names.offsets,
    nameBytes: names.bytes,
  };
  return createPack('ports', key, arrays, { count: sorted.length } satisfies PortsMeta);
}

function checkPort(code: string, { name, coordinates }: Entry, countries: Countries, water: Water): Port | null {
  const [a, b] = coordinates ?? [];
  if (name === undefined || !Number.isFinite(a) || !Number.isFinite(b)) return null;
  const wanted = SUCCESSORS[code.slice(0, 2)] ?? [code.slice(0, 2)];
  const at = [
    [a, b],
    [b, a],
  ].find(([lon, lat]) => Math.abs(lat) <= 90 && wanted.includes(countries.codeAt(lon, lat) ?? ''));
  if (at === undefined) return null;
  const [lon, lat] = at;
  const kind = portKind(lon, lat, water);
  return kind === null ? null : { name, lon, lat, kind: PORT_KINDS.indexOf(kind) };
}

function portKind(lon: number, lat: number, water: Water): (typeof PORT_KINDS)[number] | null {
  const shape = pointShape(lon, lat);
  if (water.toSea(shape, WATERSIDE_M) !== null) return 'sea port';
  const nearby = water.nearest(shape, WATERSIDE_M);
  if (nearby === null || nearby.coarse) return null;
  if (water.toSea(shape, ESTUARY_M) !== null) return 'sea port';
  return hasLargeRiver(lon, lat, water) ? 'river port' : null;
}

/** Looks on a lattice for a disc as wide as a large river that lies in a river's outline. */
function hasLargeRiver(lon: number, lat: number, water: Water): boolean {
  const steps = Math.floor(WATERSIDE_M / LARGE_WIDTH_M);
  const dLon = LARGE_WIDTH_M / metresPerDegreeEast(lat);
  const dLat = LARGE_WIDTH_M / metresPerDegreeNorth(lat);
  for (let i = -steps; i <= steps; i++) {
    for (let j = -steps; j <= steps; j++) {
      if (isWide(lon + i * dLon, lat + j * dLat, dLon / 2, dLat / 2, water)) return true;
    }
  }
  return false;
}

function isWide(lon: number, lat: number, radiusLon: number, radiusLat: number, water: Water): boolean {
  if (!water.isRiver(lon, lat)) return false;
  for (let eighth = 0; eighth < 8; eighth++) {
    const angle = (eighth * Math.PI) / 4;
    if (!water.isRiver(lon + Math.cos(angle) * radiusLon, lat + Math.sin(angle) * radiusLat)) return false;
  }
  return true;
}
