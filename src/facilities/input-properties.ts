/** What a facility's own properties say that the checks use. */
export interface InputProperties {
  readonly name: string | null;
  /** The country as written. */
  readonly country: string | null;
}

/** Names of properties, folded: best first. */
const NAME_KEYS = rank(['facilityname', 'name', 'companyname', 'supplier']);
const COUNTRY_KEYS = rank([
  'country',
  'countryname',
  'countrycode',
  'iso',
  'iso2',
  'isoa2',
  'countryiso',
  'countryiso2',
  'iso3',
  'isoa3',
  'countryiso3',
  'producercountry',
]);

/**
 * Finds the facility's name and country in its properties, whatever the case and with spaces, underscores or hyphens in
 * the property's name. An empty text counts as absent; of several the first in the order of the lists above wins.
 */
export function readInputProperties(properties: Readonly<Record<string, unknown>>): InputProperties {
  let [name, nameRank] = [null as string | null, Infinity];
  let [country, countryRank] = [null as string | null, Infinity];
  for (const key in properties) {
    const folded = fold(key);
    const asName = NAME_KEYS.get(folded) ?? Infinity;
    const asCountry = COUNTRY_KEYS.get(folded) ?? Infinity;
    if (asName >= nameRank && asCountry >= countryRank) continue;
    const value = properties[key];
    const text = typeof value === 'string' ? value.trim() : '';
    if (text === '') continue;
    if (asName < nameRank) [name, nameRank] = [text, asName];
    if (asCountry < countryRank) [country, countryRank] = [text, asCountry];
  }
  return { name, country };
}

function fold(key: string): string {
  return key.length > 30 ? '' : key.toLowerCase().replaceAll(/[\s_-]+/g, '');
}

function rank(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map(keys.map((key, i) => [key, i]));
}
