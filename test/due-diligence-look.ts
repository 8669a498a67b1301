import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { DISTRICT } from '../src/readers/sample-district/district.ts';
import { ROOT, runService } from './end-to-end/run-service.ts';
import { boxPolygon } from './made-up-rasters.ts';

/*
 * The audit trail of 51 mixed plots as pictures, to be looked at page by page: `node test/due-diligence-look.ts`. It lies with its pages
 * in `.tmp/audit`. Most plots are in the sample district, where everything is measured without a network; the others are what files
 * hold besides: names in many scripts, points, plots with holes or parts, that overlap or cross themselves, lie in the sea, in another
 * country or nowhere, and that no dataset covers. All of it is made up. Poppler's `pdftoppm` makes the pictures.
 */

type Properties = Readonly<Record<string, string | number | null>>;
type Position = readonly [number, number];

const PRODUCERS = [
  'Siti Nurhaliza',
  'Đặng Thị Hương',
  'สมชาย ใจดี',
  '山田太郎',
  'ម៉ៅ សុខា',
  'ဒေါ်အောင်ဆန်း',
  'كريم بن علي',
  'משה כהן',
  '王小明',
  '김철수',
  'José Muñoz',
];
const [WEST, SOUTH, EAST, NORTH] = DISTRICT.bbox;
const GRID = 6;

const features = [...districtPlots(), ...oddPlots()];
assert.equal(features.length, 51);
const file = new File([JSON.stringify({ type: 'FeatureCollection', features })], '51 mixed plots.geojson');

await using service = await runService({});
const form = new FormData();
form.set('file', file);
form.set('collection_name', '51 mixed plots (made up)');
form.set('crop_type', 'palm');
form.set('validate_locations', 'true');
const { collection_id: id } = (await (
  await service.fetch('/batch_process', { method: 'POST', body: form })
).json()) as { readonly collection_id: string };
for (;;) {
  const { status } = (await (await service.fetch(`/collections/${id}`)).json()) as { readonly status: string };
  if (status === 'completed') break;
  if (status !== 'processing') throw new Error(`the batch ended as ${status}`);
  await new Promise((resolve) => setTimeout(resolve, 500));
}
let answer = await service.fetch(`/export_eudr_dds?filename=${id}`);
while (answer.status === 202) {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  answer = await service.fetch(`/export_eudr_dds?filename=${id}`);
}
if (answer.status !== 200) throw new Error(await answer.text());
const { 'audit.pdf': pdf } = unzipSync(new Uint8Array(await answer.arrayBuffer()));
const folder = join(ROOT, '.tmp/audit');
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'audit.pdf'), pdf!);
execFileSync('pdftoppm', ['-r', '70', '-png', join(folder, 'audit.pdf'), join(folder, 'page')]);
console.log(`${pdf!.length} bytes and their pages are in ${folder}`);

/** Polygons on a grid over the district. */
function districtPlots(): object[] {
  const [dx, dy] = [(EAST - WEST) / (GRID + 1), (NORTH - SOUTH) / (GRID + 1)];
  return Array.from({ length: GRID * GRID }, (_, i) => {
    const [x, y] = [WEST + dx * (0.5 + (i % GRID)), SOUTH + dy * (0.5 + Math.floor(i / GRID))];
    const size = 0.2 + 0.6 * ((i * 7) % 10) * 0.1;
    return plot(`Plot ${i + 1}`, slanted(x, y, dx * size, dy * size, i), i, i % 5 === 0 ? { area: 2.5 + i } : {});
  });
}

function oddPlots(): object[] {
  const [x, y] = [102.6, 4.6];
  const box = (w: number, s: number, e: number, n: number) => boxPolygon(w, s, e, n) as object;
  const ring = (w: number, s: number, e: number, n: number): Position[] => [
    [w, s],
    [e, s],
    [e, n],
    [w, n],
    [w, s],
  ];
  const d = 0.001;
  return [
    plot('Titik dengan luas', { type: 'Point', coordinates: [x, y] }, 0, { area: 1.8 }),
    plot('Point without an area', { type: 'Point', coordinates: [x + 3 * d, y] }, 1),
    plot(
      'With a hole',
      {
        type: 'Polygon',
        coordinates: [ring(x, y + d, x + 4 * d, y + 4 * d), ring(x + d, y + 2 * d, x + 2 * d, y + 3 * d).toReversed()],
      },
      2,
    ),
    plot(
      'Two parts',
      {
        type: 'MultiPolygon',
        coordinates: [[ring(x - 6 * d, y, x - 4 * d, y + 2 * d)], [ring(x - 3 * d, y, x - 2 * d, y + 2 * d)]],
      },
      3,
    ),
    plot('Overlaps the next', box(x - 8 * d, y - 8 * d, x - 4 * d, y - 4 * d), 4),
    plot('Overlaps the one before', box(x - 6 * d, y - 7 * d, x - 2 * d, y - 3 * d), 5),
    plot(
      'Crosses itself',
      {
        type: 'Polygon',
        coordinates: [
          [
            [x, y - 8 * d],
            [x + 3 * d, y - 5 * d],
            [x + 3 * d, y - 8 * d],
            [x, y - 5 * d],
            [x, y - 8 * d],
          ],
        ],
      },
      6,
    ),
    plot('Smaller than a pixel', box(x + 0.00001, y + 0.00001, x + 0.00005, y + 0.00005), 7),
    plot('In the sea', box(104.9, 4.9, 104.904, 4.904), 8),
    plot('In Ghana, said to be Malaysia', box(-1.6244, 6.4012, -1.6214, 6.4042), 9),
    plot('No dataset covers it', box(101.6034, 0.8123, 101.6064, 0.8153), 10, { country: 'ID' }),
    plot('A kilometre wide', box(102.58, 4.575, 102.592, 4.587), 0, { producer: null }),
    plot('Nowhere', null, 1),
    plot(
      'A very long name of a plot that goes on and on, as names of cooperatives and their sections do in files',
      box(x + 6 * d, y - 4 * d, x + 9 * d, y - d),
      2,
    ),
    plot('Hors de la Malaisie', { type: 'Point', coordinates: [9.5, 51.2] }, 3, { area: 0.4 }),
  ];
}

function plot(name: string, geometry: object | null, i: number, more: Properties = {}): object {
  const properties = {
    name,
    location_type: 'plot',
    country: 'MY',
    commodity_type: 'palm',
    producer: PRODUCERS[i % PRODUCERS.length],
    ...more,
  };
  return { type: 'Feature', id: name, geometry, properties };
}

/** A field as people draw it: four to seven corners. */
function slanted(west: number, south: number, width: number, height: number, seed: number): object {
  const corners = 4 + (seed % 4);
  const ring = Array.from({ length: corners }, (_, k): Position => {
    const angle = (2 * Math.PI * (k + 0.3 * Math.sin(seed * 3 + k))) / corners;
    return [
      Number((west + (width / 2) * (1 + Math.cos(angle))).toFixed(7)),
      Number((south + (height / 2) * (1 + Math.sin(angle))).toFixed(7)),
    ];
  });
  return { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
}
