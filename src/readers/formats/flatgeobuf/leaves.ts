/** Features found by their boxes, in the order of the file: flat rows that are used again, since thousands are found at once. */
export class Leaves {
  length = 0;
  /** Number of each feature in the order of the file. */
  numbers = new Float64Array(64);
  /** Bytes from the first feature. */
  offsets = new Float64Array(64);
  /** West, south, east, north in degrees. */
  boxes = new Float64Array(256);

  /** Adds an entry of the index that begins at `at`. */
  addEntry(number: number, view: DataView, at: number): void {
    const to = this.#next();
    this.numbers[to] = number;
    this.offsets[to] = offsetAt(view, at);
    for (let i = 0; i < 4; i++) this.boxes[to * 4 + i] = view.getFloat64(at + i * 8, true);
  }

  /** Adds one that another list has. */
  addFrom({ numbers, offsets, boxes }: Leaves, from: number): void {
    const to = this.#next();
    this.numbers[to] = numbers[from];
    this.offsets[to] = offsets[from];
    for (let i = 0; i < 4; i++) this.boxes[to * 4 + i] = boxes[from * 4 + i];
  }

  /** Drops all that `keeps` does not want; the others close up. */
  filter(keeps: (i: number) => boolean): void {
    const { length } = this;
    this.length = 0;
    for (let i = 0; i < length; i++) if (keeps(i)) this.addFrom(this, i);
  }

  /** A list of its own. */
  slice(from: number, to: number): Leaves {
    const part = new Leaves();
    for (let i = from; i < Math.min(to, this.length); i++) part.addFrom(this, i);
    return part;
  }

  #next(): number {
    if (this.length === this.offsets.length) {
      this.numbers = twice(this.numbers);
      this.offsets = twice(this.offsets);
      this.boxes = twice(this.boxes);
    }
    return this.length++;
  }
}

/** Where an entry of the index points: a 64-bit number, read without making a `bigint`. */
export function offsetAt(view: DataView, entry: number): number {
  return view.getUint32(entry + 32, true) + view.getUint32(entry + 36, true) * 2 ** 32;
}

function twice(row: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(row.length * 2);
  grown.set(row);
  return grown;
}

const spare: Leaves[] = [];
const MOST_SPARE = 16;
/** A list that has grown to more is not kept. */
const MOST_KEPT = 8_192;

/** Hands two empty lists to a job, and uses them again afterwards. */
export async function withLeaves<T>(job: (leaves: Leaves, other: Leaves) => Promise<T>): Promise<T> {
  const taken = [spare.pop() ?? new Leaves(), spare.pop() ?? new Leaves()] as const;
  for (const leaves of taken) leaves.length = 0;
  try {
    return await job(...taken);
  } finally {
    for (const leaves of taken) if (spare.length < MOST_SPARE && leaves.offsets.length <= MOST_KEPT) spare.push(leaves);
  }
}
