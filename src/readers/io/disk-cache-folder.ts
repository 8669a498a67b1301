import { randomBytes, createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ByteCounters } from './counters.ts';
import { HOUR_MS } from '../../durations.ts';

const MAGIC = Buffer.from('FMB1');
const DIGEST_BYTES = 32;

/** Bytes an entry takes in addition to its block. */
const ENTRY_OVERHEAD_BYTES = MAGIC.length + DIGEST_BYTES;

interface DiskCacheOptions {
  /** Room the entries may take, in bytes. */
  readonly maxBytes: number;
  readonly counters?: ByteCounters;
}

/** Blocks on disk by key. Neither method ever rejects: a cache that fails is a cache that misses. */
export interface DiskCacheFolder {
  /** The block, or null when there is none; a damaged one is removed. `length` is what the block must have, in bytes; null takes any. */
  get(key: string, length: number | null): Promise<Uint8Array | null>;
  put(key: string, block: Uint8Array): Promise<void>;
}

interface Entry {
  readonly path: string;
  readonly size: number;
  readonly usedMs: number;
}

const NAME = /^[0-9a-f]{40}$/;
const TEMPORARY_AGE_MS = HOUR_MS;
/** Hits write the time of use no more often than this. */
const TOUCH_MS = 60_000;
/** Eviction makes more room than is needed, so that the folder is not listed for every block. */
const KEPT_SHARE = 0.9;

/**
 * Opens a folder of blocks, least recently used first to go. Several processes may share it: entries are written next to it
 * and renamed into place, and each process counts again what the folder holds before it evicts and after every sixteenth
 * of the room it has written itself. With n processes the folder may so exceed the room by (n - 1) sixteenths.
 */
export async function openDiskCache(
  folder: string,
  { maxBytes, counters }: DiskCacheOptions,
): Promise<DiskCacheFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeOldTemporaries(folder);
  const touched = new Map<string, number>();
  const recountBytes = maxBytes / 16;
  let held = await evict(folder, maxBytes, 0, counters);
  let sinceCount = 0;
  let lastWrite: Promise<void> = Promise.resolve();

  async function write(key: string, block: Uint8Array): Promise<void> {
    const size = block.length + ENTRY_OVERHEAD_BYTES;
    if (size > maxBytes) return;
    if (held + size > maxBytes || sinceCount + size > recountBytes) {
      held = await evict(folder, maxBytes, size, counters);
      sinceCount = 0;
    }
    // Counted before it is there: a failed write makes the count too high, never too low.
    held += size;
    sinceCount += size;
    const path = pathOf(folder, key);
    const temporary = join(folder, `tmp-${process.pid}-${randomBytes(8).toString('hex')}`);
    try {
      await writeFile(temporary, encodeEntry(key, block), { flag: 'wx', mode: 0o600 });
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  return {
    async get(key, length) {
      const path = pathOf(folder, key);
      const entry = await readFile(path).catch(() => null);
      const block = entry === null ? null : decodeEntry(key, entry, length);
      if (counters) counters[block === null ? 'cacheMisses' : 'cacheHits'] += 1;
      if (entry !== null && block === null) {
        if (counters) counters.cacheDamaged += 1;
        await rm(path, { force: true }).catch(() => {});
      }
      if (block !== null) await touch(path, touched);
      return block;
    },
    put(key, block) {
      // One after another, so that the count of bytes is right when it is compared with the room.
      lastWrite = lastWrite
        .then(() => write(key, block))
        .catch(() => {
          if (counters) counters.cacheWriteFailures += 1;
        });
      return lastWrite;
    },
  };
}

function pathOf(folder: string, key: string): string {
  const name = entryName(key);
  return join(folder, name.slice(0, 2), name);
}

async function touch(path: string, touched: Map<string, number>): Promise<void> {
  const now = Date.now();
  if (now - (touched.get(path) ?? 0) < TOUCH_MS) return;
  if (touched.size > 10_000) touched.clear();
  touched.set(path, now);
  await utimes(path, now / 1000, now / 1000).catch(() => {});
}

/** Removes the entries used longest ago when `coming` bytes would not fit; returns the bytes that stay. Ties go by path. */
async function evict(
  folder: string,
  maxBytes: number,
  coming: number,
  counters: ByteCounters | undefined,
): Promise<number> {
  const entries = await listEntries(folder);
  let held = entries.reduce((sum, { size }) => sum + size, 0);
  if (held + coming <= maxBytes) return held;
  entries.sort((a, b) => a.usedMs - b.usedMs || (a.path < b.path ? -1 : 1));
  for (const { path, size } of entries) {
    if (held + coming <= maxBytes * KEPT_SHARE) break;
    await rm(path, { force: true });
    held -= size;
    if (counters) counters.cacheEvicted += 1;
  }
  return held;
}

async function listEntries(folder: string): Promise<Entry[]> {
  const names = await readdir(folder, { recursive: true });
  const found = await Promise.all(
    names.map(async (name): Promise<Entry | null> => {
      if (!NAME.test(name.slice(3))) return null;
      const path = join(folder, name);
      const stats = await stat(path).catch(() => null);
      return stats === null ? null : { path, size: stats.size, usedMs: stats.mtimeMs };
    }),
  );
  return found.filter((entry) => entry !== null);
}

async function removeOldTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('tmp-')) continue;
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null);
    if (stats !== null && Date.now() - stats.mtimeMs > TEMPORARY_AGE_MS) await rm(path, { force: true });
  }
}

/** A block as it is stored: a mark, the SHA-256 of key and block, the block. */
function encodeEntry(key: string, block: Uint8Array): Uint8Array {
  return Buffer.concat([MAGIC, digest(key, block), block]);
}

/** The block of a stored entry, or null when it is damaged or belongs to another key. `length` is the block's, in bytes; null takes any. */
function decodeEntry(key: string, entry: Uint8Array, length: number | null): Uint8Array | null {
  if (entry.length < ENTRY_OVERHEAD_BYTES || MAGIC.compare(entry, 0, MAGIC.length) !== 0) return null;
  if (length !== null && entry.length !== ENTRY_OVERHEAD_BYTES + length) return null;
  const block = entry.subarray(ENTRY_OVERHEAD_BYTES);
  return digest(key, block).compare(entry, MAGIC.length, ENTRY_OVERHEAD_BYTES) === 0 ? block : null;
}

/** The name of an entry's file: 40 hexadecimal digits. */
function entryName(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 40);
}

function digest(key: string, block: Uint8Array): Buffer {
  return createHash('sha256').update(`${key}\n`).update(block).digest();
}
