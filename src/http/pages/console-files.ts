import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';
import type { AnyReply, AnyRequest } from '../server/app.ts';
import { etagMatches, etagOf } from '../guards/etag.ts';

/** Where `npm run build:console` puts the page. */
export const CONSOLE_FOLDER = resolve(import.meta.dirname, '../../../dist/console');

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.mvt': 'application/vnd.mapbox-vector-tile',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Names under `assets/` carry a hash of their content, so that a copy of one never goes stale. */
const FOREVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

interface ConsoleFile {
  /** Null: only compressed copies are kept. */
  readonly bytes: number | null;
  readonly mediaType: string;
  readonly etag: string;
  /** Suffixes of the compressed copies next to it, with their lengths. */
  readonly copies: ReadonlyMap<string, number>;
}

export interface ConsoleFiles {
  /** Looks again at what there is when the console was built again since. */
  refresh(): Promise<void>;
  /** Sends a file, compressed as the client likes best. False when there is none of that name. */
  send(name: string, request: AnyRequest, reply: AnyReply): Promise<boolean>;
}

interface Listing {
  readonly built: number;
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

/**
 * The files of the built console; only what is listed can be requested. Nothing is there when it was not built. They are
 * listed at the first request: there are thousands, and a start must not wait for them.
 */
export function openConsoleFiles(folder: string): ConsoleFiles {
  let listing: Promise<Listing> | null = null;
  const list = (): Promise<Listing> => {
    if (listing !== null) return listing;
    const made = builtAt(folder).then(async (built) => ({ built, files: await listFiles(folder) }));
    listing = made;
    made.catch(() => (listing = null));
    return made;
  };
  return {
    async refresh() {
      const { built } = await list();
      if ((await builtAt(folder)) !== built) listing = null;
    },
    async send(name, request, reply) {
      const { files } = await list();
      const found = files.has(name) ? name : tileAbove(name, files);
      const file = files.get(found ?? '');
      if (found === null || file === undefined) return false;
      const [encoding, suffix] = chosen(file, String(request.headers['accept-encoding'] ?? ''));
      const etag = etagOf(`${file.etag}${suffix}`);
      reply.headers({
        'cache-control': found.startsWith('assets/') ? FOREVER : ASK_AGAIN,
        'content-type': file.mediaType,
        vary: 'accept-encoding',
        etag,
      });
      if (etagMatches(request.headers['if-none-match'], etag)) {
        void reply.code(304).send();
        return true;
      }
      if (encoding !== null) reply.header('content-encoding', encoding);
      reply.header('content-length', String(file.copies.get(suffix) ?? file.bytes ?? 0));
      void reply.send(request.method === 'HEAD' ? '' : createReadStream(join(folder, `${found}${suffix}`)));
      return true;
    },
  };
}

const TILE = /^map\/(\d)\/(\d{1,3})\/(\d{1,3})\.mvt$/;

/** The nearest tile of the base map above one that has no file of its own: all sea or all land, as it is. */
function tileAbove(name: string, files: Listing['files']): string | null {
  let [zoom, x, y] = (TILE.exec(name)?.slice(1) ?? []).map(Number);
  if (zoom === undefined || x === undefined || y === undefined || Math.max(x, y) >= 2 ** zoom) return null;
  while (zoom > 0) {
    [zoom, x, y] = [zoom - 1, x >> 1, y >> 1];
    if (files.has(`map/${zoom}/${x}/${y}.mvt`)) return `map/${zoom}/${x}/${y}.mvt`;
  }
  return null;
}

/** When the page was written last; 0 when it is not there. */
async function builtAt(folder: string): Promise<number> {
  return stat(join(folder, 'index.html')).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function chosen({ bytes, copies }: ConsoleFile, accepted: string): readonly [encoding: string | null, suffix: string] {
  const names = accepted.split(',').map((item) => item.trim().toLowerCase());
  const likes = (name: string): boolean =>
    names.some((item) => item.split(';', 1)[0] === name && !/;\s*q=0(\.0*)?$/.test(item));
  const found = ENCODINGS.find(([name, suffix]) => copies.has(suffix) && likes(name));
  // A client that cannot read a copy is still better off with one than with nothing.
  return found ?? (bytes === null ? (ENCODINGS.find(([, suffix]) => copies.has(suffix)) ?? [null, '']) : [null, '']);
}

async function listFiles(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const sizes = new Map<string, { readonly bytes: number; readonly changed: number }>();
  const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(
    found.map(async (path) => {
      const { size, mtimeMs } = await stat(path);
      sizes.set(relative(folder, path).split(sep).join('/'), { bytes: size, changed: mtimeMs });
    }),
  );
  const files = new Map<string, ConsoleFile>();
  const names = new Set([...sizes.keys()].map((name) => name.replace(/\.(br|gz)$/, '')));
  for (const name of names) {
    const mediaType = MEDIA_TYPES[extname(name)];
    if (mediaType === undefined) continue;
    const copies = new Map(
      ENCODINGS.flatMap(([, suffix]) => {
        const copy = sizes.get(`${name}${suffix}`);
        return copy === undefined ? [] : [[suffix, copy.bytes] as const];
      }),
    );
    const own = sizes.get(name);
    const changed = own?.changed ?? sizes.get(`${name}${[...copies.keys()][0]}`)?.changed;
    files.set(name, { bytes: own?.bytes ?? null, mediaType, etag: `${name} ${own?.bytes} ${changed}`, copies });
  }
  return files;
}
