import { placeKey } from '../../geo/place-key.ts';
import type { AddressPart } from './address-parts.ts';
import type { Gazetteer } from './gazetteer.ts';

/** What the parts of an address say of the country. */
interface NamedCountry {
  /** ISO alpha-2 of the country that a whole part names, nearest to the end; null where none does. */
  readonly code: string | null;
  /** ISO alpha-2 of a country whose name the last part ends in: a hint and no more, because `Zona Franca` does too. */
  readonly hint: string | null;
}

const NONE: NamedCountry = { code: null, hint: null };
/** Shorter texts are taken for a country only as capitals, at the end, and where they are the letters of no division. */
const LEAST_NAME = 4;

export function namedCountry(parts: readonly AddressPart[], gazetteer: Gazetteer): NamedCountry {
  const last = parts.at(-1);
  if (last === undefined) return NONE;
  for (const part of parts.toReversed()) {
    const text = part.words.map((word) => word.text).join(' ');
    const code = gazetteer.countryCode(text);
    if (code === null) continue;
    if (text.length < LEAST_NAME && !(part === last && isOwnAbbreviation(text, gazetteer))) continue;
    return { code: regionInstead(text, parts, code, gazetteer) ?? code, hint: null };
  }
  for (let size = Math.min(3, last.words.length - 1); size > 0; size--) {
    const text = last.words
      .slice(-size)
      .map((word) => word.text)
      .join(' ');
    const code = text.length < LEAST_NAME ? null : gazetteer.countryCode(text);
    if (code !== null) return { code: null, hint: code };
  }
  return NONE;
}

function isOwnAbbreviation(text: string, gazetteer: Gazetteer): boolean {
  return text.length > 1 && text === text.toUpperCase() && gazetteer.coded(text).length === 0;
}

/** The country of a region of this name, where another part names a place in that region and none in the country: `Atlanta, Georgia`. */
function regionInstead(
  text: string,
  parts: readonly AddressPart[],
  country: string,
  gazetteer: Gazetteer,
): string | null {
  const regions = gazetteer.named(placeKey(text)).filter((entry) => entry.kind === 'region');
  if (regions.length === 0) return null;
  const places = parts.flatMap(({ words }) => gazetteer.named(words.map(({ key }) => key).join('')));
  if (places.some((place) => place.kind === 'settlement' && place.country === country)) return null;
  const found = regions.find((region) =>
    places.some(
      (place) => place.kind === 'settlement' && place.country === region.country && place.region === region.region,
    ),
  );
  return found?.country ?? null;
}
