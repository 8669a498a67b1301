import { openLocationFile } from '../../../src/readers/formats/tables/open-location-file.ts';
import type { PlotRecord } from '../../../src/collections/plot-record.ts';
import { plotRecord } from '../../due-diligence-export.ts';
import { SHARED_DATA } from '../../shared-data.ts';

type Ring = readonly (readonly number[])[];

const SQUARE: Ring = [
  [1, 1],
  [1.01, 1],
  [1.01, 1.01],
  [1, 1.01],
  [1, 1],
];
const square = (lon: number, lat: number, side: number): Ring =>
  [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
    [0, 0],
  ].map(([x, y]) => [lon + x! * side, lat + y! * side]);
const polygon = (...coordinates: readonly Ring[]) => ({ type: 'Polygon', coordinates });
const point = (...coordinates: unknown[]) => ({ type: 'Point', coordinates });

/** Plots that break one rule each, and some that break none; by name. */
export const CASES: Readonly<
  Record<string, { readonly geometry: unknown; readonly area?: unknown; readonly country?: string }>
> = {
  plain: { geometry: polygon(SQUARE) },
  clockwise: { geometry: polygon(SQUARE.toReversed()) },
  'with heights': { geometry: polygon(SQUARE.map((at) => [...at, 120.5])) },
  'five decimals': { geometry: point(-49.00683, -22.73526) },
  'many decimals': { geometry: polygon(SQUARE.map(([x, y]) => [x! + 1 / 3e6, y! + 1 / 7e6])) },
  zero: { geometry: point(0, 0) },
  bowtie: {
    geometry: polygon([
      [1, 1],
      [1.01, 1.01],
      [1.01, 1],
      [1, 1.01],
      [1, 1],
    ]),
  },
  'small loop': {
    geometry: polygon([
      [1, 1],
      [1.01, 1],
      [1.01, 1.01],
      [1.00001, 1.01],
      [1, 1.01001],
      [1.00001, 1.01001],
      [1, 1.01],
      [1, 1],
    ]),
  },
  spike: {
    geometry: polygon([
      [1, 1],
      [1.01, 1],
      [1.01, 1.01],
      [1.02, 1.01],
      [1.01, 1.01],
      [1, 1.01],
      [1, 1],
    ]),
  },
  doughnut: { geometry: polygon(SQUARE, square(1.003, 1.003, 0.003)) },
  'three holes': {
    geometry: polygon(SQUARE, square(1.001, 1.001, 0.002), square(1.004, 1.006, 0.002), square(1.007, 1.002, 0.002)),
  },
  'hole at the edge': {
    geometry: polygon(SQUARE, [
      [1, 1.005],
      [1.003, 1.003],
      [1.003, 1.006],
      [1, 1.005],
    ]),
  },
  open: { geometry: polygon(SQUARE.slice(0, -1)) },
  line: { geometry: { type: 'LineString', coordinates: SQUARE } },
  lines: { geometry: { type: 'MultiLineString', coordinates: [SQUARE] } },
  straight: {
    geometry: polygon([
      [1, 1],
      [1.01, 1.01],
      [1.02, 1.02],
      [1, 1],
    ]),
  },
  'repeats at 6 decimals': {
    geometry: polygon([
      [1, 1],
      [1.0000001, 1],
      [1.01, 1],
      [1.01, 1.01],
      [1.01, 1.0100002],
      [1, 1.01],
      [1, 1],
    ]),
  },
  'nothing left at 6 decimals': {
    geometry: polygon([
      [1, 1],
      [1.0000001, 1],
      [1, 1.0000001],
      [1, 1],
    ]),
  },
  'thinner than a decimal': {
    geometry: polygon([
      [1, 1],
      [1.01, 1.0000002],
      [1.02, 1.0000001],
      [1.01, 1.0000004],
      [1, 1],
    ]),
  },
  'latitude out of range': { geometry: point(6.5, 98.2) },
  'exchanged and out of range': { geometry: polygon(square(10, 101.5, 0.01)) },
  'area as text': { geometry: point(1.5, 6.5), area: '3' },
  'area over 4': { geometry: point(1.5, 6.6), area: 5 },
  'area 0': { geometry: point(1.5, 6.7), area: 0 },
  'point in a list': { geometry: point([1.5, 6.8]) },
  'no such country': { geometry: polygon(SQUARE), country: 'XX' },
  'name of a country': { geometry: polygon(SQUARE), country: 'Ghana' },
  'no geometry': { geometry: null },
  multipoint: {
    geometry: {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [1.5, 2.5],
        [1, 2.0000001],
      ],
    },
  },
  'apart polygons': { geometry: { type: 'MultiPolygon', coordinates: [[SQUARE], [square(1.5, 1.5, 0.01)]] } },
  'touching polygons': { geometry: { type: 'MultiPolygon', coordinates: [[SQUARE], [square(1.01, 1, 0.01)]] } },
  'polygons with holes': {
    geometry: { type: 'MultiPolygon', coordinates: [[SQUARE, square(1.003, 1.003, 0.003)], [square(1.5, 1.5, 0.01)]] },
  },
  collection: {
    geometry: {
      type: 'GeometryCollection',
      geometries: [point(1.5, 6.9), polygon(SQUARE), { type: 'MultiPoint', coordinates: [[1, 2]] }],
    },
  },
  'next to the antimeridian': { geometry: polygon(square(179.98, -16.5, 0.02)) },
  'a reader with rounding errors': {
    geometry: polygon([
      [8.123457, 4.35],
      [8.123458, 4.350004],
      [8.12346, 4.350001],
      [8.123457, 4.35],
    ]),
  },
};

