/** All polygons of a label image, flat. Corner (x, y) is the first-row, first-column corner of pixel (x, y). */
export interface TracedPolygons {
  /** x0, y0, x1, y1, ... of every ring, in pixel corners; only corners where the ring turns. */
  readonly coords: Int32Array;
  /** Ring r covers the numbers `ringStart[r]` up to `ringEnd[r]` of `coords`. */
  readonly ringStart: Int32Array;
  readonly ringEnd: Int32Array;
  /** Polygon p has the rings `polygonStart[p]` up to `polygonStart[p + 1]`, its exterior first. */
  readonly polygonStart: Int32Array;
  /** The label of each polygon. */
  readonly labels: Uint32Array;
}

/** Rings in the order in which they close, later grouped by polygon. */
export class RingList {
  coords: Int32Array;
  /** Numbers of `coords` that belong to finished rings. */
  used = 0;
  count = 0;
  private readonly ends: number[] = [];
  private readonly polygons: number[] = [];
  private readonly exteriors: boolean[] = [];
  private readonly labels: number[] = [];

  /** @param pixels of the image: ragged stands of 25 pixels on a side have about one number to four pixels. */
  constructor(pixels: number) {
    this.coords = new Int32Array(Math.max(64, pixels >> 2));
  }

  grow(wanted = 0): Int32Array {
    const grown = new Int32Array(Math.max(wanted, this.coords.length * 2));
    grown.set(this.coords);
    this.coords = grown;
    return grown;
  }

  /** The numbers up to `end` are a ring; one that runs clockwise (rows south) is an exterior. */
  add(end: number, swept: number): void {
    this.used = end;
    this.count++;
    this.ends.push(end);
    this.exteriors.push(swept > 0);
  }

  /** Adds rings that were cut out of the walk whose rest is ring `rest`, and validates that one again. */
  addLoops(loops: readonly Int32Array[], rest: number): void {
    this.exteriors[rest] = sweptArea(this.coords.subarray(rest === 0 ? 0 : this.ends[rest - 1], this.used)) > 0;
    for (const loop of loops) {
      if (this.used + loop.length > this.coords.length) this.grow(this.used + loop.length);
      this.coords.set(loop, this.used);
      this.add(this.used + loop.length, sweptArea(loop));
    }
  }

  /** Gives the rings from `first` on to a new polygon when one of them is an exterior, else to the polygon around them. */
  own(first: number, label: number, around: () => number): number {
    const polygon = this.exteriors.includes(true, first) ? this.labels.push(label) - 1 : around();
    for (let r = first; r < this.count; r++) this.polygons.push(polygon);
    return polygon;
  }

  grouped(): TracedPolygons {
    const { count, ends, polygons, exteriors, labels } = this;
    const polygonStart = new Int32Array(labels.length + 1);
    for (let r = 0; r < count; r++) polygonStart[polygons[r] + 1]++;
    for (let p = 0; p < labels.length; p++) polygonStart[p + 1] += polygonStart[p];
    const ringStart = new Int32Array(count);
    const ringEnd = new Int32Array(count);
    const next = polygonStart.slice().map((start) => start + 1);
    for (let r = 0; r < count; r++) {
      const at = exteriors[r] ? polygonStart[polygons[r]] : next[polygons[r]]++;
      ringStart[at] = r === 0 ? 0 : ends[r - 1];
      ringEnd[at] = ends[r];
    }
    return {
      coords: this.coords.subarray(0, this.used),
      ringStart,
      ringEnd,
      polygonStart,
      labels: Uint32Array.from(labels),
    };
  }
}

/** The area of a ring of axis-parallel edges, positive clockwise where rows run south. */
function sweptArea(ring: Int32Array): number {
  let area = 0;
  let x = ring[ring.length - 2];
  for (let i = 0; i < ring.length; i += 2) {
    area += (x - ring[i]) * ring[i + 1];
    x = ring[i];
  }
  return area;
}
