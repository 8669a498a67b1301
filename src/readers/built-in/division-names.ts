import { readFileSync } from 'node:fs';
import { placeKey } from '../../geo/place-key.ts';
import { spellingsOf } from './build/division-words.ts';

/** How a division is written. */
export interface DivisionNames {
  /** The name to show. */
  readonly name: string;
  /** Letters of ISO 3166-2, empty where there are none. */
  readonly code: string;
  /** Keys (`placeKey`) of its name, of its other names, and of each without the words for its kind. */
  readonly keys: readonly string[];
}

/**
 * Every way the divisions of one order are written, by their code of GeoNames, from their names there and the table of
 * other names. Without a list of names: the divisions of before a reform.
 */
export function divisionNames(own: ReadonlyMap<string, string> | null): ReadonlyMap<string, DivisionNames> {
  const rows = rowsOf(own === null ? '-' : '');
  const codes = own === null ? [...rows.keys()] : [...own.keys()];
  return new Map(
    codes.map((geonames) => {
      const { code, others } = rows.get(geonames) ?? { code: '', others: [] };
      const name = own?.get(geonames) ?? others[0];
      const keys = new Set([name, ...others].flatMap(spellingsOf).map(placeKey));
      keys.delete('');
      return [geonames, { name, code, keys: [...keys] }];
    }),
  );
}

function rowsOf(mark: '-' | ''): Map<string, { readonly code: string; readonly others: readonly string[] }> {
  return new Map(
    readFileSync(new URL('./division-names.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('#') && line.startsWith('-') === (mark === '-'))
      .map((line) => {
        const [geonames, code, ...others] = line.slice(mark.length).split('|');
        return [geonames, { code, others }];
      }),
  );
}
