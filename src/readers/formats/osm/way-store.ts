import { closeSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs';

/** Ways between two entries of the index in memory. */
const STRIDE = 32;
const HEAD_BYTES = 12;
const BUFFER_BYTES = 4_194_304;

/**
 * The lines of the ways that relations are put together from, in a file, in the order of their ids; only the place of every 32nd is in
 * memory. A line is longitude, latitude in turn in degrees.
 */
export class WayStore {
  readonly #path: string;
  readonly #fd: number;
  readonly #ids: number[] = [];
  readonly #places: number[] = [];
  #buffer = Buffer.alloc(BUFFER_BYTES);
  #used = 0;
  #written = 0;
  #count = 0;
  #lastId = -Infinity;

  constructor(path: string) {
    this.#path = path;
    this.#fd = openSync(path, 'w+');
  }

  /** Adds a way; one that does not follow the last in order is left out, then false. */
  add(id: number, line: Float64Array): boolean {
    if (id <= this.#lastId) return false;
    this.#lastId = id;
    if (this.#count++ % STRIDE === 0) {
      this.#ids.push(id);
      this.#places.push(this.#written + this.#used);
    }
    const bytes = HEAD_BYTES + line.byteLength;
    if (this.#used + bytes > this.#buffer.length) this.#flush();
    if (bytes > this.#buffer.length) this.#buffer = Buffer.alloc(bytes * 2);
    this.#buffer.writeDoubleLE(id, this.#used);
    this.#buffer.writeUInt32LE(line.length, this.#used + 8);
    this.#buffer.set(new Uint8Array(line.buffer, line.byteOffset, line.byteLength), this.#used + HEAD_BYTES);
    this.#used += bytes;
    return true;
  }

  #flush(): void {
    let done = 0;
    while (done < this.#used) done += writeSync(this.#fd, this.#buffer, done, this.#used - done, this.#written + done);
    this.#written += this.#used;
    this.#used = 0;
  }

  /** The line of a way, or null when it is not there. */
  find(id: number): Float64Array | null {
    if (this.#used > 0) this.#flush();
    let low = -1;
    let high = this.#ids.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#ids[middle] <= id) low = middle;
      else high = middle - 1;
    }
    if (low < 0) return null;
    const end = this.#places[low + 1] ?? this.#written;
    for (let at = this.#places[low]; at < end;) {
      const head = this.#read(at, HEAD_BYTES);
      const length = head.readUInt32LE(8);
      if (head.readDoubleLE(0) === id) {
        const bytes = this.#read(at + HEAD_BYTES, length * 8);
        return new Float64Array(new Uint8Array(bytes).buffer);
      }
      at += HEAD_BYTES + length * 8;
    }
    return null;
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length;) {
      const read = readSync(this.#fd, bytes, done, length - done, at + done);
      if (read === 0) throw new Error(`${this.#path} ended early`);
      done += read;
    }
    return bytes;
  }

  close(): void {
    ftruncateSync(this.#fd);
    closeSync(this.#fd);
    rmSync(this.#path, { force: true });
  }
}

/** Ids of a page: one bit each. */
const PAGE = 65_536;

/** A set of whole numbers from 0 in pages of bits: at most 190 MB for every way of the planet, little for a region. */
export class IdSet {
  readonly #pages = new Map<number, Uint32Array>();

  add(id: number): void {
    const number = Math.floor(id / PAGE);
    let page = this.#pages.get(number);
    if (page === undefined) this.#pages.set(number, (page = new Uint32Array(PAGE / 32)));
    const bit = id - number * PAGE;
    page[bit >> 5] |= 1 << (bit & 31);
  }

  has(id: number): boolean {
    const number = Math.floor(id / PAGE);
    const page = this.#pages.get(number);
    if (page === undefined) return false;
    const bit = id - number * PAGE;
    return (page[bit >> 5] & (1 << (bit & 31))) !== 0;
  }
}
