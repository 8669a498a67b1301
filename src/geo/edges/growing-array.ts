/** Room to reserve for each array; only what is used takes memory. */
const RESERVED_BYTES = 512 * 1024 * 1024;

/** A typed array that grows in place, without copying. `values` is as long as its room; `length` counts what is used. */
export class GrowingArray<T extends Uint8Array | Int32Array | Uint32Array | Float64Array> {
  readonly values: T;
  length = 0;
  readonly #buffer: ArrayBuffer;

  constructor(type: new (buffer: ArrayBuffer) => T) {
    this.#buffer = new ArrayBuffer(1 << 16, { maxByteLength: RESERVED_BYTES });
    this.values = new type(this.#buffer);
  }

  /** Makes sure that `count` more values fit. */
  reserve(count: number): void {
    const wanted = (this.length + count) * this.values.BYTES_PER_ELEMENT;
    if (wanted <= this.#buffer.byteLength) return;
    if (wanted > RESERVED_BYTES)
      throw new RangeError(`Wanted at most ${RESERVED_BYTES} bytes in one array, got ${wanted}`);
    this.#buffer.resize(Math.min(RESERVED_BYTES, Math.max(wanted, this.#buffer.byteLength + (4 << 20))));
  }

  push(value: number): void {
    this.reserve(1);
    this.values[this.length++] = value;
  }
}
