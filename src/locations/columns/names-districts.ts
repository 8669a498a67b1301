import { DISTRICT_WORDS } from '../geocode/place-words.ts';
import { foldName } from './fold-name.ts';

/** Whether a heading is one of districts rather than of settlements: `District`, `Kabupaten`, `admin2`. */
export function namesDistricts(heading: string | undefined): boolean {
  if (heading === undefined) return false;
  const folded = foldName(heading);
  return /\bad(min|m) ?2\b/.test(folded) || folded.split(' ').some((word) => DISTRICT_WORDS.has(word));
}
