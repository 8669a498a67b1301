/**
 * Tries every public address that the service can read, from a machine with network, and prints a table of what held. To be
 * run once by somebody who has one, and again when something has moved: `node tools/try-public-addresses.ts`.
 *
 * Datasets of the catalogue are compared with their contracts, as `firstmile data doctor` does. The other addresses are tried
 * for ranges and for what their files say of themselves; several are not read by the service yet. Reads some MB; keeps nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textTable } from '../src/cli/parts/text-table.ts';
import { PUBLIC_EMBEDDINGS } from '../src/readers/embeddings/public-datasets.ts';
import { utmProjection } from '../src/geo/crs/utm.ts';
import { utmZoneAt } from '../src/geo/crs/utm-zone-at.ts';
import type { Dataset } from '../src/readers/catalogue/dataset.ts';
import { openTiff } from '../src/readers/formats/tiff/open-tiff.ts';
import { readBlock } from '../src/readers/formats/tiff/read-block.ts';
import { rasterPlace } from '../src/readers/rasters/raster-spec.ts';
import { tileOfPlace } from '../src/readers/rasters/tile-template.ts';
import type { ByteSource } from '../src/readers/io/byte-source.ts';
import { httpSource } from '../src/readers/io/http/http-source.ts';
import { releasePlace } from '../src/readers/overture/list-release.ts';
import { OVERTURE_TYPES, OVERTURE_URL } from '../src/readers/overture/overture-types.ts';
import { planFile } from '../src/readers/overture/read-rows.ts';
import { PUBLIC_REGISTERS } from '../src/readers/producers/public-registers.ts';
import { PUBLISHED_MODELS } from '../src/readers/models/published-models.ts';
import { PUBLIC_RASTERS } from '../src/readers/rasters/public-rasters.ts';
import { getRegister } from '../src/service/datasets/get-register.ts';
import { installHead, publicPlace } from '../src/service/models/installed-models.ts';
import { checkContracts } from '../src/service/outside/list-contracts.ts';

const DEADLINE_MS = 60_000;
const MODELS = PUBLISHED_MODELS.toReversed();
const STAC = 'https://stac.overturemaps.org/catalog.json';
/** Datasets of which layout and values are not known for certain, and the place that is looked at. */
const UNCERTAIN = ['glad-dist-alert', 'glad-dist-alert-dates'];
const LOOKED_AT = [33, 0.5] as const;
/** Rows of blocks whose values are listed. */
const ROWS_LOOKED_AT = 200;
const FILES: Readonly<Record<string, string>> = {
  'Overture STAC catalogue': STAC,
  'Overture STAC, second door': 'https://overturemaps-extras-us-west-2.s3.us-west-2.amazonaws.com/stac/catalog.json',
};

type Row = readonly [what: string, held: string, detail: string];

async function tried(what: string, job: (signal: AbortSignal) => Promise<string>): Promise<Row> {
  try {
    return [what, 'yes', await job(AbortSignal.timeout(DEADLINE_MS))];
  } catch (error) {
    return [what, 'NO', (error as Error).message.slice(0, 160)];
  }
}

async function sizeOf(source: ByteSource, signal: AbortSignal): Promise<string> {
  const info = await source.stat({ signal });
  if (info === null) throw new Error('there is nothing at this address');
  return `${info.size} bytes`;
}

/** The newest release, and the columns of one file of each type. */
async function overture(signal: AbortSignal): Promise<string> {
  const place = releasePlace(OVERTURE_URL);
  const release = (await place.releases(signal)).at(-1);
  if (release === undefined) throw new Error('no release is listed');
  for (const type of OVERTURE_TYPES) {
    const [first] = await place.files(release, type.folder, signal);
    if (first === undefined) throw new Error(`${release} has no files of ${type.folder}`);
    await planFile(httpSource(first), type, [0, 0, 0.01, 0.01], signal);
  }
  return `${release}, columns of ${OVERTURE_TYPES.length} types as wanted`;
}

/** What a file says of itself, and the values of some rows around a place: they show how a status is coded. */
async function layoutOf(dataset: Dataset, signal: AbortSignal): Promise<string> {
  const { scheme } = rasterPlace(dataset);
  if (scheme === null) throw new Error('it has no tiles');
  const source = httpSource(tileOfPlace(scheme, ...LOOKED_AT).address);
  const image = await openTiff(source, signal, { mostTables: 0 });
  const { width, height, sampleType, crs, nodata, blockWidth, blockHeight, blocksAcross, transform } = image;
  const place = new Float64Array(2);
  utmProjection(utmZoneAt(...LOOKED_AT), true).toXY(...LOOKED_AT, place, 0);
  const row = Math.floor((place[1] - (transform?.[5] ?? 0)) / (transform?.[4] ?? 1) / blockHeight);
  const first = Math.max(0, Math.min(row, Math.ceil(height / blockHeight) - ROWS_LOOKED_AT)) * blocksAcross;
  const indexes = Array.from({ length: ROWS_LOOKED_AT }, (_, i) => first + i * blocksAcross);
  await image.tables?.read(indexes, signal);
  const values = new Set<number>();
  for (const index of indexes)
    for (const value of (await readBlock(source, image, index, signal)) ?? []) values.add(value);
  const found = [...values].toSorted((a, b) => a - b);
  const listed = found.length > 20 ? `${found[0]} to ${found.at(-1)}` : found.join(' ');
  return `${width} x ${height} ${sampleType}, ${crs}, no data ${nodata}, blocks of ${blockWidth} x ${blockHeight}, values ${listed}`;
}

const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-try-'));
try {
  const contracts = await checkContracts(
    [...PUBLIC_EMBEDDINGS, ...PUBLIC_RASTERS],
    [],
    { dataDir },
    AbortSignal.timeout(10 * DEADLINE_MS),
  );
  const rows: Row[] = contracts.map(({ dataset, info: { state, mirror, fault, newer } }) => [
    dataset,
    state === 'held' ? 'yes' : 'NO',
    [mirror, fault, newer === null ? null : `version ${newer} is out`].filter((text) => text !== null).join('; '),
  ]);
  rows.push(await tried('Overture release', overture));
  for (const model of MODELS)
    for (const head of model.heads)
      rows.push(
        await tried(`${model.id} ${head.commodity}`, async (signal) => {
          const { about, archiveBytes } = await installHead({ dataDir }, model, head, publicPlace(model, head), signal);
          return `${archiveBytes} bytes, read whole, SHA-256 ${about.sha256}`;
        }),
      );
  for (const register of PUBLIC_REGISTERS)
    rows.push(
      await tried(register.id, async (signal) => {
        const { place, records, columns } = await getRegister({ dataDir }, register, null, () => {}, signal);
        return `${place}: ${records.length} records, names from ${columns.names.join(', ')}`;
      }),
    );
  for (const [what, url] of Object.entries(FILES))
    rows.push(await tried(what, (signal) => sizeOf(httpSource(url), signal)));
  for (const dataset of (PUBLIC_RASTERS as readonly Dataset[]).filter(({ id }) => UNCERTAIN.includes(id)))
    rows.push(await tried(`${dataset.id}, layout and values`, (signal) => layoutOf(dataset, signal)));
  process.stdout.write(textTable(['address', 'held', 'what was seen'], rows));
  process.exitCode = rows.every(([, held]) => held === 'yes') ? 0 : 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
