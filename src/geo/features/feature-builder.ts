import { finishTree, treeBoxCount } from '../packed-tree.ts';
import { FEATURE_SCALE, LINE, POINT, type FeatureSet, type IndexedFeatures } from './feature-set.ts';

/** A row of numbers that grows by doubling. */
export class Row<T extends Uint8Array | Uint32Array | Int32Array | Float32Array> {
  values: T;
  length = 0;
  readonly #type: new (length: number | SharedArrayBuffer) => T;

  constructor(type: new (length: number | SharedArrayBuffer) => T, room: number) {
    this.#type = type;
    this.values = new type(room);
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new this.#type(this.values.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  /** What is used, copied into shared memory; the row is empty afterwards. */
  share(): T {
    const shared = new this.#type(new SharedArrayBuffer(this.length * this.values.BYTES_PER_ELEMENT));
    shared.set(this.values.subarray(0, this.length));
    this.values = new this.#type(1);
    this.length = 0;
    return shared;
  }
}

/**
 * Gathers features one by one: `begin`, then for each part its vertices and `endPart`, then `end`. Can be emptied and
 * filled again without new memory, and read as a feature set at any time.
 */
export class FeatureBuilder implements FeatureSet {
  count = 0;
  readonly onlyType = 0;
  readonly isSinglePart = false;
  readonly #types: Row<Uint8Array>;
  readonly #features: Row<Uint32Array>;
  readonly #parts: Row<Uint32Array>;
  readonly #xy: Row<Int32Array>;

  /** `room` is how many features are expected; more fit. */
  constructor(room = 64) {
    this.#types = new Row(Uint8Array, room);
    this.#features = new Row(Uint32Array, room + 1);
    this.#parts = new Row(Uint32Array, room + 1);
    this.#xy = new Row(Int32Array, room * 10);
    this.clear();
  }

  get types(): Uint8Array {
    return this.#types.values;
  }
  get features(): Uint32Array {
    return this.#features.values;
  }
  get parts(): Uint32Array {
    return this.#parts.values;
  }
  get xy(): Int32Array {
    return this.#xy.values;
  }

  clear(): void {
    this.count = 0;
    for (const row of [this.#types, this.#features, this.#parts, this.#xy]) row.length = 0;
    this.#features.push(0);
    this.#parts.push(0);
  }

  begin(type: number): void {
    this.#types.push(type);
  }

  /** Degrees. */
  vertex(lon: number, lat: number): void {
    this.#xy.push(Math.round(lon * FEATURE_SCALE));
    this.#xy.push(Math.round(lat * FEATURE_SCALE));
  }

  endPart(): void {
    this.#parts.push(this.#xy.length / 2);
  }

  /** Ends the feature; one without a part that can be measured (a line of one vertex, a ring of three) is dropped: then false. */
  end(): boolean {
    const first = this.#features.values[this.count];
    const isWhole = this.#parts.length - 1 > first && this.#leastVertices(first) >= this.#needed();
    if (!isWhole) {
      this.#types.length = this.count;
      this.#parts.length = first + 1;
      this.#xy.length = this.#parts.values[first] * 2;
      return false;
    }
    this.#features.push(this.#parts.length - 1);
    this.count++;
    return true;
  }

  #needed(): number {
    const type = this.#types.values[this.count];
    return type === POINT ? 1 : type === LINE ? 2 : 4;
  }

  #leastVertices(first: number): number {
    let least = Infinity;
    for (let part = first; part < this.#parts.length - 1; part++)
      least = Math.min(least, this.#parts.values[part + 1] - this.#parts.values[part]);
    return least;
  }

  /** Everything gathered, in shared memory with a tree over it; the builder is empty afterwards. Null when there is nothing. */
  finish(): IndexedFeatures | null {
    const { count } = this;
    if (count === 0) return null;
    const boxes = new Int32Array(new SharedArrayBuffer(treeBoxCount(count) * 16));
    for (let id = 0; id < count; id++) boxOf(this, id, boxes, id * 4);
    const tree = finishTree(boxes, count);
    const { types } = this;
    const set = {
      count,
      tree,
      onlyType: types.subarray(0, count).every((type) => type === types[0]) ? types[0] : 0,
      isSinglePart: this.#parts.length === count + 1,
      types: this.#types.share(),
      features: this.#features.share(),
      parts: this.#parts.share(),
      xy: this.#xy.share(),
    };
    this.clear();
    return set;
  }
}

/** West, south, east, north of a feature in units, into `out` from `at`. */
export function boxOf({ features, parts, xy }: FeatureSet, id: number, out: Int32Array, at: number): void {
  let west = 0x7fffffff;
  let south = 0x7fffffff;
  let east = -0x80000000;
  let north = -0x80000000;
  const end = parts[features[id + 1]] * 2;
  for (let i = parts[features[id]] * 2; i < end; i += 2) {
    const x = xy[i];
    const y = xy[i + 1];
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < south) south = y;
    if (y > north) north = y;
  }
  out[at] = west;
  out[at + 1] = south;
  out[at + 2] = east;
  out[at + 3] = north;
}
