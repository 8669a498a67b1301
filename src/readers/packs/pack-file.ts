import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { HOUR_MS } from '../../durations.ts';

const TYPES = { Uint8Array, Int32Array, Uint32Array } as const;
type PackedArray = Uint8Array | Int32Array | Uint32Array;

/**
 * A dataset as one run of bytes: 16 bytes (`FMPACK`, a two-digit layout number, then length of the header and checksum as little-endian
 * 32-bit numbers), a header in JSON, the arrays, each at a multiple of 8. The checksum is the CRC-32 of everything else. The
 * bytes live in shared memory, so that threads use one copy.
 */
export interface Pack {
  readonly header: PackHeader;
  readonly buffer: SharedArrayBuffer;
}

interface PackHeader {
  readonly dataset: string;
  /** What the pack was made from and how: another key means that the pack is out of date. */
  readonly key: string;
  readonly bytes: number;
  readonly arrays: Readonly<
    Record<string, { readonly type: keyof typeof TYPES; readonly offset: number; readonly length: number }>
  >;
  /** What else the dataset's reader keeps. */
  readonly meta: unknown;
}

const MAGIC = new TextEncoder().encode('FMPACK01');
const PREFIX_BYTES = 16;
/** Longest header that is read by itself, in bytes. */
const LONGEST_HEADER = 1_000_000;
/** Half-written files of a process that died are removed when they are older than this. */
const ABANDONED_MS = HOUR_MS;

/** Lays out arrays and JSON as a pack in memory. */
export function createPack(
  dataset: string,
  key: string,
  arrays: Readonly<Record<string, PackedArray>>,
  meta: unknown,
): Pack {
  const layout: Record<string, PackHeader['arrays'][string]> = {};
  let bytes = 0;
  for (const [name, array] of Object.entries(arrays)) {
    layout[name] = { type: typeName(array), offset: bytes, length: array.length };
    bytes = align(bytes + array.byteLength);
  }
  const header = { dataset, key, bytes, arrays: layout, meta } satisfies PackHeader;
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = align(PREFIX_BYTES + text.length);
  const buffer = new SharedArrayBuffer(start + bytes);
  const all = new Uint8Array(buffer);
  all.set(MAGIC);
  new DataView(buffer).setUint32(8, text.length, true);
  all.set(text, PREFIX_BYTES);
  for (const [name, array] of Object.entries(arrays)) {
    all.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), start + layout[name].offset);
  }
  new DataView(buffer).setUint32(12, checksum(all), true);
  return { header, buffer };
}

/** The pack in bytes that were checked already, as another thread hands them over. */
export function openPack(buffer: SharedArrayBuffer): Pack {
  return { header: readHeader(new Uint8Array(buffer)), buffer };
}

/** One array of a pack, without copying. Throws when the pack has no such array of that type. */
export function packArray<K extends keyof typeof TYPES>(
  pack: Pack,
  name: string,
  type: K,
): InstanceType<(typeof TYPES)[K]> {
  const entry = pack.header.arrays[name];
  if (entry?.type !== type)
    throw new Error(
      `Wanted an array "${name}" of ${type} in the pack ${pack.header.dataset}, got ${entry?.type ?? 'none'}`,
    );
  const start = pack.buffer.byteLength - pack.header.bytes + entry.offset;
  return new TYPES[type](pack.buffer as ArrayBufferLike as ArrayBuffer, start, entry.length) as InstanceType<
    (typeof TYPES)[K]
  >;
}

/** What became of reading a pack: `pack`, or why there is none. */
type PackReading = { readonly pack: Pack } | { readonly pack: null; readonly reason: string };

/** Reads and checks the pack of a file. An absent, out-of-date or damaged one is a reason to build it again, never an error. */
export async function readPack(path: string, dataset: string, key: string): Promise<PackReading> {
  let file;
  try {
    file = await open(path, 'r');
  } catch (error) {
    return { pack: null, reason: openFault(error) };
  }
  try {
    const { size } = await file.stat();
    const buffer = new SharedArrayBuffer(size);
    const bytes = new Uint8Array(buffer);
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(bytes, at, Math.min(size - at, 1 << 24), at);
      if (bytesRead === 0) return { pack: null, reason: `damaged: wanted ${size} bytes, got ${at}` };
      at += bytesRead;
    }
    const fault = findFault(bytes, dataset, key);
    return fault === null ? { pack: openPack(buffer) } : { pack: null, reason: fault };
  } catch (error) {
    return { pack: null, reason: (error as Error).message };
  } finally {
    await file.close();
  }
}

