/** A binary heap of numbered things by key, smallest first; room grows and is kept, so that filling it again allocates nothing. */
export class MinHeap {
  size = 0;
  #keys = new Float64Array(256);
  #values = new Float64Array(256);

  /** Key of the first thing. Only while `size` is over 0. */
  get firstKey(): number {
    return this.#keys[0];
  }

  push(key: number, value: number): void {
    if (this.size === this.#keys.length) this.#grow();
    const keys = this.#keys;
    const values = this.#values;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent] <= key) break;
      keys[at] = keys[parent];
      values[at] = values[parent];
      at = parent;
    }
    keys[at] = key;
    values[at] = value;
  }

  /** Takes the first thing off. Only while `size` is over 0. */
  pop(): number {
    const keys = this.#keys;
    const values = this.#values;
    const first = values[0];
    const size = --this.size;
    const key = keys[size];
    const value = values[size];
    let at = 0;
    for (let child = 1; child < size; child = at * 2 + 1) {
      if (child + 1 < size && keys[child + 1] < keys[child]) child++;
      if (keys[child] >= key) break;
      keys[at] = keys[child];
      values[at] = values[child];
      at = child;
    }
    keys[at] = key;
    values[at] = value;
    return first;
  }

  #grow(): void {
    const keys = new Float64Array(this.size * 2);
    const values = new Float64Array(this.size * 2);
    keys.set(this.#keys);
    values.set(this.#values);
    this.#keys = keys;
    this.#values = values;
  }
}
