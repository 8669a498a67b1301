import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { createPack, type Pack, packArray } from '../../packs/pack-file.ts';
import type { IndexedFile } from './rows.ts';
import { faultOf } from '../../io/source-fault.ts';

/** The files of one zone and year in a slim index. */
export interface IndexGroup {
  readonly epsg: number;
  readonly year: number;
}

/** A slim index as arrays: for each zone and year zone, year, offset and length of its files in `files`. */
export interface SlimIndex {
  readonly groups: Uint32Array;
  /** A zstd frame of JSON for each group. */
  readonly files: Uint8Array;
}

/** What the pack of a slim index says of itself. */
export interface SlimIndexMeta {
  /** Version of the index it was made from. */
  readonly sourceVersion: string;
}

const GROUP_NUMBERS = 4;

/**
 * Packs files by zone and year, in order of their paths. A lookup decompresses the few groups it needs; the whole world
 * takes about 10 MB, in memory as on disk.
 */
export function slimIndex(files: readonly IndexedFile[]): SlimIndex {
  const byGroup = Map.groupBy(files, ({ epsg, year }) => epsg * 10_000 + year);
  const keys = [...byGroup.keys()].toSorted((a, b) => a - b);
  const frames = keys.map((key) => zstdCompressSync(JSON.stringify(byGroup.get(key)?.toSorted(byPath))));
  const groups = new Uint32Array(keys.length * GROUP_NUMBERS);
  let offset = 0;
  keys.forEach((key, i) => {
    groups.set([Math.floor(key / 10_000), key % 10_000, offset, frames[i].length], i * GROUP_NUMBERS);
    offset += frames[i].length;
  });
  return { groups, files: Uint8Array.from(Buffer.concat(frames)) };
}

export function packSlimIndex(dataset: string, key: string, { groups, files }: SlimIndex, meta: SlimIndexMeta): Pack {
  return createPack(dataset, key, { groups, files }, meta);
}

/** Every zone and year of a slim index with its files, decompressed when they are needed. */
export function openSlimIndex(pack: Pack): readonly (IndexGroup & { files(): IndexedFile[] })[] {
  const groups = packArray(pack, 'groups', 'Uint32Array');
  const files = packArray(pack, 'files', 'Uint8Array');
  return Array.from({ length: groups.length / GROUP_NUMBERS }, (_, i) => {
    const [epsg, year, offset, length] = groups.subarray(i * GROUP_NUMBERS, (i + 1) * GROUP_NUMBERS);
    return {
      epsg,
      year,
      // The decoder takes no shared memory.
      files: () =>
        JSON.parse(zstdDecompressSync(files.slice(offset, offset + length)).toString('utf8')) as IndexedFile[],
    };
  });
}

/** By code units of the path: the same order in every place and language. */
function byPath(a: IndexedFile, b: IndexedFile): number {
  if (a.path === b.path) return 0;
  return a.path < b.path ? -1 : 1;
}

/** An index of AEF files that cannot be used. `place` is the id of its source: an address without its query, or a path. */
export class AefIndexError extends faultOf('AefIndexError', 'give another index') {}
