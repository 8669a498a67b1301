/** Keeps the bytes of one value that may span chunks, without copying them until they are needed. */
export class GeojsonCapture {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #kept = 0;
  #from = -1;

  /** `limit` in bytes: a longer value is counted but no longer kept. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get active(): boolean {
    return this.#from !== -1;
  }

  /** Begins at a position of the current chunk. */
  start(position: number): void {
    this.drop();
    this.#from = position;
  }

  /** Call after every chunk while active. */
  carry(chunk: Uint8Array): void {
    if (!this.active) return;
    this.#kept += chunk.length - this.#from;
    if (this.#kept <= this.#limit) this.#parts.push(chunk.subarray(this.#from));
    else this.#parts = [];
    this.#from = 0;
  }

  /** Bytes so far, up to a position of the current chunk. */
  sizeAt(position: number): number {
    return this.#kept + position - this.#from;
  }

  overflows(position: number): boolean {
    return this.sizeAt(position) > this.#limit;
  }

  /** The bytes up to a position of the current chunk, or null when they are more than the limit. */
  bytes(chunk: Uint8Array, position: number): Uint8Array | null {
    if (this.overflows(position)) return null;
    const last = chunk.subarray(this.#from, position);
    return this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
  }

  drop(): void {
    this.#parts = [];
    this.#kept = 0;
    this.#from = -1;
  }
}
