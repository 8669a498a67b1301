import { createServer } from 'node:http';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { boundsOf } from '../src/readers/overture/read-rows.ts';

interface SiteFile {
  readonly path: string;
  size: number;
  fetched: number;
}

/** A folder as the bucket of Overture and its catalogue, and what was requested of it. */
interface OvertureSite extends AsyncDisposable {
  readonly url: string;
  /** Where the catalogue is, for a folder with `writeOvertureCatalogue`. */
  readonly catalogue: string;
  readonly fetched: number;
  readonly ranges: number;
  /** Files of a release that were fetched whole. */
  readonly whole: number;
  readonly files: readonly SiteFile[];
  /** Everything that was requested, as `path range`, in order. */
  readonly requests: string[];
  /** How it answers from now on. */
  faults: SiteFaults;
}

interface SiteFaults {
  /** Milliseconds before each answer. */
  readonly delayMs?: number;
  /** Every answer waits for this. */
  readonly until?: Promise<unknown>;
  /** The status of every answer. */
  readonly status?: number;
  /** Paths that are not there. */
  readonly gone?: RegExp;
  /** Paths whose bodies end after half of their bytes. */
  readonly cut?: RegExp;
}

interface SiteOptions {
  /** What every listing is answered with. */
  readonly listing?: string;
  readonly faults?: SiteFaults;
}

