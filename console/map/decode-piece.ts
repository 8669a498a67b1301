import type { FeatureCollection, Position } from 'geojson';

/** What the base map draws, as the sources of the style. */
export interface BaseMapData {
  readonly water: FeatureCollection;
  readonly borders: FeatureCollection;
  readonly places: FeatureCollection;
}

/** One piece of the base map as it is served: thousandths of a degree, each pair the difference to the one before. */
export interface MapPiece {
  readonly water: readonly (readonly (readonly number[])[])[];
  readonly borders: readonly (readonly number[])[];
  readonly places: readonly (readonly [x: number, y: number, name: string, people: number])[];
}

export interface WorldPiece extends MapPiece {
  readonly countries: readonly (readonly [code: string, lon: number, lat: number, people: number])[];
}

const STEPS = 1_000;

/** A piece as GeoJSON. Places carry `rank`, 0 for the largest, by which labels give way. */
export function decodePiece({ water, borders, places }: MapPiece): BaseMapData {
  return {
    water: collection([{ type: 'MultiPolygon', coordinates: water.map((rings) => rings.map(positions)) }, {}]),
    borders: collection([{ type: 'MultiLineString', coordinates: borders.map(positions) }, {}]),
    places: collection(
      ...places.map(
        ([x, y, name, people]) =>
          [
            { type: 'Point' as const, coordinates: [x / STEPS, y / STEPS] as Position },
            { name, people, rank: Math.round(100 - 10 * Math.log10(people + 1)) },
          ] satisfies Item,
      ),
    ),
  };
}

type Item = [geometry: FeatureCollection['features'][number]['geometry'], properties: object];

function collection(...items: readonly Item[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: items.map(([geometry, properties]) => ({ type: 'Feature', geometry, properties: { ...properties } })),
  };
}

function positions(numbers: readonly number[]): Position[] {
  const out: Position[] = [];
  let [x, y] = [0, 0];
  for (let i = 0; i < numbers.length; i += 2) {
    x += numbers[i] ?? 0;
    y += numbers[i + 1] ?? 0;
    out.push([x / STEPS, y / STEPS]);
  }
  return out;
}
