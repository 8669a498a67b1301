import { createHash } from 'node:crypto';
import type { Lattice } from './lattice.ts';
import type { Rings } from './rings.ts';

/** What made a segment, besides the raster itself. */
interface SegmentOrigin {
  /** Year of the embedding. */
  readonly year: number;
  /** Name and version of the segmentation with its parameters, for example `aef-watershed/1`. */
  readonly algorithm: string;
}

/** 80 bits: two of a thousand million segments share an id with a chance of one in two million. */
const ID_BYTES = 10;
/** Crockford's base 32: no letter that is taken for a digit. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A stable name for a segment: the same cells of the same lattice, year and algorithm give the same id from any point
 * and any window; any other cell gives another. It is a hash of the corners of the cells, so it does not depend on
 * smoothing, on the output CRS or on where a ring starts.
 *
 * @param corners traced rings, column, row pairs on the lattice.
 */
export function segmentId(corners: Rings<Int32Array>, lattice: Lattice, { year, algorithm }: SegmentOrigin): string {
  const hash = createHash('sha256');
  hash.update([lattice.crs, ...latticeText(lattice), year, algorithm].join('\n'));
  for (const ring of canonicalRings(corners)) {
    const bytes = Buffer.alloc(4 + ring.length * 4);
    bytes.writeInt32LE(ring.length, 0);
    ring.forEach((value, i) => bytes.writeInt32LE(value, 4 + i * 4));
    hash.update(bytes);
  }
  return `seg_${base32(hash.digest().subarray(0, ID_BYTES))}`;
}

/** Numbers as 12 digits: enough to distinguish lattices, too few to see the rounding of a transform. */
function latticeText({ originX, originY, cellWidth, cellHeight }: Lattice): string[] {
  return [originX, originY, cellWidth, cellHeight].map((value) => (value === 0 ? 0 : value).toPrecision(12));
}

/** Every ring turned to start at its northernmost, then westernmost corner; the exterior first, holes by that corner. */
function canonicalRings({ coords, starts }: Rings<Int32Array>): number[][] {
  const rings: number[][] = [];
  for (let r = 0; r + 1 < starts.length; r++) {
    const ring = [...coords.subarray(starts[r] * 2, starts[r + 1] * 2)];
    let first = 0;
    for (let i = 2; i < ring.length; i += 2) {
      if (ring[i + 1] < ring[first + 1] || (ring[i + 1] === ring[first + 1] && ring[i] < ring[first])) first = i;
    }
    rings.push([...ring.slice(first), ...ring.slice(0, first)]);
  }
  const [exterior, ...holes] = rings;
  return [exterior, ...holes.toSorted((a, b) => a[1] - b[1] || a[0] - b[0])];
}

/** Five bits a letter; the length of `bytes` is a multiple of five. */
function base32(bytes: Uint8Array): string {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  return Array.from({ length: (bytes.length * 8) / 5 }, (_, i) =>
    ALPHABET.charAt(Number((bits >> BigInt(bytes.length * 8 - 5 - 5 * i)) & 31n)),
  ).join('');
}