export function caseRecords(): PlotRecord[] {
  return Object.entries(CASES).map(([id, { geometry, area = null, country = 'GH' }], number) => {
    const record = plotRecord(number, geometry, {
      country,
      eudr: { ProducerName: 'Ama Owusu', ProducerCountry: country, ProductionPlace: 'Kumasi', Area: area },
      source: area === null ? {} : { Area: area },
    });
    return { ...record, feature: { ...record.feature, id } };
  });
}

/** 400 polygons with up to five holes from a seeded generator, with more decimals than are kept. */
export function randomRecords(): PlotRecord[] {
  let state = 20_201_231;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const star = (lon: number, lat: number, size: number, least: number): Ring => {
    const count = 5 + Math.floor(next() * 25);
    const ring = Array.from({ length: count }, (_, i) => {
      const [angle, radius] = [(2 * Math.PI * i) / count, size * (least + (1 - least) * next())];
      return [lon + radius * Math.cos(angle), lat + radius * Math.sin(angle)];
    });
    return [...ring, ring[0]!];
  };
  return Array.from({ length: 400 }, (_, number) => {
    const [lon, lat, size] = [next() * 340 - 170, next() * 140 - 70, [0.0006, 0.003, 0.04][number % 3]!];
    const holes = Array.from({ length: number % 6 }, (_, i) =>
      star(lon + ((i % 3) - 1) * size * 0.3, lat + (Math.floor(i / 3) - 0.5) * size * 0.4, size * 0.12, 0.4),
    );
    return plotRecord(number, polygon(star(lon, lat, size, 0.75), ...holes));
  });
}

/** The features of a real file as records. */
export async function fileRecords(name: string): Promise<PlotRecord[]> {
  const file = await openLocationFile(`${SHARED_DATA}/plots/${name}`);
  if (!('tables' in file)) throw new Error(`${name} holds no tables`);
  const records: PlotRecord[] = [];
  for (const table of file.tables)
    if (table.kind === 'features')
      for await (const { geometry, properties } of table.features())
        records.push(plotRecord(records.length, geometry ?? null, { source: properties }));
  await file.close();
  return records;
}

/** What the oracle looks at: file names of `../shared/data/plots`, and our own inputs, by name. */
export const INPUTS: Readonly<
  Record<string, { readonly shared: string | null; records(): Promise<readonly PlotRecord[]> }>
> = {
  cases: { shared: null, records: async () => caseRecords() },
  random: { shared: null, records: async () => randomRecords() },
  whisp: {
    shared: 'plots/whisp_geojson_large_example.geojson',
    records: () => fileRecords('whisp_geojson_large_example.geojson'),
  },
  estate: { shared: 'plots/ptpn_KGPAR.kml', records: () => fileRecords('ptpn_KGPAR.kml') },
};
