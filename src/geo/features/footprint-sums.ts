/** Square metres of footprints by cell; cells ascend. */
export interface Footprints {
  readonly cells: Float64Array;
  readonly m2: Float64Array;
}

/** Cells gathered at once; then they are laid down in order. */
const RUN = 500_000;

/** Adds up footprints by the number of a cell, for any number of cells: in runs that are merged at the end. */
export class FootprintSums {
  #open = new Map<number, number>();
  #runs: Footprints[] = [];

  add(cell: number, m2: number): void {
    this.#open.set(cell, (this.#open.get(cell) ?? 0) + m2);
    if (this.#open.size >= RUN) this.#layDown();
  }

  /** Everything added; empty afterwards. */
  finish(): Footprints {
    this.#layDown();
    let runs = this.#runs;
    this.#runs = [];
    while (runs.length > 1) {
      const merged: Footprints[] = [];
      for (let i = 0; i < runs.length; i += 2) merged.push(i + 1 < runs.length ? merge(runs[i], runs[i + 1]) : runs[i]);
      runs = merged;
    }
    return runs[0] ?? { cells: new Float64Array(0), m2: new Float64Array(0) };
  }

  #layDown(): void {
    if (this.#open.size === 0) return;
    const cells = Float64Array.from(this.#open.keys()).sort();
    this.#runs.push({ cells, m2: cells.map((cell) => this.#open.get(cell) ?? 0) });
    this.#open = new Map();
  }
}

function merge(a: Footprints, b: Footprints): Footprints {
  const cells = new Float64Array(a.cells.length + b.cells.length);
  const m2 = new Float64Array(cells.length);
  let count = 0;
  for (let i = 0, j = 0; i < a.cells.length || j < b.cells.length; count++) {
    const left = i < a.cells.length ? a.cells[i] : Infinity;
    const right = j < b.cells.length ? b.cells[j] : Infinity;
    cells[count] = Math.min(left, right);
    m2[count] = (left <= right ? a.m2[i++] : 0) + (right <= left ? b.m2[j++] : 0);
  }
  return { cells: cells.slice(0, count), m2: m2.slice(0, count) };
}
