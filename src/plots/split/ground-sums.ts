import { BANDS } from '../../geo/segmentation/grid.ts';
import { UNIT } from '../../geo/segmentation/pool-cells.ts';

/** Sums over the cells of a piece of ground, each cell weighted by its hectares inside the plot. Two pieces together are the sums of their sums. */
export interface GroundSums {
  /** Hectares. */
  weight: number;
  /** Sum of the cells' vectors of length one, by band. */
  readonly vector: Float64Array;
  /** Sum of the products of two bands, the lower triangle by rows: (0,0), (1,0), (1,1), (2,0) ... */
  readonly products: Float64Array;
}

/** Places of a triangle of 64 x 64. */
const TRIANGLE = (BANDS * (BANDS + 1)) / 2;

export function emptySums(): GroundSums {
  return { weight: 0, vector: new Float64Array(BANDS), products: new Float64Array(TRIANGLE) };
}

/** Adds one cell, whose vector is at 64 places of `units` from `at`. */
export function addCell(sums: GroundSums, units: Int16Array, at: number, hectares: number): void {
  const { vector, products } = sums;
  for (let band = 0; band < BANDS; band++) CELL[band] = units[at + band] / UNIT;
  sums.weight += hectares;
  for (let band = 0, place = 0; band < BANDS; band++) {
    const scaled = CELL[band] * hectares;
    vector[band] += scaled;
    for (let other = 0; other <= band; other++, place++) products[place] += scaled * CELL[other];
  }
}

/** The vector of the cell that is being added. */
const CELL = new Float64Array(BANDS);

/** Adds the sums of `from` to `out`. */
export function addSums(out: GroundSums, from: GroundSums): void {
  out.weight += from.weight;
  for (let band = 0; band < BANDS; band++) out.vector[band] += from.vector[band];
  for (let place = 0; place < TRIANGLE; place++) out.products[place] += from.products[place];
}

/** How far apart two pieces of ground are. */
export interface Separation {
  /** 1 - cosine of their mean vectors: 0 alike, 1 nothing in common. */
  readonly distance: number;
  /**
   * Ashman's D: distance of the means against the spread of the cells of both along the line between them. Above 2 two bell
   * curves are cleanly apart (Ashman, Bird and Zepf 1994, Astronomical Journal 108, 2348). Infinity where neither has any spread.
   */
  readonly ashmanD: number;
}

/** Two pieces that have ground. */
export function separationOf(a: GroundSums, b: GroundSums): Separation {
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  const line = new Float64Array(BANDS);
  let gap = 0;
  for (let band = 0; band < BANDS; band++) {
    const [inA, inB] = [a.vector[band] / a.weight, b.vector[band] / b.weight];
    dot += inA * inB;
    lengthA += inA * inA;
    lengthB += inB * inB;
    line[band] = inB - inA;
    gap += line[band] * line[band];
  }
  const distance = lengthA > 0 && lengthB > 0 ? Math.max(0, 1 - dot / Math.sqrt(lengthA * lengthB)) : 0;
  if (gap === 0) return { distance, ashmanD: 0 };
  const spread = varianceAlong(a, line) + varianceAlong(b, line);
  return { distance, ashmanD: spread > ROUNDING * gap * gap ? (gap * Math.SQRT2) / Math.sqrt(spread) : Infinity };
}

/** Variances this small against the squared gap are what rounding left. */
const ROUNDING = 1e-12;

/** Variance of the cells' projections on a direction that is not of length one. */
function varianceAlong({ weight, vector, products }: GroundSums, line: Float64Array): number {
  let squares = 0;
  let mean = 0;
  for (let band = 0, place = 0; band < BANDS; band++) {
    mean += line[band] * vector[band];
    for (let other = 0; other < band; other++, place++) squares += 2 * line[band] * line[other] * products[place];
    squares += line[band] * line[band] * products[place++];
  }
  mean /= weight;
  return Math.max(0, squares / weight - mean * mean);
}

/**
 * What the spread within pieces of ground grows by when two become one (Ward 1963, Journal of the American Statistical Association 58, 236): hectares times
 * squared distance of their means.
 */
export function wardCost(a: GroundSums, b: GroundSums): number {
  let gap = 0;
  for (let band = 0; band < BANDS; band++) {
    const difference = a.vector[band] / a.weight - b.vector[band] / b.weight;
    gap += difference * difference;
  }
  return (a.weight * b.weight * gap) / (a.weight + b.weight);
}
