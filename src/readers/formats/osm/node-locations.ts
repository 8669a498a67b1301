import { closeSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { OsmFileError } from './read-blobs.ts';

/** Nodes of a block. One takes 16 bytes: its id as a double, then longitude and latitude in 1e-7 degree. */
const BLOCK = 4_096;
const NODE_BYTES = 16;

/** Longitude and latitude in degrees; filled in by `find`. */
export interface NodePlace {
  lon: number;
  lat: number;
}

/**
 * Where every node of a file lies, kept in a file of 16 bytes a node; of a country's nodes only some blocks and the first id of each block
 * are in memory. Nodes must come in the order of their ids, as extracts have them.
 */
export class NodeLocations {
  readonly #path: string;
  readonly #source: string;
  readonly #fd: number;
  readonly #maxBlocks: number;
  readonly #firstIds: number[] = [];
  readonly #blocks = new Map<number, Float64Array>();
  #filling: Float64Array = new Float64Array(BLOCK * 2);
  #filled = 0;
  #lastId = -Infinity;
  #count = 0;
  /** The block that answered last. */
  #recent = -1;
  #recentNodes: Float64Array = new Float64Array(0);

  /** `source` names the file the nodes come from in messages. */
  constructor(path: string, source: string, memoryBytes: number) {
    this.#path = path;
    this.#source = source;
    this.#fd = openSync(path, 'w+');
    this.#maxBlocks = Math.max(4, Math.floor(memoryBytes / (BLOCK * NODE_BYTES)));
  }

  add(id: number, lon: number, lat: number): void {
    if (id <= this.#lastId)
      throw new OsmFileError(
        this.#source,
        `node ${id} comes after node ${this.#lastId}; sort the file with osmium sort -o NEW.osm.pbf`,
      );
    this.#lastId = id;
    if (this.#filled === 0) this.#firstIds.push(id);
    this.#filling[this.#filled * 2] = id;
    const packed = new Int32Array(this.#filling.buffer, this.#filled * NODE_BYTES + 8, 2);
    packed[0] = Math.round(lon * 1e7);
    packed[1] = Math.round(lat * 1e7);
    if (++this.#filled === BLOCK) this.#flush();
  }

  /** Call after the last node. */
  finish(): void {
    if (this.#filled > 0) this.#flush();
    this.#filling = new Float64Array(0);
  }

  #flush(): void {
    const bytes = new Uint8Array(this.#filling.buffer, 0, this.#filled * NODE_BYTES);
    let done = 0;
    while (done < bytes.length)
      done += writeSync(this.#fd, bytes, done, bytes.length - done, this.#count * NODE_BYTES + done);
    this.#count += this.#filled;
    this.#filled = 0;
  }

  /** Puts a node's place into `out`; false when the file has no such node. */
  find(id: number, out: NodePlace): boolean {
    if (this.#recent < 0 || id < this.#firstIds[this.#recent] || id >= (this.#firstIds[this.#recent + 1] ?? Infinity)) {
      const block = this.#blockOf(id);
      if (block < 0) return false;
      this.#recentNodes = this.#load(block);
      this.#recent = block;
    }
    const nodes = this.#recentNodes;
    let low = 0;
    let high = nodes.length / 2 - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (nodes[middle * 2] <= id) low = middle;
      else high = middle - 1;
    }
    if (nodes[low * 2] !== id) return false;
    const packed = new Int32Array(nodes.buffer, nodes.byteOffset + low * NODE_BYTES + 8, 2);
    out.lon = packed[0] / 1e7;
    out.lat = packed[1] / 1e7;
    return true;
  }

  #blockOf(id: number): number {
    let low = -1;
    let high = this.#firstIds.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#firstIds[middle] <= id) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #load(block: number): Float64Array {
    const known = this.#blocks.get(block);
    if (known !== undefined) {
      this.#blocks.delete(block);
      this.#blocks.set(block, known);
      return known;
    }
    const nodes = new Float64Array(Math.min(BLOCK, this.#count - block * BLOCK) * 2);
    const bytes = new Uint8Array(nodes.buffer);
    let done = 0;
    while (done < bytes.length) {
      const read = readSync(this.#fd, bytes, done, bytes.length - done, block * BLOCK * NODE_BYTES + done);
      if (read === 0) throw new Error(`${this.#path} ended early`);
      done += read;
    }
    this.#blocks.set(block, nodes);
    if (this.#blocks.size > this.#maxBlocks) for (const key of this.#blocks.keys()) if (this.#blocks.delete(key)) break;
    return nodes;
  }

  close(): void {
    ftruncateSync(this.#fd);
    closeSync(this.#fd);
    rmSync(this.#path, { force: true });
  }
}
