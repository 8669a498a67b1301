import { open, rm, type FileHandle } from 'node:fs/promises';
import { curveKey } from '../../../geo/hilbert.ts';
import type { Bbox } from '../../../geo/shapes/shape.ts';
import { FeatureEncoder, type ColumnValue, type FlatGeometry } from './encode-feature.ts';
import { encodeHeader } from './header.ts';
import { indexLevels, NODE_BYTES, NODE_SIZE, type Column } from './layout.ts';
import { RecordSorter } from './sort-records.ts';
import { StreamWriter, writeAll } from './stream-writer.ts';

interface FlatGeobufOptions {
  /** Name of the layer. */
  readonly name: string;
  /** Number of a `GEOMETRY` type, `unknown` for several. */
  readonly geometryType: number;
  readonly columns: readonly Column[];
  /** Bytes of features that are sorted in memory. Default 16 MB. */
  readonly memoryBytes?: number;
}

const MEMORY_BYTES = 16_777_216;
/** Bytes of the box in front of a feature while it is sorted. */
const BOX_BYTES = 32;

/**
 * Writes a FlatGeobuf file with its packed R-tree, features along a Hilbert curve, in memory that does not depend on how many
 * there are: features are sorted outside of memory, then index and features are written side by side, every level of the
 * tree as it fills. Coordinates are degrees on WGS84.
 */
export class FlatGeobufWriter {
  count = 0;
  readonly #path: string;
  readonly #options: FlatGeobufOptions;
  readonly #encoder: FeatureEncoder;
  readonly #sorter: RecordSorter;
  #record = new Uint8Array(4096);
  readonly #envelope: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];

  /** Makes `path` when it is finished, and a file next to it while it is written. */
  constructor(path: string, options: FlatGeobufOptions) {
    this.#path = path;
    this.#options = options;
    this.#encoder = new FeatureEncoder(options.columns);
    this.#sorter = new RecordSorter(`${path}.sorting`, options.memoryBytes ?? MEMORY_BYTES);
  }

  /** Adds a feature; values in the order of the columns. Wait for a promise before the next call. */
  add(geometry: FlatGeometry, values: readonly ColumnValue[]): Promise<void> | undefined {
    const [west, south, east, north] = boundsOf(geometry);
    const feature = this.#encoder.encode(geometry, values);
    if (this.#record.length < BOX_BYTES + feature.length) this.#record = new Uint8Array(feature.length * 2 + BOX_BYTES);
    const view = new DataView(this.#record.buffer);
    view.setFloat64(0, west, true);
    view.setFloat64(8, south, true);
    view.setFloat64(16, east, true);
    view.setFloat64(24, north, true);
    this.#record.set(feature, BOX_BYTES);
    const all = this.#envelope;
    all[0] = Math.min(all[0], west);
    all[1] = Math.min(all[1], south);
    all[2] = Math.max(all[2], east);
    all[3] = Math.max(all[3], north);
    this.count++;
    const record = this.#record.subarray(0, BOX_BYTES + feature.length);
    return this.#sorter.add(curveKey((west + east) / 2, (south + north) / 2), record);
  }

  /** Writes the file and removes what was in its place. Gives the box around all features, null when there are none. */
  async finish(): Promise<Bbox | null> {
    const { name, geometryType, columns } = this.#options;
    const { count } = this;
    const envelope = count === 0 ? null : this.#envelope;
    const file = await open(this.#path, 'w');
    try {
      const header = encodeHeader({ name, geometryType, columns, count, envelope });
      await writeAll(file, header, 0);
      const tree = new TreeWriter(file, header.length, count);
      const features = new StreamWriter(file, header.length + tree.bytes);
      for await (const record of this.#sorter.sorted()) {
        await tree.add(record, features.written);
        await features.write(record.subarray(BOX_BYTES));
      }
      await tree.end();
      await features.end();
      await file.sync();
    } catch (error) {
      await rm(this.#path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    await this.close();
    return envelope;
  }

  /** Removes the file that features were sorted in. */
  close(): Promise<void> {
    return this.#sorter.close();
  }
}

/** A node under way: the box around its children so far. */
interface OpenNode {
  readonly out: StreamWriter;
  readonly first: number;
  children: number;
  written: number;
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Writes the index, every level at its own place in the file, leaves in the order of the features. */
class TreeWriter {
  readonly bytes: number;
  /** Leaves first. */
  readonly #levels: OpenNode[];
  readonly #entry = new Uint8Array(NODE_BYTES);
  readonly #view = new DataView(this.#entry.buffer);

  constructor(file: FileHandle, start: number, count: number) {
    const levels = indexLevels(count);
    this.bytes = (levels.at(-1)?.[1] ?? 0) * NODE_BYTES;
    this.#levels = levels.toReversed().map(([first, end], i) => ({
      out: new StreamWriter(
        file,
        start + first * NODE_BYTES,
        i === 0 ? undefined : Math.min(65_536, (end - first) * NODE_BYTES),
      ),
      first,
      children: 0,
      written: 0,
      ...EMPTY,
    }));
  }

  /** The next leaf: a record that begins with its box, and where the feature lies after the index. */
  async add(record: Uint8Array, offset: number): Promise<void> {
    const box = new DataView(record.buffer, record.byteOffset, BOX_BYTES);
    const [west, south, east, north] = [0, 8, 16, 24].map((at) => box.getFloat64(at, true));
    await this.#write(0, west, south, east, north, offset);
  }

  async #write(level: number, west: number, south: number, east: number, north: number, offset: number): Promise<void> {
    this.#view.setFloat64(0, west, true);
    this.#view.setFloat64(8, south, true);
    this.#view.setFloat64(16, east, true);
    this.#view.setFloat64(24, north, true);
    this.#view.setBigUint64(32, BigInt(offset), true);
    const node = this.#levels[level];
    await node.out.write(this.#entry);
    node.written++;
    if (level + 1 === this.#levels.length) return;
    const parent = this.#levels[level + 1];
    parent.west = Math.min(parent.west, west);
    parent.south = Math.min(parent.south, south);
    parent.east = Math.max(parent.east, east);
    parent.north = Math.max(parent.north, north);
    if (++parent.children === NODE_SIZE) await this.#close(level + 1);
  }

  async #close(level: number): Promise<void> {
    const node = this.#levels[level];
    if (node.children === 0) return;
    const { west, south, east, north } = node;
    const firstChild = this.#levels[level - 1].first + node.written * NODE_SIZE;
    Object.assign(node, EMPTY, { children: 0 });
    await this.#write(level, west, south, east, north, firstChild);
  }

  async end(): Promise<void> {
    for (let level = 1; level < this.#levels.length; level++) await this.#close(level);
    for (const { out } of this.#levels) await out.end();
  }
}

const EMPTY = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };

function boundsOf(geometry: FlatGeometry): Bbox {
  if (geometry.type === 'point') return [geometry.lon, geometry.lat, geometry.lon, geometry.lat];
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const line of linesOf(geometry)) {
    for (let i = 0; i < line.length; i += 2) {
      if (line[i] < box[0]) box[0] = line[i];
      if (line[i] > box[2]) box[2] = line[i];
      if (line[i + 1] < box[1]) box[1] = line[i + 1];
      if (line[i + 1] > box[3]) box[3] = line[i + 1];
    }
  }
  return box;
}

function linesOf(geometry: Exclude<FlatGeometry, { type: 'point' }>): readonly Float64Array[] {
  if (geometry.type === 'lineString') return [geometry.line];
  if (geometry.type === 'multiLineString') return geometry.lines;
  return geometry.type === 'polygon' ? geometry.rings : geometry.polygons.flat();
}
