import { BUILT_UP, PLANTATION } from './heads.ts';
import type { InstalledHead } from '../models/installed-models.ts';

/** Path at which the service shows `docs/detection-models.md`. */
const PAGE = '/docs/detection-models';

/** Where the accuracy of a head is written down, relative to the address of the service. */
export function aboutHead({ about: { commodity, training } }: InstalledHead): string {
  if (training !== undefined) return `${PAGE}#heads-of-your-own`;
  return `${PAGE}#${commodity ?? 'heads-of-your-own'}`;
}

/** Where it is written down what a map says and what it does not. */
export function aboutMap(): string {
  return `${PAGE}#maps-in-place-of-a-head`;
}

/** Where the plantation mask is explained. */
export function aboutPlantations(): string {
  return `${PAGE}#${PLANTATION}-mask`;
}

/** Anchors that evidence may point to; each has to be a heading of the page. */
export const ANCHORS = [
  'palm',
  'rubber',
  'cocoa',
  'coffee',
  BUILT_UP,
  `${PLANTATION}-mask`,
  'heads-of-your-own',
  'maps-in-place-of-a-head',
] as const;
