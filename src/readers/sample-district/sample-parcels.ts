import { utmProjection } from '../../geo/crs/utm.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { type ThemeFeature, THEMES } from '../themes/themes.ts';
import { DISTRICT, DISTRICT_VERSION } from './district.ts';
import { SAMPLE_TERMS, samplePack } from './sample-datasets.ts';
import { round } from '../../geo/round.ts';

/** Jurisdiction of the sample district: `XX` is a code that ISO 3166 gives to nobody. */
const JURISDICTION = 'XX-SAMPLE';
/** Metres: parcels along a row, the depth of a row, and the road allowance between parcels. */
const WIDTH = 320;
const DEPTH = 440;
const ROAD = 20;
/** Metres from the district's upper left corner; the parcels cover its eastern half. */
const [WEST, EAST, NORTH, SOUTH] = [2_560, 5_120, 0, 5_120];

const ZONE_48_NORTH = utmProjection(48, true);

/** Where the pack of the sample parcels is kept. A change of what is generated takes another name. */
export function sampleParcelPack(dataDir: string): { readonly packsFolder: string; readonly id: string } {
  return { packsFolder: samplePack(dataDir).packsFolder, id: `${DISTRICT_VERSION}-parcels` };
}

/** The cadastre of the district's eastern half as the catalogue lists it: synthetic. */
export function sampleParcelDatasets(dataDir: string): readonly Dataset[] {
  const { packsFolder, id } = sampleParcelPack(dataDir);
  return [
    {
      id: 'sample-district-parcels',
      role: THEMES.parcels.role,
      kind: 'flatgeobuf',
      path: `${packsFolder}/${id}/parcels.fgb`,
      coverage: { polygons: [[sampleFootprint()]] },
      version: DISTRICT_VERSION,
      date: String(DISTRICT.year),
      options: { jurisdiction: JURISDICTION, idField: 'parcel_id', attributesField: 'attributes' },
      ...SAMPLE_TERMS,
    },
  ];
}

/** The eastern half of the district, in degrees. */
export function sampleFootprint(): Float64Array {
  return ringOf(WEST, NORTH, EAST, SOUTH);
}

/**
 * Parcels in rows with road allowances between them. Every seventh has two strata lots over it, every eleventh is in two
 * parts. Synthetic: no such land exists.
 */
export function* sampleParcels(): Generator<ThemeFeature, void> {
  for (let row = 0, y = NORTH; y + DEPTH <= SOUTH; row++, y += DEPTH + ROAD)
    for (let column = 0, x = WEST; x + WIDTH <= EAST; column++, x += WIDTH + ROAD) {
      const number = row * 100 + column + 1;
      const lot = `SAMPLE-${String(number).padStart(4, '0')}`;
      const [middle, bottom] = [x + WIDTH / 2, y + DEPTH];
      const attributes = { plan: `P-${row + 1}`, lot: column + 1, class: 'Subdivision', synthetic: true };
      if (number % 11 === 0) {
        const halves = [ringOf(x, y, middle - ROAD / 2, bottom), ringOf(middle + ROAD / 2, y, x + WIDTH, bottom)];
        yield parcel(lot, { type: 'multiPolygon', polygons: halves.map((ring) => [ring]) }, attributes);
        continue;
      }
      yield parcel(lot, { type: 'polygon', rings: [ringOf(x, y, x + WIDTH, bottom)] }, attributes);
      if (number % 7 !== 0) continue;
      for (const strata of [1, 2])
        yield parcel(
          `${lot}-S${strata}`,
          { type: 'polygon', rings: [ringOf(x, y, middle, y + DEPTH / 2)] },
          { ...attributes, class: 'Building Strata', strata },
        );
    }
}

function parcel(id: string, geometry: ThemeFeature['geometry'], attributes: object): ThemeFeature {
  return { theme: 'parcels', geometry, values: [id, JSON.stringify(attributes)] };
}

/** A rectangle of metres from the upper left corner, in degrees rounded to 1e-7. */
function ringOf(left: number, top: number, right: number, bottom: number): Float64Array {
  const corners = [
    [left, bottom],
    [right, bottom],
    [right, top],
    [left, top],
    [left, bottom],
  ];
  const flat = new Float64Array(corners.length * 2);
  for (const [i, [x, y]] of corners.entries())
    ZONE_48_NORTH.toLonLat(DISTRICT.west + x, DISTRICT.north - y, flat, 2 * i);
  return flat.map((degrees) => round(degrees, 7));
}
