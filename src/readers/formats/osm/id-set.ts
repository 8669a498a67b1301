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
