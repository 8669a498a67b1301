import { parquetMetadata } from 'hyparquet';
import { ByteSourceError } from '../io/byte-error.ts';
import type { DiskCacheFolder } from '../io/disk-cache-folder.ts';
import { createShared } from '../io/share.ts';
import { OVERTURE_TYPES, OvertureError } from './overture-types.ts';
import { isRead, type FileFooter } from './read-rows.ts';

/** The last bytes of a file, and the length of the whole; null when there is none. */
type FetchTail = (
  url: string,
  bytes: number,
  signal: AbortSignal,
) => Promise<{ readonly bytes: Uint8Array; readonly size: number } | null>;

/** Footers of the files of releases, each read once: a file of a release never changes. */
interface Footers {
  read(url: string, folder: string, signal: AbortSignal): Promise<FileFooter>;
}

/** Fetched of a file at first: the footers of most types fit. */
const TAIL_BYTES = 524_288;
/** A footer that is longer is none of Overture's. */
const MOST_BYTES = 67_108_864;
/** Footers kept in memory as they are used, without the columns that nobody reads. */
const IN_MEMORY = 64;

/** Opens footers that are kept in the disk cache; null keeps some in memory alone. */
export function openFooters(fetchTail: FetchTail, cache: DiskCacheFolder | null): Footers {
  const shared = createShared<FileFooter>();
  const memory = new Map<string, FileFooter>();

  async function bytesOf(url: string, signal: AbortSignal): Promise<Uint8Array> {
    const key = `overture footer ${url}`;
    const kept = (await cache?.get(key, null)) ?? null;
    if (kept !== null) return kept;
    const block = await fetchFooter(url, fetchTail, signal);
    await cache?.put(key, block);
    return block;
  }

  return {
    read(url, folder, signal) {
      const known = memory.get(url);
      if (known !== undefined) {
        memory.delete(url);
        memory.set(url, known);
        return Promise.resolve(known);
      }
      return shared(url, signal, async (inner) => {
        const footer = parseFooter(url, folder, await bytesOf(url, inner));
        memory.set(url, footer);
        if (memory.size > IN_MEMORY) memory.delete(memory.keys().next().value as string);
        return footer;
      });
    },
  };
}

/** The length of the file in 8 bytes, then its footer with the 8 bytes that end it. */
async function fetchFooter(url: string, fetchTail: FetchTail, signal: AbortSignal): Promise<Uint8Array> {
  for (let wanted = TAIL_BYTES; ;) {
    const tail = await fetchTail(url, wanted, signal);
    if (tail === null) throw new ByteSourceError('status', url, 'the file is no longer there', { status: 404 });
    const { bytes, size } = tail;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (bytes.length < 12 || new TextDecoder('latin1').decode(bytes.subarray(-4)) !== 'PAR1')
      throw new OvertureError(url, 'wanted a Parquet file, got one that ends otherwise');
    const length = view.getUint32(bytes.length - 8, true) + 8;
    if (length > Math.min(size, MOST_BYTES)) throw new OvertureError(url, `its footer claims ${length} bytes`);
    if (length > bytes.length && length > wanted) {
      wanted = length;
      continue;
    }
    const block = new Uint8Array(8 + length);
    new DataView(block.buffer).setFloat64(0, size);
    block.set(bytes.subarray(-length), 8);
    return block;
  }
}

function parseFooter(url: string, folder: string, block: Uint8Array): FileFooter {
  const type = OVERTURE_TYPES.find((one) => one.folder === folder);
  const size = new DataView(block.buffer, block.byteOffset).getFloat64(0);
  try {
    const metadata = parquetMetadata(block.slice(8).buffer, { geoparquet: false });
    const groups = metadata.row_groups.map((group) => ({
      ...group,
      columns: group.columns.filter(
        ({ meta_data: meta }) => type === undefined || (meta !== undefined && isRead(type, meta.path_in_schema[0])),
      ),
    }));
    return { size, metadata: { ...metadata, row_groups: groups } };
  } catch (cause) {
    throw new OvertureError(url, `the footer cannot be read (${(cause as Error).message})`, { cause });
  }
}
