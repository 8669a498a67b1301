import type { Rings } from './rings.ts';

/** A raster of whole numbers, row by row; 0 is background. */
export interface LabelImage {
  readonly width: number;
  readonly height: number;
  readonly labels: Int32Array | Uint32Array | Uint8Array;
}

/**
 * Traces every 4-connected component of equal, non-zero pixels in one pass: one polygon each, an exterior and its
 * holes, in the order in which the scan meets them. Rings follow the cracks between pixels with the inside on the right (clockwise
 * where rows run south). Where a component touches itself at a corner, the ring is split there, so that
 * every ring is simple and touches others at single corners only: a valid polygon in the sense of OGC.
 */
export function traceLabels(image: LabelImage): TracedPolygons {
  const { width, height } = image;
  if (image.labels.length !== width * height) {
    throw new RangeError(`wanted ${width} x ${height} = ${width * height} labels, got ${image.labels.length}`);
  }
  const stride = width + 2;
  const padded = pad(image, stride);
  const walker = new Walker(padded, stride);
  const { tops } = walker;
  for (let y = 1; y <= height; y++) {
    for (let p = y * stride + 1, end = p + width; p < end; p++) {
      const label = padded[p];
      if (label !== 0 && padded[p - stride] !== label && tops[p] === 0) walker.walk(p, label);
    }
  }
  return walker.rings.grouped();
}

/** The rings of one traced polygon, moved by whole pixels; vertices are copied. */
export function ringsOf(traced: TracedPolygons, polygon: number, dx = 0, dy = 0): Rings<Int32Array> {
  const first = traced.polygonStart[polygon];
  const last = traced.polygonStart[polygon + 1];
  const starts = new Int32Array(last - first + 1);
  for (let r = first; r < last; r++) {
    starts[r - first + 1] = starts[r - first] + (traced.ringEnd[r] - traced.ringStart[r]) / 2;
  }
  const coords = new Int32Array(starts[last - first] * 2);
  for (let r = first, at = 0; r < last; r++) {
    for (let i = traced.ringStart[r]; i < traced.ringEnd[r]; i += 2) {
      coords[at++] = traced.coords[i] + dx;
      coords[at++] = traced.coords[i + 1] + dy;
    }
  }
  return { coords, starts };
}

/** A background frame one pixel wide, so that the walk needs no bounds test. */
function pad({ width, height, labels }: LabelImage, stride: number): Int32Array {
  const padded = new Int32Array(stride * (height + 2));
  for (let y = 0; y < height; y++) padded.set(labels.subarray(y * width, (y + 1) * width), (y + 1) * stride + 1);
  return padded;
}

/** Walks along cracks. A corner has the index of the padded pixel south-east of it; directions are 0 east, 1 south, 2 west, 3 north. */
class Walker {
  readonly rings: RingList;
  /** The walk, counted from 1, that ran east along the top of a pixel; 0 when none did. */
  readonly tops: Int32Array;
  private readonly padded: Int32Array;
  private readonly stride: number;
  private readonly polygonOfWalk: number[] = [-1];

  constructor(padded: Int32Array, stride: number) {
    this.padded = padded;
    this.stride = stride;
    this.rings = new RingList(padded.length);
    this.tops = new Int32Array(padded.length);
  }

  /** Follows the boundary that runs along the top of pixel `start` and adds its ring, or its rings where it touches itself. */
  walk(start: number, label: number): void {
    const { padded, stride, tops, rings } = this;
    const id = this.polygonOfWalk.length;
    const firstRing = rings.count;
    let coords: Int32Array = rings.coords;
    let at = rings.used;
    let y = (start / stride) | 0;
    let x = start - y * stride;
    let corner = start;
    let direction = 0;
    let swept = 0;
    let pinches: Pinches | null = null;
    // The northernmost crack that runs west: for a hole the pixel above it belongs to the component around the hole.
    let northmost = -1;
    do {
      // A straight run, then the pixels ahead of its end: on the right hand, where the inside is, and on the left.
      let c = corner;
      let right: number;
      let left: number;
      if (direction === 0) {
        do tops[c++] = id;
        while (padded[c] === label && padded[c - stride] !== label);
        x += c - corner;
        right = padded[c];
        left = padded[c - stride];
        swept -= (c - corner) * y;
      } else if (direction === 1) {
        do {
          c += stride;
          y++;
        } while (padded[c - 1] === label && padded[c] !== label);
        right = padded[c - 1];
        left = padded[c];
      } else if (direction === 2) {
        do c--;
        while (padded[c - stride - 1] === label && padded[c - 1] !== label);
        x -= corner - c;
        right = padded[c - stride - 1];
        left = padded[c - 1];
        swept += (corner - c) * y;
        if (northmost < 0 || c < northmost) northmost = c;
      } else {
        do {
          c -= stride;
          y--;
        } while (padded[c - stride] === label && padded[c - stride - 1] !== label);
        right = padded[c - stride];
        left = padded[c - stride - 1];
      }
      corner = c;
      if (right === label) direction = (direction + 3) & 3;
      else {
        direction = (direction + 1) & 3;
        // Two pixels of the label meet at this corner only.
        if (left === label) at = (pinches ??= new Pinches()).pass(coords, at, corner);
      }
      if (at + 2 > coords.length) coords = rings.grow();
      coords[at++] = x - 1;
      coords[at++] = y - 1;
    } while (corner !== start || direction !== 0);
    rings.add(at, swept);
    if (pinches) rings.addLoops(pinches.loops, firstRing);
    this.polygonOfWalk.push(rings.own(firstRing, label, () => this.polygonAbove(northmost - stride)));
  }

  /** The polygon whose boundary is met first going north from a pixel inside its component. */
  private polygonAbove(pixel: number): number {
    let p = pixel;
    while (this.tops[p] === 0) p -= this.stride;
    return this.polygonOfWalk[this.tops[p]];
  }
}

/** The corners at which one walk may touch itself; what lies between two visits of one is a ring of its own. */
class Pinches {
  readonly loops: Int32Array[] = [];
  /** Place on the path of the first visit of a corner, while it is on the path. */
  private readonly seen = new Map<number, number>();
  private readonly visits: number[] = [];

  /** Notes a visit of a corner whose vertex would be written at `at`. On the second, takes the loop off the path; returns the path's new end. */
  pass(coords: Int32Array, at: number, corner: number): number {
    const before = this.seen.get(corner);
    if (before === undefined) {
      this.seen.set(corner, at);
      this.visits.push(corner);
      return at;
    }
    this.loops.push(coords.slice(before, at));
    // Corners that went off with the loop are not on the path any more.
    while (this.visits.at(-1) !== corner) this.seen.delete(this.visits.pop() ?? -1);
    return before;
  }
}

/** All polygons of a label image, flat. Corner (x, y) is the first-row, first-column corner of pixel (x, y). */
interface TracedPolygons {
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
class RingList {
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
