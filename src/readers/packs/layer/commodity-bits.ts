import type { Commodity } from '../../../facilities/commodity/commodities.ts';

/** A commodity, or null for a facility of none of them. */
export type CommodityOrNone = Commodity | null;

/** Each has the bit of its place in this list. */
export const COMMODITIES_IN_ORDER: readonly CommodityOrNone[] = [
  null,
  'rubber',
  'palm',
  'cocoa',
  'coffee',
  'soy',
  'timber',
  'cattle',
];
