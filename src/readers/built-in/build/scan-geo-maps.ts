import { closeSync, openSync, readSync } from 'node:fs';

/** Units in a degree: the files of geo-maps give three decimals. */
export const GEO_MAPS_SCALE = 1000;

interface GeoMapsHandler {
  /** A ring of `count` vertices `[x, y, ...]` in thousandths of a degree; `index` 0 is an exterior, more are holes. The array is reused. */
  ring(coordinates: Int32Array, count: number, index: number): void;
  /** Any text value or name outside coordinates, in order. */
  text(value: string): void;
}

const CHUNK_BYTES = 1 << 20;
const [QUOTE, MINUS, POINT, COMMA, OPEN, CLOSE, ZERO, NINE] = [34, 45, 46, 44, 91, 93, 48, 57];
const UNITS = [1000, 100, 10, 1];

/**
 * Reads the polygons of a GeoJSON file of geo-maps in one pass over its bytes, without keeping them: `JSON.parse` would take
 * 700 MB for 87. Relies on what these files are (positions of two plain numbers with at most three decimals, no escaped
 * texts) and throws on anything else.
 */
export function scanGeoMaps(path: string, handler: GeoMapsHandler): void {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const file = openSync(path, 'r');
  const scanner = new Scanner(path, handler);
  try {
    for (
      let read = readSync(file, chunk, 0, CHUNK_BYTES, null);
      read > 0;
      read = readSync(file, chunk, 0, CHUNK_BYTES, null)
    ) {
      scanner.push(chunk, read);
    }
    scanner.finish();
  } finally {
    closeSync(file);
  }
}

class Scanner {
  readonly #path: string;
  readonly #handler: GeoMapsHandler;
  #ring = new Int32Array(1 << 16);
  /** Numbers of the ring read so far. */
  #length = 0;
  #ringIndex = 0;
  /** Closing brackets in a row: 1 ends a position, 2 a ring, 3 a polygon. */
  #closings = 0;
  /** The number being read: its digits, decimals (-1 before the point) and sign; -1 when none is. */
  #value = -1;
  #decimals = -1;
  #negative = false;
  #text: string | null = null;
  #depth = 0;

  constructor(path: string, handler: GeoMapsHandler) {
    this.#path = path;
    this.#handler = handler;
  }

  push(chunk: Buffer, length: number): void {
    let value = this.#value;
    let decimals = this.#decimals;
    let at = 0;
    while (at < length) {
      if (this.#text !== null) {
        at = this.#readText(chunk, length, at);
        continue;
      }
      const byte = chunk[at++];
      if (byte >= ZERO && byte <= NINE) {
        value = (value < 0 ? 0 : value * 10) + byte - ZERO;
        if (decimals >= 0) decimals++;
      } else if (byte === POINT) decimals = 0;
      else if (byte === MINUS) this.#negative = true;
      else {
        if (value >= 0) {
          this.#addNumber(value, decimals);
          value = -1;
          decimals = -1;
        }
        if (byte === CLOSE) this.#close();
        else if (byte === OPEN) {
          this.#depth++;
          this.#closings = 0;
        } else if (byte === QUOTE) this.#text = '';
        else if (
          byte !== COMMA &&
          byte !== 32 &&
          byte !== 10 &&
          byte !== 13 &&
          byte !== 58 &&
          byte !== 123 &&
          byte !== 125
        )
          this.#refuse(byte);
      }
    }
    this.#value = value;
    this.#decimals = decimals;
  }

  finish(): void {
    if (this.#depth !== 0 || this.#text !== null) throw new Error(`${this.#path} ends in the middle`);
  }

  #readText(chunk: Buffer, length: number, from: number): number {
    const quote = chunk.indexOf(QUOTE, from);
    const end = quote === -1 || quote >= length ? length : quote;
    const text = this.#text + chunk.toString('latin1', from, end);
    this.#text = text;
    if (text.length > 1000) throw new Error(`${this.#path} has a text of more than 1,000 characters`);
    if (end === length) return length;
    this.#handler.text(text);
    this.#text = null;
    return end + 1;
  }

  #addNumber(value: number, decimals: number): void {
    if (decimals > 3) throw new Error(`${this.#path} has a coordinate with ${decimals} decimals, wanted at most 3`);
    const units = value * UNITS[Math.max(0, decimals)];
    if (this.#length === this.#ring.length) {
      const grown = new Int32Array(this.#length * 2);
      grown.set(this.#ring);
      this.#ring = grown;
    }
    this.#ring[this.#length++] = this.#negative ? -units : units;
    this.#negative = false;
  }

  #close(): void {
    this.#depth--;
    this.#closings++;
    if (this.#closings === 2) {
      if (this.#length % 2 !== 0) throw new Error(`${this.#path} has a position that is not of two numbers`);
      this.#handler.ring(this.#ring, this.#length / 2, this.#ringIndex++);
      this.#length = 0;
    } else if (this.#closings === 3) this.#ringIndex = 0;
  }

  #refuse(byte: number): never {
    throw new Error(`${this.#path} has the byte ${byte} where a coordinate, bracket or text was wanted`);
  }
}
