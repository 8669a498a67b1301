import { readFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { utmProjection } from '../src/geo/crs/utm.ts';
import { BANDS, type Grid } from '../src/geo/segmentation/grid.ts';
import type { LonLat } from '../src/geo/shapes/shape.ts';
import { PUBLIC_EMBEDDINGS } from '../src/readers/embeddings/public-datasets.ts';
import { MODELS_URL, PUBLISHED_MODELS } from '../src/readers/models/published-models.ts';
import { PUBLIC_RASTERS } from '../src/readers/rasters/public-rasters.ts';
import { writeSite } from './contracts/embeddings/layouts.ts';
import { codesOf, MODEL_FOLDER, testVectors } from './detection-heads.ts';
import { AEF_LAYOUT } from './end-to-end/aef-site.ts';
import { madeUpTiff, type MadeUpRaster } from './made-up-rasters.ts';
import { workbook } from './make-archive.ts';
import { SHARED_DATA } from './shared-data.ts';

/** Where embeddings lie at the site, and what covers the ground there. */
export interface EmbeddedPlace {
  readonly at: LonLat;
  readonly zone: number;
  readonly cover: 'palm' | 'no palm';
}

const MILL_PAGE = 'business/certification/the-universal-mill-list/index.html';
const MILL_FILE = 'wp-content/uploads/2026/11/Universal-Mill-List-November-2026.xlsx';
/** Rows that the real list has at least. */
const MILLS = 1_000;

/** Maps that are laid out, each with what its tiles of 10 degrees hold, everywhere the same. */
const MAPS: Readonly<Record<string, { readonly files: readonly string[]; readonly value: number }>> = {
  'jrc-gfc2020': {
    files: ['N10_E100', 'N0_W70'].map(
      (tile) => `ftp/jrc-opendata/FOREST/GFC2020/LATEST/tiles/JRC_GFC2020_V4_${tile}.tif`,
    ),
    value: 1,
  },
  'gfc-lossyear': {
    files: ['10N_100E', '20S_070W'].map(
      (tile) => `earthenginepartners-hansen/GFC-2025-v1.13/Hansen_GFC-2025-v1.13_lossyear_${tile}.tif`,
    ),
    value: 23,
  },
};
/** Upper left corners of the tiles above. */
const CORNERS: Readonly<Record<string, readonly [west: number, north: number]>> = {
  N10_E100: [100, 10],
  N0_W70: [-70, 0],
  '10N_100E': [100, 10],
  '20S_070W': [-70, -20],
};

/**
 * Lays out what a first start fetches, but Overture's part, below a folder as the public addresses have it: embeddings with their
 * index, the archives of detection models, the page and the workbook of the mill list, and tiles of maps. Archives, vectors of
 * embeddings and 407 mills are real, all else is synthetic. The newest generation of models, which could not be had, is missing.
 */
export async function writeNetworkedSite(folder: string, places: readonly EmbeddedPlace[]): Promise<void> {
  const cogs = places.map(({ at, zone, cover }) => ({
    asset: `x${zone}`,
    year: 2024,
    grid: gridAround(at, zone, cover),
  }));
  await writeSite(folder, cogs);
  const [model] = PUBLISHED_MODELS;
  for (const { commodity, file } of model.heads) {
    const path = model.url.replace(MODELS_URL, 'fdp').replace('{commodity}', commodity).replace('{file}', file);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(join(SHARED_DATA, MODEL_FOLDER, file), join(folder, path));
  }
  await put(folder, MILL_PAGE, `<html><body><a href="/${MILL_FILE}">Download the Excel version</a></body></html>`);
  await put(folder, MILL_FILE, millList());
  for (const { files, value } of Object.values(MAPS))
    for (const file of files) await put(folder, file, tileOf(file, value));
}

/** The settings of a process that reads the site in place of the public addresses. */
export async function networkedSettings(folder: string, base: string): Promise<Readonly<Record<string, string>>> {
  const [, index] = PUBLIC_EMBEDDINGS;
  const { role, version, licence, attribution, kind, id } = index;
  const { pathPrefix } = AEF_LAYOUT;
  const embeddings = { id, role, version, licence, attribution, kind, url: `${base}/${AEF_LAYOUT.index}` };
  const maps = PUBLIC_RASTERS.filter((map) => map.id in MAPS).map(({ url, coverage, ...map }) => ({
    ...map,
    coverage: coverage.bbox,
    url: `${base}${new URL(url.replaceAll(/[{}]/g, '~')).pathname.replaceAll(/~([a-z]+(?::\d)?)~/g, '{$1}')}`,
    contract: { ...map.contract, newest: 'fixed' },
  }));
  const catalogue = join(folder, 'catalogue.json');
  const options = { pathPrefix, baseUrl: `${base}/${AEF_LAYOUT.base}/` };
  await writeFile(catalogue, JSON.stringify([{ ...embeddings, options }, ...maps]));
  return { CATALOGUE: catalogue, MODELS_URL: `${base}/fdp`, MILL_LIST_URL: `${base}/${MILL_PAGE}` };
}

/** 6.2 km of one vector of real embeddings, of which the head of palm is sure. */
function gridAround([lon, lat]: LonLat, zone: number, cover: EmbeddedPlace['cover']): Grid {
  const side = 620;
  const sorted = (testVectors()['palm'] ?? []).toSorted((a, b) => a.calibrated - b.calibrated);
  const vector = codesOf((cover === 'palm' ? sorted.at(-1) : sorted[0])?.x ?? []);
  const codes = new Int8Array(side * side * BANDS);
  for (let at = 0; at < codes.length; at += BANDS) codes.set(vector, at);
  const xy = new Float64Array(2);
  utmProjection(zone, lat >= 0).toXY(lon, lat, xy, 0);
  const corner = (value: number, sign: 1 | -1): number => 10 * Math.round(value / 10) + sign * 5 * side;
  return {
    width: side,
    height: side,
    codes,
    transform: [10, 0, corner(xy[0], -1), 0, -10, corner(xy[1], 1)],
    crs: `EPSG:${(lat >= 0 ? 32_600 : 32_700) + zone}`,
  };
}

/** The list as its page gives it: the mills of the sample, and synthetic ones up to as many as the list has. */
function millList(): Uint8Array {
  const sample = parse(readFileSync(join(SHARED_DATA, 'facilities/palm_mills_sample.csv')), {
    columns: true,
  }) as Record<string, string>[];
  const real = sample.map((row) =>
    [
      'UML_ID',
      'Group_Name',
      'Parent_Com',
      'Parent_Com',
      'Mill_Name',
      'District',
      'RSPO_Statu',
      'Country',
      'Province',
      'Latitude',
      'Longitude',
    ].map((name) => row[name] ?? ''),
  );
  const synthetic = Array.from({ length: MILLS - real.length }, (_, i) => [
    `PO9${String(i).padStart(9, '0')}`,
    'SYNTHETIC Group',
    'SYNTHETIC Parent',
    'SYNTHETIC Company',
    `SYNTHETIC Mill ${i}`,
    '',
    'Not certified',
    i % 2 === 0 ? 'Colombia' : 'Indonesia',
    '',
    String(i % 2 === 0 ? 4 + i / 1_000 : i / 1_000),
    String(i % 2 === 0 ? -75 : 101),
  ]);
  const headers = [
    'UML ID',
    'Group Name',
    'Parent Company',
    'Company Name',
    'Mill Name',
    'Address',
    'RSPO Status',
    'Country',
    'Province',
    'Latitude',
    'Longitude',
  ];
  const cell = (text: string): string =>
    `<c t="inlineStr"><is><t>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`;
  return workbook([headers, ...real, ...synthetic].map((row) => `<row>${row.map(cell).join('')}</row>`).join(''));
}

function tileOf(file: string, value: number): Uint8Array {
  const [west, north] = Object.entries(CORNERS).find(([name]) => file.endsWith(`_${name}.tif`))?.[1] ?? [NaN, NaN];
  return madeUpTiff({
    width: 2_000,
    height: 2_000,
    west,
    north,
    pixel: 0.005,
    at: () => value,
    options: { compression: 'zstd', tile: 256 },
  } satisfies MadeUpRaster);
}

async function put(folder: string, path: string, content: string | Uint8Array): Promise<void> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content);
}