/** Serves a folder: listings in pages of two names, ranges of files from either end, and the catalogue in `stac`. */
export async function overtureSite(root: string, { listing, faults = {} }: SiteOptions = {}): Promise<OvertureSite> {
  const state = { fetched: 0, ranges: 0, whole: 0, requests: [] as string[], faults };
  const known = new Map<string, SiteFile>();
  for (const path of await pathsIn(root)) known.set(path, { path, size: 0, fetched: 0 });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://bucket');
    const path = decodeURIComponent(url.pathname.slice(1));
    const { range } = request.headers;
    state.requests.push(`${url.pathname}${url.search} ${range ?? ''}`.trim());
    const { delayMs = 0, until, status, gone, cut } = state.faults;
    void Promise.all([wait(delayMs), until]).then(async () => {
      if (status !== undefined) return response.writeHead(status).end();
      if (path === '') return response.end(listing ?? listOf(await pathsIn(root), url.searchParams));
      const bytes = gone?.test(path) === true ? null : await readFile(join(root, path)).catch(() => null);
      if (bytes === null) return response.writeHead(404).end();
      const file = known.get(path) ?? { path, size: 0, fetched: 0 };
      known.set(path, file);
      file.size = bytes.length;
      const span = range === undefined ? null : spanOf(range, bytes.length);
      const body = span === null ? bytes : bytes.subarray(span[0], span[1]);
      state.fetched += body.length;
      file.fetched += body.length;
      if (span !== null) state.ranges++;
      else if (path.startsWith('release/')) state.whole++;
      response.writeHead(span === null ? 200 : 206, {
        etag: '"1"',
        'content-length': body.length,
        ...(span === null ? {} : { 'content-range': `bytes ${span[0]}-${span[1] - 1}/${bytes.length}` }),
      });
      if (cut?.test(path) !== true) return response.end(body);
      return response.write(body.subarray(0, body.length / 2), () => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    catalogue: `${url}/stac`,
    get fetched() {
      return state.fetched;
    },
    get ranges() {
      return state.ranges;
    },
    get whole() {
      return state.whole;
    },
    get files() {
      return [...known.values()];
    },
    requests: state.requests,
    get faults() {
      return state.faults;
    },
    set faults(next) {
      state.faults = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** First byte and the one after the last. */
function spanOf(range: string, size: number): [number, number] {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (from === '') return [Math.max(0, size - Number(to)), size];
  return [Number(from), to === '' ? size : Math.min(Number(to) + 1, size)];
}

async function pathsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.parquet'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => path.startsWith('release/'))
    .sort();
}

function listOf(all: readonly string[], query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const from = Number(query.get('continuation-token') ?? 0);
  const matching = all.filter((path) => path.startsWith(prefix));
  const folders = query.has('delimiter')
    ? [...new Set(matching.map((path) => prefix + path.slice(prefix.length).split('/')[0] + '/'))]
    : [];
  const names = query.has('delimiter') ? [] : matching.slice(from, from + 2);
  const next =
    !query.has('delimiter') && from + 2 < matching.length
      ? `<NextContinuationToken>${from + 2}</NextContinuationToken>`
      : '';
  return `<?xml version="1.0"?><ListBucketResult><Prefix>${prefix}</Prefix>${names.map((name) => `<Contents><Key>${name}</Key></Contents>`).join('')}${folders.map((name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`).join('')}${next}</ListBucketResult>`;
}

interface CatalogueLayout {
  /** Address of the bucket in the names of files; default that of the public one, as in any mirror of it. */
  readonly base?: string;
  /** `null` in every row, as in September 2026; default the type. */
  readonly collection?: 'null' | 'type';
  /** How assets are named; `aws` since February 2026. */
  readonly asset?: 'aws' | 'aws-https';
  /** Files that the collection of each type declares; default as many as it has. */
  readonly fileCount?: number;
}

/** Writes the catalogue of all releases in a folder, as Overture's own builder does: root, `collections.parquet`, `manifest.geojson`, collections with their items. */
export async function writeOvertureCatalogue(
  root: string,
  {
    base = 'https://overturemaps-us-west-2.s3.us-west-2.amazonaws.com',
    collection = 'null',
    asset = 'aws',
    fileCount,
  }: CatalogueLayout = {},
): Promise<void> {
  const releases = (await readdir(join(root, 'release'))).sort();
  await mkdir(join(root, 'stac'), { recursive: true });
  const links = releases.map((name) => ({
    rel: 'child',
    href: `./${name}/catalog.json`,
    latest: name === releases.at(-1),
  }));
  const catalogue = { type: 'Catalog', id: 'Overture Releases', latest: releases.at(-1), links };
  await writeFile(join(root, 'stac', 'catalog.json'), JSON.stringify(catalogue));
  for (const release of releases) {
    const paths = (await pathsIn(root)).filter((path) => path.startsWith(`release/${release}/`));
    const boxes = await Promise.all(
      paths.map(async (path) => {
        const bytes = await readFile(join(root, path));
        return boundsOf(
          parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer),
        );
      }),
    );
    const folder = join(root, 'stac', release);
    await mkdir(folder, { recursive: true });
    const features = paths.map((path, i) => ({
      type: 'Feature',
      bbox: boxes[i],
      geometry: null,
      properties: { ovt_type: /type=([^/]+)/.exec(path)?.[1], rel_path: path.slice(`release/${release}/`.length) },
    }));
    await writeFile(join(folder, 'manifest.geojson'), JSON.stringify({ type: 'FeatureCollection', features }));
    for (const type of new Set(paths.map((path) => path.split('/').slice(2, 4).join('/')))) {
      const own = paths.filter((path) => path.includes(`/${type}/`));
      const place = join(folder, type.replaceAll(/\w+=/g, ''));
      const number = (i: number): string => String(i).padStart(5, '0');
      for (const [i, path] of own.entries()) {
        await mkdir(join(place, number(i)), { recursive: true });
        const item = {
          type: 'Feature',
          id: number(i),
          bbox: boxes[paths.indexOf(path)],
          assets: { aws: { href: `${base}/${path}` } },
        };
        await writeFile(join(place, number(i), `${number(i)}.json`), JSON.stringify(item));
      }
      const items = own.map((_, i) => ({ rel: 'item', href: `./${number(i)}/${number(i)}.json` }));
      const collection = { type: 'Collection', links: items, 'partition:file_count': fileCount ?? own.length };
      await writeFile(join(place, 'collection.json'), JSON.stringify(collection));
    }
    type Schema = NonNullable<Parameters<typeof parquetWriteBuffer>[0]['schema']>;
    const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const;
    const edge = (name: string) => ({ name, type: 'DOUBLE', repetition_type: 'REQUIRED' }) as const;
    const group = (name: string, members: number) =>
      ({ name, num_children: members, repetition_type: 'OPTIONAL' }) as const;
    const columns: readonly { name: string; data: unknown[]; schema: Schema }[] = [
      { name: 'id', data: paths.map((_, i) => String(i).padStart(5, '0')), schema: [{ name: 'id', ...text }] },
      {
        name: 'bbox',
        data: boxes.map(([xmin, ymin, xmax, ymax]) => ({ xmin, ymin, xmax, ymax })),
        schema: [group('bbox', 4), edge('xmin'), edge('ymin'), edge('xmax'), edge('ymax')],
      },
      {
        name: 'assets',
        data: paths.map((path) => ({
          [asset]: { href: `${base}/${path}`, alternate: { s3: { href: `s3://overturemaps-us-west-2/${path}` } } },
        })),
        schema: [
          group('assets', 1),
          group(asset, 2),
          { name: 'href', ...text },
          group('alternate', 1),
          group('s3', 1),
          { name: 'href', ...text },
        ],
      },
      {
        name: 'collection',
        data: paths.map((path) => (collection === 'null' ? null : (/type=([^/]+)/.exec(path)?.[1] ?? null))),
        schema: [{ name: 'collection', ...text }],
      },
    ];
    const buffer = parquetWriteBuffer({
      columnData: columns.map(({ name, data }) => ({ name, data })),
      schema: [{ name: 'root', num_children: columns.length }, ...columns.flatMap(({ schema }) => schema)],
    });
    await writeFile(join(folder, 'collections.parquet'), new Uint8Array(buffer));
  }
}
