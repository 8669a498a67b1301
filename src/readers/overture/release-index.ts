import { parquetReadObjects } from 'hyparquet';
import type { Bbox } from '../../geo/shapes/shape.ts';
import { isRecord } from '../../is-record.ts';
import { createGate } from '../io/concurrency.ts';
import { PARQUET_COMPRESSORS } from '../formats/parquet-compressors.ts';
import { RELEASE, releasePlace } from './list-release.ts';
import { OVERTURE_TYPES, OvertureError } from './overture-types.ts';

/** Where releases and their catalogue are published. */
export interface OverturePlaces {
  /** The bucket, or a mirror of it. */
  readonly data: string;
  /** Addresses of the STAC catalogue, best first; none leaves the listing of the bucket. */
  readonly catalogues: readonly string[];
}

/** A file of a release. */
export interface IndexedFile {
  /** Where it lies in a release, as `theme=places/type=place`. */
  readonly folder: string;
  readonly url: string;
  /** The box around everything in it. */
  readonly box: Bbox;
}

/** The files of a release that packs are made of. */
export interface ReleaseIndex {
  readonly release: string;
  /** What the files were learned from. */
  readonly from: 'collections.parquet' | 'manifest.geojson' | 'collection.json' | 'listing';
  readonly files: readonly IndexedFile[];
}

/** The names of releases, and what named them. */
interface PublishedReleases {
  readonly newest: string;
  /** All that are published; empty where nobody could say. */
  readonly all: readonly string[];
  readonly from: 'catalogue' | 'listing' | 'known';
}

export interface IndexReader {
  /** A whole file of at most so many bytes; null when there is none. */
  fetch(url: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | null>;
  /** The box around everything in a file, from its footer. */
  boundsOf(url: string, folder: string, signal: AbortSignal): Promise<Bbox>;
  /** Hears why a place was passed over. */
  readonly onFault: (place: string, error: unknown) => void;
}

/** The newest release that was known when this was written: the last resort where neither catalogue nor listing answers. */
const LAST_KNOWN_RELEASE = '2026-09-23.1';

const CATALOGUE_BYTES = 4_000_000;
const INDEX_BYTES = 32_000_000;

/** The newest release, as the catalogue says, else the listing of the bucket, else `known` or the newest that was ever known. */
export async function publishedReleases(
  places: OverturePlaces,
  reader: IndexReader,
  known: string | null,
  signal: AbortSignal,
): Promise<PublishedReleases> {
  const passOver = passing(reader, signal);
  for (const base of places.catalogues) {
    const place = `${base}/catalog.json`;
    const found = await passOver(place, async () =>
      releasesIn(parseJson(place, await present(reader, place, CATALOGUE_BYTES, signal))),
    );
    if (found !== null) return { ...found, from: 'catalogue' };
  }
  const all = await passOver(places.data, () => releasePlace(places.data).releases(signal));
  const newest = all?.at(-1);
  if (all !== null && newest !== undefined) return { newest, all, from: 'listing' };
  return { newest: known ?? LAST_KNOWN_RELEASE, all: [], from: 'known' };
}

/**
 * The files of a release: from one file of its catalogue, or the collections of its types and an item for each file, or the
 * listing of the bucket and the footers of all of them.
 */
export async function readReleaseIndex(
  release: string,
  places: OverturePlaces,
  reader: IndexReader,
  signal: AbortSignal,
): Promise<ReleaseIndex> {
  const passOver = passing(reader, signal);
  const whole = (place: string) => present(reader, place, INDEX_BYTES, signal);
  const indexes = {
    'collections.parquet': async (base: string) => collectionRows(await whole(`${base}/collections.parquet`)),
    'manifest.geojson': async (base: string) => {
      const place = `${base}/manifest.geojson`;
      return manifestRows(parseJson(place, await whole(place)));
    },
    'collection.json': (base: string) => itemRows(base, reader, signal),
  } as const;
  for (const [from, rowsAt] of Object.entries(indexes))
    for (const base of places.catalogues) {
      const place = `${base}/${release}`;
      const files = await passOver(`${place}/${from}`, async () =>
        indexedFiles(`${place}/${from}`, await rowsAt(place), release, places.data),
      );
      if (files !== null) return { release, from: from as keyof typeof indexes, files };
    }
  const files = await Promise.all(
    OVERTURE_TYPES.map(async ({ folder }) => {
      const urls = await releasePlace(places.data).files(release, folder, signal);
      if (urls.length === 0) throw new OvertureError(places.data, `release ${release} has no files of ${folder}`);
      return Promise.all(
        urls.map(async (url): Promise<IndexedFile> => {
          return { folder, url, box: await reader.boundsOf(url, folder, signal) };
        }),
      );
    }),
  );
  return { release, from: 'listing', files: files.flat() };
}

/** Tries a place; null where it does not answer as it should. */
function passing(reader: IndexReader, signal: AbortSignal) {
  return async <T>(place: string, read: () => Promise<T>): Promise<T | null> => {
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      // Without a network there is no other place to try.
      if ((error as { kind?: unknown }).kind === 'offline') throw error;
      reader.onFault(place, error);
      return null;
    }
  };
}

