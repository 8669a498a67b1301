import { createWriteStream, type WriteStream } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { Problem } from '../../errors.ts';
import type { Geometry } from '../../geo/geometry.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import { groundOfGeometry } from '../../geo/shapes/shapes-intersect.ts';
import type { FeatureRows, MapFeature, RowGroup } from '../../gis/feature-rows.ts';

/** Numbers of a row in the index: where its text begins in the file, then its box. */
const ENTRY = 5;
/** Rows of a group: a tile and a page look at whole groups. */
const GROUP = 4_096;
/** Bytes between two rows that are read with them, and the most that are read at once. */
const [NEAR, AT_ONCE] = [16_384, 4_194_304];

/** Writes features as rows: one text a line, and an index of their boxes. */
export function writeRows(path: string): {
  add(feature: Omit<MapFeature, 'id'>): Promise<void>;
  finish(): Promise<void>;
} {
  const out: WriteStream = createWriteStream(path, { highWaterMark: 1_048_576 });
  const index: number[] = [];
  let at = 0;
  return {
    async add({ geometry, properties }) {
      const bytes = Buffer.from(`${JSON.stringify({ geometry, properties })}\n`);
      const box = geometry === null ? null : (groundOfGeometry(geometry)?.bbox ?? null);
      index.push(at, ...(box ?? [Number.NaN, Number.NaN, Number.NaN, Number.NaN]));
      at += bytes.length;
      if (!out.write(bytes)) await once(out, 'drain');
    },
    async finish() {
      out.end();
      await finished(out);
      await writeFile(indexOf(path), new Uint8Array(Float64Array.from([...index, at]).buffer));
    },
  };
}

function indexOf(path: string): string {
  return `${path}.index`;
}

/** Opens what `writeRows` wrote; the index is in memory, 40 bytes a row. */
export async function openRows(path: string): Promise<FeatureRows & { readonly bytes: number }> {
  const bytes = await readFile(indexOf(path));
  const index = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const count = (index.length - 1) / ENTRY;
  const groups = groupsOf(index, count);
  const startOf = (row: number): number => index[row * ENTRY];
  return {
    count,
    extent: joined(groups.flatMap(({ held }) => (held === null ? [] : [held]))),
    mostScanned: Infinity,
    bytes: bytes.byteLength,
    groups: () => Promise.resolve(groups),
    boxes(from, to) {
      const out = new Float64Array((to - from) * 4);
      for (let row = from; row < to; row++)
        out.set(index.subarray(row * ENTRY + 1, (row + 1) * ENTRY), (row - from) * 4);
      return Promise.resolve(out);
    },
    async read(rows, signal) {
      await using file = await openOrGone(path);
      const found: MapFeature[] = [];
      for (let i = 0; i < rows.length;) {
        signal.throwIfAborted();
        const begin = startOf(rows[i]);
        let last = i;
        while (
          last + 1 < rows.length &&
          startOf(rows[last + 1]) - startOf(rows[last] + 1) < NEAR &&
          startOf(rows[last + 1] + 1) - begin < AT_ONCE
        )
          last++;
        const buffer = Buffer.alloc(startOf(rows[last] + 1) - begin);
        await file.read(buffer, 0, buffer.length, begin);
        for (; i <= last; i++) {
          const row = rows[i];
          const text = buffer.toString('utf8', startOf(row) - begin, startOf(row + 1) - begin);
          found.push({ id: String(row), ...(JSON.parse(text) as Omit<MapFeature, 'id'>) });
        }
      }
      return found;
    },
  };
}

async function openOrGone(path: string): ReturnType<typeof open> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const detail = 'The collection was deleted or processed again while it was read; wanted the request sent again.';
    throw new Problem('collection_not_ready', detail, { cause: error });
  }
}

interface HeldGroup extends RowGroup {
  /** Around the rows that have a geometry; null where none has. */
  readonly held: Bbox | null;
}

function groupsOf(index: Float64Array, count: number): readonly HeldGroup[] {
  const groups: HeldGroup[] = [];
  for (let from = 0; from < count; from += GROUP) {
    const to = Math.min(count, from + GROUP);
    const boxes: Bbox[] = [];
    for (let row = from; row < to; row++) {
      const [west, south, east, north] = index.subarray(row * ENTRY + 1, (row + 1) * ENTRY);
      if (!Number.isNaN(west)) boxes.push([west!, south!, east!, north!]);
    }
    const held = joined(boxes);
    // A group of none but rows without geometry touches no box at all.
    groups.push({ from, to, held, box: held ?? [Infinity, Infinity, -Infinity, -Infinity] });
  }
  return groups;
}

function joined(boxes: readonly Bbox[]): Bbox | null {
  if (boxes.length === 0) return null;
  let [west, south, east, north] = boxes[0];
  for (const [w, s, e, n] of boxes) {
    west = Math.min(west, w);
    south = Math.min(south, s);
    east = Math.max(east, e);
    north = Math.max(north, n);
  }
  return [west, south, east, north];
}

/** A geometry as stored; what is no object is none. */
export function storedGeometry(value: unknown): Geometry | null {
  return typeof value === 'object' && value !== null ? (value as Geometry) : null;
}
