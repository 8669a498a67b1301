import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { ZipFile as NewZip } from 'yazl';
import { isRecord } from '../../is-record.ts';

/** What a backup says of one of its parts. */
interface PartRecord {
  /** `tables/users.jsonl`, `files/packs/...`; in the archive with `.zst` at its end. */
  readonly name: string;
  /** Of what is unpacked. */
  readonly bytes: number;
  readonly sha256: string;
  /** Of a table. */
  readonly rows?: number;
}

/** What a backup says of itself; the last entry of the archive, so that a file that was cut off has none. */
export interface Manifest {
  readonly format: 'firstmile-backup';
  readonly formatVersion: 1;
  /** The release that wrote it. */
  readonly firstmile: string;
  readonly madeAt: string;
  readonly database: { readonly engine: 'embedded' | 'postgres'; readonly version: number };
  /** The bucket that files of its rows lie in; null: there is none. */
  readonly bucket: string | null;
  /** Whether those files are in it. Absent: written by a release that left them out. */
  readonly objects?: 'included' | 'not included';
  /** Files that its rows name and that the bucket did not have, or not whole. */
  readonly missingObjects?: readonly string[];
  readonly sealingKey: 'included' | 'not included';
  readonly parts: readonly PartRecord[];
}

/** What is under way: parts are copied into an archive, read back from it to compare checksums, or restored. */
export type BackupStep = 'copy' | 'check' | 'restore';
/** Hears of each piece: the bytes so far, and those that it will be; null where that is not known. */
export type OnProgress = (step: BackupStep, bytes: number, total: number | null) => void;

/** A part to be written. */
export interface Part {
  readonly name: string;
  /** Bytes of the part; `rows` is called with the number of rows that each piece holds. */
  read(rows: (count: number) => void): AsyncIterable<Uint8Array>;
}

const MANIFEST = 'manifest.json';
const FORMAT_VERSION = 1;
const MOST_MANIFEST_BYTES = 256_000_000;
const PRIVATE = 0o600;

/**
 * Writes a ZIP archive of parts compressed with zstd, and their sizes and SHA-256 at its end. It has its name when it is whole
 * and on the disk; only its owner may read it. Bytes count before they are compressed.
 */