/** What a file says of its pack, without reading and checking the rest; null when it is none. */
export async function readPackHeader(path: string): Promise<PackHeader | null> {
  await using file = await open(path, 'r');
  const prefix = new Uint8Array(PREFIX_BYTES);
  await file.read(prefix, 0, PREFIX_BYTES, 0);
  if (MAGIC.some((byte, i) => prefix[i] !== byte)) return null;
  const length = new DataView(prefix.buffer).getUint32(8, true);
  if (length > LONGEST_HEADER) return null;
  const text = new Uint8Array(length);
  await file.read(text, 0, length, PREFIX_BYTES);
  try {
    return JSON.parse(new TextDecoder().decode(text)) as PackHeader;
  } catch {
    return null;
  }
}

/** Why a file cannot be the pack, by its header and length alone; null when it says that it is. */
export async function packHeaderFault(path: string, dataset: string, key: string): Promise<string | null> {
  try {
    const header = await readPackHeader(path);
    if (header === null) return 'damaged: it has no header';
    const fault = headerFault(header, dataset, key);
    if (fault !== null) return fault;
    const { size } = await stat(path);
    return size > header.bytes ? null : `damaged: wanted more than ${header.bytes} bytes, got ${size}`;
  } catch (error) {
    return openFault(error);
  }
}

function openFault(error: unknown): string {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'not built yet' : (error as Error).message;
}

/** Writes a pack so that a reader sees the old file or the new one, whole, whatever happens in between; then clears away remains of dead writers. */
export async function writePack(path: string, pack: Pack): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = await open(temporary, 'wx');
  try {
    await file.writeFile(new Uint8Array(pack.buffer));
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  const entry = await open(folder, 'r');
  await entry.sync().catch(() => undefined);
  await entry.close();
  await removeAbandoned(folder, basename(path));
}

async function removeAbandoned(folder: string, name: string): Promise<void> {
  for (const file of await readdir(folder)) {
    if (!file.startsWith(`${name}.`) || !file.endsWith('.tmp')) continue;
    const { mtimeMs } = await stat(join(folder, file)).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs > ABANDONED_MS) await unlink(join(folder, file)).catch(() => undefined);
  }
}

function findFault(bytes: Uint8Array, dataset: string, key: string): string | null {
  if (bytes.length < PREFIX_BYTES) return `damaged: wanted at least ${PREFIX_BYTES} bytes, got ${bytes.length}`;
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) return 'out of date: another layout';
  const wanted = new DataView(bytes.buffer).getUint32(12, true);
  const got = checksum(bytes);
  if (wanted !== got) return `damaged: wanted checksum ${wanted}, got ${got}`;
  return headerFault(readHeader(bytes), dataset, key);
}

function headerFault(header: PackHeader, dataset: string, key: string): string | null {
  if (header.dataset !== dataset) return `wanted the dataset ${dataset}, got ${header.dataset}`;
  return header.key === key ? null : `out of date: wanted ${key}, got ${header.key}`;
}

function readHeader(bytes: Uint8Array): PackHeader {
  const length = new DataView(bytes.buffer).getUint32(8, true);
  return JSON.parse(new TextDecoder().decode(bytes.slice(PREFIX_BYTES, PREFIX_BYTES + length))) as PackHeader;
}

function checksum(bytes: Uint8Array): number {
  return crc32(bytes.subarray(PREFIX_BYTES), crc32(bytes.subarray(0, 12)));
}

function align(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function typeName(array: PackedArray): keyof typeof TYPES {
  for (const name of Object.keys(TYPES) as (keyof typeof TYPES)[]) if (array instanceof TYPES[name]) return name;
  throw new TypeError(`Wanted one of ${Object.keys(TYPES).join(', ')}, got ${(array as object).constructor.name}`);
}
