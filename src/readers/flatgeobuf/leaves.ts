/** Features found by their boxes, in the order of the file: flat rows that are used again, since thousands are found at once. */
export class Leaves {
  length = 0;
  /** Number of each feature in the order of the file. */
  numbers = new Float64Array(64);
  /** Bytes from the first feature. */
  offsets = new Float64Array(64);
  /** West, south, east, north in degrees. */
  boxes = new Float64Array(256);

  add(number: number, offset: number, west: number, south: number, east: number, north: number): void {
    const at = this.length++;
    if (at === this.offsets.length) this.#grow();
    this.numbers[at] = number;
    this.offsets[at] = offset;
    this.boxes[at * 4] = west;
    this.boxes[at * 4 + 1] = south;
    this.boxes[at * 4 + 2] = east;
    this.boxes[at * 4 + 3] = north;
  }

  /** Adds one that another list has. */
  addFrom({ numbers, offsets, boxes }: Leaves, i: number): void {
    const at = i * 4;
    this.add(numbers[i], offsets[i], boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3]);
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

  #grow(): void {
    const twice = (row: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(row.length * 2);
      grown.set(row);
      return grown;
    };
    this.numbers = twice(this.numbers);
    this.offsets = twice(this.offsets);
    this.boxes = twice(this.boxes);
  }
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
