import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { TileId } from './tile-bounds.ts';

const compress = promisify(gzip);

/** Bytes of the header of PMTiles, version 3, and those in which it and the root directory have to lie. */
const HEADER_BYTES = 127;
const FIRST_READ_BYTES = 16_384;
/** Entries of a leaf directory. */
const LEAF_ENTRIES = 4_096;
const GZIP = 2;
const MVT = 1;

/** A tile of an archive, in the order of `archiveNumber`. */
export interface ArchivedTile {
  readonly number: number;
  /** Bytes of it in the archive, compressed by gzip. */
  readonly length: number;
}

interface ArchiveOptions {
  /** Ascending by number; their bytes follow each other in this order. */
  readonly tiles: readonly ArchivedTile[];
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly bounds: Bbox;
  /** What TileJSON says of the layers, and whatever else. */
  readonly metadata: object;
}

/** The number of a tile in PMTiles: those of lower zooms first, then along a Hilbert curve. */
export function archiveNumber({ z, x, y }: TileId): number {
  let number = (4 ** z - 1) / 3;
  let [column, row] = [x, y];
  for (let size = 2 ** (z - 1); size >= 1; size /= 2) {
    const right = Math.floor(column / size) % 2;
    const down = Math.floor(row / size) % 2;
    number += size * size * ((3 * right) ^ down);
    if (down === 0) {
      if (right === 1) [column, row] = [size - 1 - (column % size), size - 1 - (row % size)];
      [column, row] = [row, column];
    }
  }
  return number;
}

/**
 * Everything of a PMTiles archive (version 3) that goes in front of its tiles: header, directories and metadata.
 * https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md
 */
export async function archiveHead({ tiles, minZoom, maxZoom, bounds, metadata }: ArchiveOptions): Promise<Uint8Array> {
  const { root, leaves } = await directoriesOf(entriesOf(tiles));
  const about = new Uint8Array(await compress(JSON.stringify(metadata)));
  const dataBytes = tiles.reduce((sum, { length }) => sum + length, 0);
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  new Uint8Array(header.buffer).set(new TextEncoder().encode('PMTiles'));
  header.setUint8(7, 3);
  let at = HEADER_BYTES;
  for (const [i, length] of [root.length, about.length, leaves.length, dataBytes].entries()) {
    header.setBigUint64(8 + i * 16, BigInt(at), true);
    header.setBigUint64(16 + i * 16, BigInt(length), true);
    at += length;
  }
  for (const i of [0, 1, 2]) header.setBigUint64(72 + i * 8, BigInt(tiles.length), true);
  // Clustered; directories and tiles by gzip; vector tiles.
  for (const [i, value] of [1, GZIP, GZIP, MVT, minZoom, maxZoom].entries()) header.setUint8(96 + i, value);
  const [west, south, east, north] = bounds;
  for (const [i, degrees] of [west, south, east, north].entries()) header.setInt32(102 + i * 4, units(degrees), true);
  header.setUint8(118, minZoom);
  header.setInt32(119, units((west + east) / 2), true);
  header.setInt32(123, units((south + north) / 2), true);
  return Buffer.concat([new Uint8Array(header.buffer), root, about, leaves]);
}

/** Degrees as whole units of 1e-7. */
function units(degrees: number): number {
  return Math.round(degrees * 1e7);
}

interface Entry {
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  /** Tiles it is about; 0: a leaf directory. */
  readonly run: 0 | 1;
}

function entriesOf(tiles: readonly ArchivedTile[]): readonly Entry[] {
  let offset = 0;
  return tiles.map(({ number, length }) => {
    const entry = { number, offset, length, run: 1 as const };
    offset += length;
    return entry;
  });
}

async function directoriesOf(entries: readonly Entry[]): Promise<{ root: Uint8Array; leaves: Uint8Array }> {
  const whole = await directory(entries);
  if (HEADER_BYTES + whole.length <= FIRST_READ_BYTES) return { root: whole, leaves: new Uint8Array() };
  const leaves: Uint8Array[] = [];
  const pointers: Entry[] = [];
  let offset = 0;
  for (let from = 0; from < entries.length; from += LEAF_ENTRIES) {
    const leaf = await directory(entries.slice(from, from + LEAF_ENTRIES));
    pointers.push({ number: entries[from].number, offset, length: leaf.length, run: 0 });
    leaves.push(leaf);
    offset += leaf.length;
  }
  return { root: await directory(pointers), leaves: Buffer.concat(leaves) };
}

/** Numbers as differences, then runs, lengths and offsets, each column of variable-length numbers; 0 follows the entry before. */
async function directory(entries: readonly Entry[]): Promise<Uint8Array> {
  const bytes: number[] = [];
  const put = (value: number): void => {
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
    bytes.push(left);
  };
  put(entries.length);
  for (const [i, { number }] of entries.entries()) put(number - (i === 0 ? 0 : entries[i - 1].number));
  for (const { run } of entries) put(run);
  for (const { length } of entries) put(length);
  for (const [i, { offset }] of entries.entries()) {
    const before = entries[i - 1];
    put(before !== undefined && offset === before.offset + before.length ? 0 : offset + 1);
  }
  return new Uint8Array(await compress(Uint8Array.from(bytes)));
}
