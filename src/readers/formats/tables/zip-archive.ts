import { createInflateRaw } from 'node:zlib';
import type { Readable } from 'node:stream';
import { Problem } from '../../../errors.ts';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { FILE_LIMITS, malformed, tooLarge } from './file-limits.ts';

export interface ArchiveEntry {
  /** Path inside the archive, with slashes. */
  readonly path: string;
  /** Bytes once unpacked, as the archive says; reading more is refused. */
  readonly size: number;
}

/** An archive whose directory was found harmless. */
export interface ZipArchive extends AsyncDisposable {
  readonly entries: readonly ArchiveEntry[];
  /** The entry of this path, whatever the case; null when there is none. */
  find(path: string): ArchiveEntry | null;
  /** Unpacks while it is read. */
  read(entry: ArchiveEntry): AsyncGenerator<Uint8Array, void>;
  /** The whole of an entry that has to be held in memory. */
  bytes(entry: ArchiveEntry): Promise<Buffer>;
}

/**
 * Opens a ZIP archive and checks it by its directory before anything is unpacked: paths that lead outside, encryption,
 * too many entries, too much in all or too much for its size are refused. What an entry unpacks to is counted while it
 * is read, because a directory can lie.
 */
export async function openZipArchive(path: string, archiveBytes: number): Promise<ZipArchive> {
  const zip = await yauzl
    .openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: false })
    .catch((error: unknown) => {
      throw brokenArchive(error);
    });
  try {
    const entries = await listEntries(zip, archiveBytes);
    return archiveOf(zip, entries);
  } catch (error) {
    zip.close();
    throw error instanceof Problem ? error : brokenArchive(error);
  }
}

type Listed = ReadonlyMap<ArchiveEntry, Entry>;

async function listEntries(zip: ZipFile, archiveBytes: number): Promise<Listed> {
  if (zip.entryCount > FILE_LIMITS.archiveEntries)
    throw tooLarge(
      `The archive has too many entries; wanted at most ${FILE_LIMITS.archiveEntries}, got ${zip.entryCount}.`,
    );
  const listed = new Map<ArchiveEntry, Entry>();
  const seen = new Set<string>();
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    const { fileName, uncompressedSize } = entry;
    if (fileName.endsWith('/')) continue;
    if (isOutside(fileName))
      throw malformed(
        'path_traversal',
        `wanted entries inside the archive, got the path ${JSON.stringify(fileName.slice(0, 100))}`,
      );
    if ((entry.generalPurposeBitFlag & 1) !== 0)
      throw malformed('encrypted_archive', 'wanted an archive without a password, got an encrypted one');
    if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
      throw malformed(
        'unsupported_compression',
        `wanted entries that are stored or deflated, got compression method ${entry.compressionMethod}`,
      );
    if (seen.has(fileName.toLowerCase()))
      throw malformed('duplicate_entry', `wanted every path once, got ${JSON.stringify(fileName.slice(0, 100))} twice`);
    seen.add(fileName.toLowerCase());
    total += uncompressedSize;
    refuseBomb(total, archiveBytes);
    listed.set({ path: fileName, size: uncompressedSize }, entry);
  }
  return listed;
}

function refuseBomb(total: number, archiveBytes: number): void {
  const { archiveBytes: most, archiveRatio, archiveFreeBytes } = FILE_LIMITS;
  if (total > most) throw tooLarge(`The archive unpacks to more than ${most} bytes; wanted at most that.`);
  if (total > archiveFreeBytes && total > archiveBytes * archiveRatio)
    throw tooLarge(
      `The archive unpacks to more than ${archiveRatio} times its size; wanted at most that, or ${archiveFreeBytes} bytes.`,
    );
}

function isOutside(path: string): boolean {
  return (
    path.startsWith('/') ||
    path.includes('\\') ||
    path.includes('\0') ||
    /^[a-z]:/i.test(path) ||
    path.split('/').includes('..')
  );
}

function archiveOf(zip: ZipFile, listed: Listed): ZipArchive {
  const entries = [...listed.keys()];
  const byPath = new Map(entries.map((entry) => [entry.path.toLowerCase(), entry]));

  async function* read(entry: ArchiveEntry): AsyncGenerator<Uint8Array, void> {
    const inner = listed.get(entry);
    if (inner === undefined) throw new TypeError(`${entry.path} is not an entry of this archive`);
    let size = 0;
    try {
      for await (const chunk of await unpacked(zip, inner)) {
        size += (chunk as Uint8Array).length;
        if (size > entry.size)
          throw malformed('archive_lies', `wanted ${entry.size} bytes in ${entry.path} as the archive says, got more`);
        yield chunk as Uint8Array;
      }
    } catch (error) {
      throw error instanceof Problem ? error : brokenArchive(error);
    }
    if (size < entry.size)
      throw malformed('archive_lies', `wanted ${entry.size} bytes in ${entry.path} as the archive says, got ${size}`);
  }

  return {
    entries,
    find: (path) => byPath.get(path.toLowerCase()) ?? null,
    read,
    async bytes(entry) {
      if (entry.size > FILE_LIMITS.heldBytes)
        throw tooLarge(`${entry.path} is too large; wanted at most ${FILE_LIMITS.heldBytes} bytes, got ${entry.size}.`);
      const whole = Buffer.alloc(entry.size);
      let at = 0;
      for await (const chunk of read(entry)) {
        whole.set(chunk, at);
        at += chunk.length;
      }
      return whole;
    },
    async [Symbol.asyncDispose]() {
      zip.close();
    },
  };
}

/** Inflated here rather than by the library, so that a reader that stops early leaves nothing running. */
async function unpacked(zip: ZipFile, entry: Entry): Promise<Readable> {
  const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  if (entry.compressionMethod === 0) return raw;
  const inflate = createInflateRaw();
  raw.once('error', (error) => inflate.destroy(error));
  inflate.once('close', () => raw.destroy());
  return raw.pipe(inflate);
}

function brokenArchive(error: unknown): Problem {
  const reason = error instanceof Error ? error.message : String(error);
  if (/relative path|absolute path|invalid characters in fileName/.test(reason))
    return malformed(
      'path_traversal',
      `wanted entries inside the archive, got one that leads outside (${reason})`,
      error,
    );
  return malformed('broken_archive', `wanted a whole ZIP archive, got one that cannot be read (${reason})`, error);
}
