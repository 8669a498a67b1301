import { closeSync, openSync, readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** Bytes of a page of PostgreSQL, as the embedded engine is built. */
export const PAGE_BYTES = 8192;
/** Pages of a file before PostgreSQL begins the next one (`16384.1`): 1 GiB. */
const PAGES_IN_FILE = 131_072;
/** Bytes read at a time. */
const READ_BYTES = 128 * PAGE_BYTES;
/** Damaged pages that are named; the rest is counted. */
const MOST_NAMED = 20;
/** Bytes of a file that are checked before other work of the process has a turn. */
const TURN_BYTES = 16 * READ_BYTES;

interface DamagedPage {
  /** Path inside the cluster, such as `base/5/16389`. */
  readonly file: string;
  /** Number of the page in its table or index, from 0. */
  readonly page: number;
}

export interface PageCheck {
  readonly pages: number;
  readonly damaged: number;
  /** At most 20 of the damaged ones. */
  readonly named: readonly DamagedPage[];
}

/**
 * Compares the checksum of every page of every table and index with its content. Every byte must have been written out
 * before (`checkpoint`) and nothing may write meanwhile. Reads the whole cluster, some 300 MB a second.
 */
export async function checkPages(cluster: string): Promise<PageCheck> {
  let [pages, damaged] = [0, 0];
  const named: DamagedPage[] = [];
  // One for all files: a cluster has a thousand, and a megabyte for each would be a second of garbage collection.
  const buffer = new Uint8Array(READ_BYTES);
  for (const file of await relationFiles(cluster)) {
    pages += await checkFile(join(cluster, file), buffer, (page) => {
      damaged++;
      if (named.length < MOST_NAMED) named.push({ file: file.replace(/\.\d+$/, ''), page });
    });
  }
  return { pages, damaged, named };
}

/** Files of tables and indexes: named by a number, with `_fsm` or `_vm` for maps of free and visible rows, `.1` for the second gigabyte. */
async function relationFiles(cluster: string): Promise<string[]> {
  const databases = (await readdir(join(cluster, 'base'))).filter((name) => /^\d+$/.test(name));
  const folders = ['global', ...databases.map((name) => join('base', name))];
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(join(cluster, folder))).map((name) => join(folder, name))),
  );
  return files.flat().filter((file) => /[/\\]\d+(_fsm|_vm|_init)?(\.\d+)?$/.test(file));
}

/**
 * Returns the pages of the file, which is read through `buffer`; `onDamage` hears of each whose checksum is wrong, and of a last
 * one that is cut short. Reads without waiting: nearly all of the thousand files are small, and waiting for each takes longer.
 */
async function checkFile(path: string, buffer: Uint8Array, onDamage: (page: number) => void): Promise<number> {
  const first = Number(/\.(\d+)$/.exec(path)?.[1] ?? 0) * PAGES_IN_FILE;
  const handle = openSync(path, 'r');
  try {
    let page = first;
    for (let at = 0; ;) {
      const bytesRead = readSync(handle, buffer, 0, buffer.length, at);
      if (bytesRead === 0) return page - first;
      at += bytesRead;
      for (let start = 0; start < bytesRead; start += PAGE_BYTES, page++) {
        const isCut = start + PAGE_BYTES > bytesRead;
        if (isCut || !isSound(buffer.subarray(start, start + PAGE_BYTES), page)) onDamage(page);
      }
      if (at % TURN_BYTES === 0) await setImmediate();
    }
  } finally {
    closeSync(handle);
  }
}

/** A page that was never used is all zeros and has no checksum. */
function isSound(bytes: Uint8Array, page: number): boolean {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, PAGE_BYTES / 4);
  const upper = words[3] >>> 16;
  if (upper === 0) return words.every((word) => word === 0);
  const stated = words[2] & 0xffff;
  words[2] &= ~0xffff;
  return stated === pageChecksum(words, page);
}

/**
 * The checksum of a page, 1 to 65,535, as PostgreSQL computes it (`storage/checksum_impl.h`): 32 sums by FNV-1a with a
 * shift for mixing, folded, with the number of the page. `words` are the 2,048 little-endian words of the page, whose own
 * checksum (the lower half of word 2) is 0.
 */
function pageChecksum(words: Int32Array, page: number): number {
  const sums = BASE_OFFSETS.slice();
  for (let at = 0; at < words.length; at += 32) {
    for (let lane = 0; lane < 32; lane++) {
      const mixed = sums[lane] ^ words[at + lane];
      sums[lane] = Math.imul(mixed, FNV_PRIME) ^ (mixed >>> 17);
    }
  }
  let folded = 0;
  for (const sum of sums) folded ^= mix(mix(sum, 0), 0);
  return (((folded ^ page) >>> 0) % 65_535) + 1;
}

function mix(sum: number, word: number): number {
  const mixed = sum ^ word;
  return Math.imul(mixed, FNV_PRIME) ^ (mixed >>> 17);
}

const FNV_PRIME = 16_777_619;

/** Where the 32 sums begin; PostgreSQL chose them at random once. */
const BASE_OFFSETS = Int32Array.from([
  0x5b1f36e9, 0xb8525960, 0x02ab50aa, 0x1de66d2a, 0x79ff467a, 0x9bb9f8a3, 0x217e7cd2, 0x83e13d2c, 0xf8d4474f,
  0xe39eb970, 0x42c6ae16, 0x993216fa, 0x7b093b5d, 0x98daff3c, 0xf718902a, 0x0b1c9cdb, 0xe58f764b, 0x187636bc,
  0x5d7b3bb1, 0xe73de7de, 0x92bec979, 0xcca6c0b2, 0x304a0979, 0x85aa43d4, 0x783125bb, 0x6ca8eaa2, 0xe407eac6,
  0x4b5cfc3e, 0x9fbf8c76, 0x15ca20be, 0xf2ca9fd3, 0x959bd756,
]);