export async function writeArchive(
  path: string,
  parts: readonly Part[],
  about: Omit<Manifest, 'format' | 'formatVersion' | 'parts'>,
  onProgress: OnProgress,
): Promise<Manifest> {
  const draft = `${path}.unfinished`;
  const zip = new NewZip();
  const written: PartRecord[] = [];
  const onBytes = counter('copy', null, onProgress);
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  zip.on('error', (error: Error) => broken.reject(error));
  const options = { compress: false, mode: PRIVATE };
  for (const part of parts)
    zip.addReadStreamLazy(`${part.name}.zst`, options, (give) => {
      const packing = createZstdCompress();
      pipeline(Readable.from(recorded(part, written, onBytes)), packing).catch((error: unknown) =>
        broken.reject(error),
      );
      give(null, packing);
    });
  let manifest: Manifest | null = null;
  zip.addReadStreamLazy(MANIFEST, options, (give) => {
    manifest = { format: 'firstmile-backup', formatVersion: FORMAT_VERSION, ...about, parts: written };
    give(null, Readable.from([Buffer.from(JSON.stringify(manifest, null, 1))]));
  });
  zip.end();
  const out = createWriteStream(draft, { mode: PRIVATE, flush: true });
  try {
    await Promise.race([pipeline(zip.outputStream, out), broken.promise]);
    await rename(draft, path);
    await flush(dirname(path));
    return manifest!;
  } catch (error) {
    out.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}

/** The bytes of a part; its record is kept when all of them have passed. */
async function* recorded(
  part: Part,
  written: PartRecord[],
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash('sha256');
  let [bytes, rows, isTable] = [0, 0, false];
  const count = (more: number): void => {
    rows += more;
    isTable = true;
  };
  for await (const chunk of part.read(count)) {
    hash.update(chunk);
    bytes += chunk.length;
    onBytes(chunk.length);
    yield chunk;
  }
  written.push({ name: part.name, bytes, sha256: hash.digest('hex'), ...(isTable && { rows }) });
}

function counter(step: BackupStep, total: number | null, onProgress: OnProgress): (count: number) => void {
  let bytes = 0;
  return (count) => onProgress(step, (bytes += count), total);
}

async function flush(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** An archive of this format. */
export interface OpenedArchive extends AsyncDisposable {
  readonly manifest: Manifest;
  /** Reads a part again; throws where it is not what the manifest says. */
  read(name: string): AsyncGenerator<Uint8Array, void>;
  /** Reads all parts and compares sizes and checksums. */
  verify(): Promise<void>;
}

/** Opens a backup. Throws a sentence for a file that is cut off, that is none, or that another version wrote. */
export async function openArchive(path: string, onProgress: OnProgress): Promise<OpenedArchive> {
  const zip = await yauzl
    .openPromise(path, { lazyEntries: true, autoClose: false })
    .catch((error: unknown) => noBackup(path, error));
  try {
    const entries = await entriesOf(zip).catch((error: unknown) => noBackup(path, error));
    const manifest = await readManifest(path, zip, entries.get(MANIFEST));
    // Maps, because a bucket may have a million files.
    const parts = new Map(manifest.parts.map((part) => [part.name, part]));
    const named = new Set([MANIFEST, ...manifest.parts.map(({ name }) => `${name}.zst`)]);
    const stray = [...entries.keys()].find((name) => !named.has(name));
    if (stray !== undefined) noBackup(path, new Error(`${stray} is not in its list`));
    const total = manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0);
    const readAs = (step: BackupStep): OpenedArchive['read'] => {
      const onBytes = counter(step, total, onProgress);
      return (name) =>
        readPart(path, zip, entries, parts.get(name) ?? noBackup(path, new Error(`${name} is missing`)), onBytes);
    };
    return {
      manifest,
      read: readAs('restore'),
      async verify() {
        const read = readAs('check');
        for (const { name } of manifest.parts) for await (const _ of read(name));
      },
      async [Symbol.asyncDispose]() {
        zip.close();
      },
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function entriesOf(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  return entries;
}

async function* readPart(
  path: string,
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
  { name, bytes, sha256 }: PartRecord,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array, void> {
  const entry = entries.get(`${name}.zst`);
  if (entry === undefined) return noBackup(path, new Error(`${name} is missing`));
  const hash = createHash('sha256');
  let got = 0;
  try {
    const packed = await zip.openReadStreamPromise(entry);
    const unpacking: Transform = createZstdDecompress();
    // What breaks on the way is thrown where the last stream is read.
    pipeline(packed, unpacking).catch(() => {});
    for await (const chunk of unpacking as AsyncIterable<Uint8Array>) {
      got += chunk.length;
      if (got > bytes) break;
      hash.update(chunk);
      onBytes(chunk.length);
      yield chunk;
    }
  } catch (error) {
    noBackup(path, error, name);
  }
  if (got !== bytes || hash.digest('hex') !== sha256)
    noBackup(path, new Error(`wanted ${bytes} bytes with the checksum in its list`), name);
}

async function readManifest(path: string, zip: ZipFile, entry: Entry | undefined): Promise<Manifest> {
  if (entry === undefined || entry.uncompressedSize > MOST_MANIFEST_BYTES)
    return noBackup(path, new Error(`it has no ${MANIFEST}`));
  let value: unknown;
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Uint8Array);
    value = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    return noBackup(path, error, MANIFEST);
  }
  if (!isRecord(value) || value['format'] !== 'firstmile-backup')
    return noBackup(path, new Error(`${MANIFEST} is of something else`));
  if (value['formatVersion'] !== FORMAT_VERSION)
    throw new Error(
      `${path} is a backup of format ${JSON.stringify(value['formatVersion'])}, written by firstmile ${JSON.stringify(value['firstmile'])}; this one reads format ${FORMAT_VERSION}: use that release`,
    );
  if (!isManifest(value)) return noBackup(path, new Error(`${MANIFEST} lacks what it should say`));
  return value;
}

function isManifest(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & Manifest {
  const { database, parts } = value;
  return (
    isRecord(database) &&
    Number.isInteger(database['version']) &&
    Array.isArray(parts) &&
    parts.every(
      (part: unknown) =>
        isRecord(part) &&
        typeof part['name'] === 'string' &&
        Number.isInteger(part['bytes']) &&
        typeof part['sha256'] === 'string',
    )
  );
}

function noBackup(path: string, cause: unknown, part?: string): never {
  const where = part === undefined ? '' : ` in ${part}`;
  throw new Error(
    `${path} is no whole backup: it is cut off, damaged or something else (${(cause as Error).message}${where})`,
    { cause },
  );
}
