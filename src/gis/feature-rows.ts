import type { Geometry } from '../geo/geometry.ts';
import { type Bbox, boxesTouch } from '../geo/shapes/shape.ts';

/** A feature as map programs get it: properties are texts, numbers and truth values, and a row of a table therefore. */
export interface MapFeature {
  /** Its place in the set, from 0, as text. */
  readonly id: string;
  readonly geometry: Geometry | null;
  readonly properties: Readonly<Record<string, string | number | boolean | null>>;
}

/** Rows that follow each other and lie near each other: what can be left out without looking at each. */
export interface RowGroup {
  /** First row, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** Around all of its rows; nothing touches that of a group without any geometry. */
  readonly box: Bbox;
}

/** Boxes of rows: west, south, east, north in degrees, one row after the other; NaN for one without geometry. */
type RowBoxes = Float64Array;

/**
 * Features in an order that stays, by the number of their row, with their boxes at hand: what pages of items and tiles are
 * made of.
 */
export interface FeatureRows {
  readonly count: number;
  /** Around everything; null where nothing has a geometry. */
  readonly extent: Bbox | null;
  /** Rows whose boxes may be looked at for one tile; beyond, it is drawn by groups. */
  readonly mostScanned: number;
  groups(signal: AbortSignal): Promise<readonly RowGroup[]>;
  /** Boxes of the rows from `from` up to, not including, `to`. */
  boxes(from: number, to: number, signal: AbortSignal): Promise<RowBoxes>;
  /** The features of rows in ascending order, in that order. */
  read(rows: readonly number[], signal: AbortSignal): Promise<readonly MapFeature[]>;
}

/** Rows of a group whose box touches one of the boxes; all of them where there is none to touch. */
export async function rowsTouching(
  rows: FeatureRows,
  { from, to }: Pick<RowGroup, 'from' | 'to'>,
  boxes: readonly Bbox[] | null,
  signal: AbortSignal,
): Promise<readonly number[]> {
  if (boxes === null) return Array.from({ length: to - from }, (_, i) => from + i);
  const found: number[] = [];
  const edges = await rows.boxes(from, to, signal);
  for (let i = 0; i < to - from; i++)
    if (boxes.some(([west, south, east, north]) => touches(edges, i * 4, west, south, east, north)))
      found.push(from + i);
  return found;
}

/** False for a row without geometry: nothing compares with what is no number. */
export function touches(
  edges: RowBoxes,
  at: number,
  west: number,
  south: number,
  east: number,
  north: number,
): boolean {
  return edges[at] <= east && edges[at + 2] >= west && edges[at + 1] <= north && edges[at + 3] >= south;
}

/** The groups that may hold rows in one of the boxes. */
export function groupsTouching(groups: readonly RowGroup[], boxes: readonly Bbox[] | null): readonly RowGroup[] {
  if (boxes === null) return groups;
  return groups.filter(({ box }) => boxes.some((one) => boxesTouch(one, box)));
}
