import type { TextTable } from '../../built-in/text-table.ts';

/** Gathers texts into a table in shared memory. */
export class TextRows {
  readonly #numbers: Map<string, number> | null;
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(65_536);
  #used = 0;
  #offsets: number[] = [0];

  /** `once` keeps each text only once. */
  constructor(once: boolean) {
    this.#numbers = once ? new Map() : null;
  }

  /** The number of a text. */
  add(text: string): number {
    const known = this.#numbers?.get(text);
    if (known !== undefined) return known;
    if (this.#bytes.length < this.#used + text.length * 3) {
      const grown = new Uint8Array((this.#used + text.length * 3) * 2);
      grown.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = grown;
    }
    this.#used += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#used)).written;
    this.#offsets.push(this.#used);
    const number = this.#offsets.length - 2;
    this.#numbers?.set(text, number);
    return number;
  }

  finish(): TextTable {
    const bytes = new Uint8Array(new SharedArrayBuffer(this.#used));
    bytes.set(this.#bytes.subarray(0, this.#used));
    const offsets = new Uint32Array(new SharedArrayBuffer(this.#offsets.length * 4));
    offsets.set(this.#offsets);
    return { offsets, bytes };
  }
}