async function present(reader: IndexReader, place: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const bytes = await reader.fetch(place, maxBytes, signal);
  if (bytes === null) throw new OvertureError(place, 'there is nothing at this address');
  return bytes;
}

function parseJson(place: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (cause) {
    throw new OvertureError(place, `wanted JSON (${(cause as Error).message})`, { cause });
  }
}

/** `latest` of the root catalogue, else the newest of its children. Their addresses are relative or absolute. */
function releasesIn(catalogue: unknown): Omit<PublishedReleases, 'from'> {
  const { latest, links } = isRecord(catalogue) ? catalogue : {};
  const children = (Array.isArray(links) ? links : []).filter(isRecord).filter(({ rel }) => rel === 'child');
  const names = children.flatMap(({ href }) => String(href).split('/')).filter((part) => RELEASE.test(part));
  const all = [...new Set(names)].sort();
  const newest = typeof latest === 'string' && RELEASE.test(latest) ? latest : all.at(-1);
  if (newest === undefined) throw new OvertureError('catalog.json', 'it names no release');
  return { newest, all: all.includes(newest) ? all : [...all, newest].sort() };
}

/** A row of an index: some text with the path of a file in it, and its box. */
interface IndexRow {
  readonly paths: readonly string[];
  readonly box: Bbox | null;
}

async function collectionRows(bytes: Uint8Array): Promise<readonly IndexRow[]> {
  const file = bytes.slice().buffer;
  const options = { file, columns: ['assets', 'bbox'], compressors: PARQUET_COMPRESSORS, geoparquet: false };
  const rows = await parquetReadObjects(options);
  return rows.map(({ assets, bbox }) => ({ paths: textsIn(assets), box: boxIn(bbox) }));
}

function manifestRows(manifest: unknown): readonly IndexRow[] {
  const features: unknown = isRecord(manifest) ? manifest['features'] : null;
  if (!Array.isArray(features)) throw new OvertureError('manifest.geojson', 'wanted a list of features');
  return features.filter(isRecord).map(({ properties, bbox, geometry }) => ({
    paths: textsIn(properties),
    box: boxIn(bbox) ?? boxAround(isRecord(geometry) ? geometry['coordinates'] : null),
  }));
}

/** Items that are read at the same time. */
const ITEMS_AT_ONCE = 12;
const ITEM_BYTES = 1_000_000;

/**
 * The items of the collection of each type. A collection that declares another number of files than it has links to items is not
 * whole, and boxes of its extent are in no order that could be relied on.
 */
