import { round } from '../../geo/round.ts';
/** Units in one: hectares, tonnes and scores are written with four decimals. */
export const DECIMAL_UNITS = 10_000;

/** A number as answers write it, with four decimals; null stays null. */
export function rounded<T extends number | null>(value: T): T {
  return (value === null ? null : round(value, 4)) as T;
}
