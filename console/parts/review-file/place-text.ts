import { countryName, formatFixed, t, tWord } from '../../text/translate.ts';
import type { Preview } from './reading.ts';

/** What becomes of a row: what it is taken for, and where that is. */
export function placeText({ location_type: type, place, point, country }: Preview['sample'][number]): string {
  const what = tWord('rowType', type);
  if (place === 'to_geocode') return `${what}, ${t('intake.byAddress')}`;
  if (place === 'none') return `${what}, ${t('intake.noPlace')}`;
  if (point === null) return `${what}, ${t('intake.unusable')}`;
  const [lon, lat] = point;
  const where = `${formatFixed(lat, 5)}, ${formatFixed(lon, 5)}`;
  return [what, where, country === null ? null : countryName('', country)].filter((part) => part !== null).join(' · ');
}