async function itemRows(base: string, reader: IndexReader, signal: AbortSignal): Promise<readonly IndexRow[]> {
  const gate = createGate(ITEMS_AT_ONCE);
  const read = (place: string): Promise<unknown> =>
    gate.run(signal, async () => parseJson(place, await present(reader, place, ITEM_BYTES, signal)));
  const links = await Promise.all(
    OVERTURE_TYPES.map(async ({ folder }) => {
      const path = folder.replaceAll(/\w+=/g, '');
      const place = `${base}/${path}/collection.json`;
      const collection = await read(place);
      const items = itemLinks(collection);
      const declared = isRecord(collection) ? collection['partition:file_count'] : null;
      if (typeof declared === 'number' && declared !== items.length)
        throw new OvertureError(place, `wanted links to ${declared} items, got ${items.length}`);
      // Addresses are relative or absolute; the item is read where the collection was, which may be the second door.
      return items.map((href) => {
        const tail = new URL(href, place).pathname.split(`/${path}/`).at(-1) ?? '';
        return `${base}/${path}/${tail}`;
      });
    }),
  );
  const items = await Promise.all(links.flat().map(read));
  return items.filter(isRecord).map(({ assets, bbox, geometry }) => ({
    paths: textsIn(assets),
    box: boxIn(bbox) ?? boxAround(isRecord(geometry) ? geometry['coordinates'] : null),
  }));
}

function itemLinks(collection: unknown): readonly string[] {
  const links: unknown = isRecord(collection) ? collection['links'] : null;
  const items = (Array.isArray(links) ? links : []).filter(isRecord).filter(({ rel }) => rel === 'item');
  return items.map(({ href }) => String(href));
}

/** Every text in a value: the names of the assets of an item, and of what is in them, have changed. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}

function boxIn(value: unknown): Bbox | null {
  const sides: readonly unknown[] = Array.isArray(value)
    ? value
    : isRecord(value)
      ? [value['xmin'], value['ymin'], value['xmax'], value['ymax']]
      : [];
  const [west, south, east, north] = sides.length === 6 ? [sides[0], sides[1], sides[3], sides[4]] : sides;
  return [west, south, east, north].every((side) => typeof side === 'number' && Number.isFinite(side))
    ? [west as number, south as number, east as number, north as number]
    : null;
}

function boxAround(coordinates: unknown): Bbox | null {
  const flat = Array.isArray(coordinates) ? (coordinates.flat(Infinity) as unknown[]) : [];
  const numbers = flat.filter((value) => typeof value === 'number');
  if (numbers.length === 0 || numbers.length !== flat.length || numbers.length % 2 !== 0) return null;
  const [xs, ys] = [numbers.filter((_, i) => i % 2 === 0), numbers.filter((_, i) => i % 2 === 1)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** A file inside a release; the type stands in its path, whatever other columns say. */
const FILE = /(?:release\/([^/]+)\/)?(theme=[^/]+\/type=[^/]+)\/([^/?]+\.parquet)$/;

/**
 * The files of the types that are read, each where the bucket has it: an index may name several addresses of a file. Throws where
 * a type has no file, because everything of it would be missing without a word.
 */
function indexedFiles(place: string, rows: readonly IndexRow[], release: string, data: string): IndexedFile[] {
  const wanted = new Set<string>(OVERTURE_TYPES.map(({ folder }) => folder));
  const files = new Map<string, IndexedFile>();
  for (const { paths, box } of rows) {
    const found = paths.map((path) => FILE.exec(path)).find((match) => match !== null);
    if (found === undefined) continue;
    const [, named = release, folder, name] = found;
    if (!wanted.has(folder)) continue;
    const url = `${data}/release/${named}/${folder}/${name}`;
    // A file whose box nobody can read is looked into.
    files.set(url, { folder, url, box: box ?? [-180, -90, 180, 90] });
  }
  const all = [...files.values()];
  const missing = [...wanted].filter((folder) => !all.some((file) => file.folder === folder));
  if (missing.length > 0) throw new OvertureError(place, `it names no files of ${missing.join(', ')}`);
  return all;
}
