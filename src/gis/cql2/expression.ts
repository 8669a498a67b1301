import type { Ground } from '../../geo/shapes/shapes-intersect.ts';

/**
 * A filter in the shape of CQL2 JSON (OGC 21-065r2), checked: operators have their number of arguments, properties are known,
 * geometries are laid out. What the text says becomes the same tree.
 */
export type Expression =
  | boolean
  | { readonly op: 'and' | 'or'; readonly args: readonly Expression[] }
  | { readonly op: 'not'; readonly args: readonly [Expression] }
  | { readonly op: Comparison; readonly args: readonly [Operand, Operand] }
  | { readonly op: 'like'; readonly args: readonly [Operand, Operand] }
  | { readonly op: 'between'; readonly args: readonly [Operand, Operand, Operand] }
  | { readonly op: 'in'; readonly args: readonly [Operand, readonly Operand[]] }
  | { readonly op: 'isNull'; readonly args: readonly [Operand] }
  | { readonly op: 's_intersects'; readonly args: readonly [PropertyRef, readonly Ground[]] };

export const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const;
export type Comparison = (typeof COMPARISONS)[number];

export type Operand =
  | string
  | number
  | boolean
  | PropertyRef
  | { readonly op: 'casei'; readonly args: readonly [Operand] }
  | { readonly date: string }
  | { readonly timestamp: string };

export interface PropertyRef {
  readonly property: string;
}

/** Limits of one filter. */
export const CQL2_LIMITS = { characters: 8_192, depth: 24, nodes: 500, positions: 500, pattern: 256 } as const;

/** A filter that is not in the subset, in a sentence for its writer. */
export class Cql2Error extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Cql2Error';
  }
}

export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
