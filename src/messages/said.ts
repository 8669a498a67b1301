/** What fills a blank of a sentence: a name or number as it is, or another sentence or word, which has a language too. */
export type Param = string | number | Said | readonly (string | Said)[];
export type Params = Readonly<Record<string, Param>>;

/**
 * A sentence, or words in one: what it says as a code with parameters, from which a reader in any language gets it, and
 * its English. Absent `params`: it has no blanks.
 */
export interface Said {
  readonly code: string;
  readonly params?: Params;
  readonly message: string;
}

/** Words that have a translation of their own, such as the name of a commodity. */
export function word(code: string, message: string): Said {
  return { code, message };
}

/**
 * The code of a word of a group: `group.name`. In one piece of memory: `JSON.stringify` leaves its fast way at a text that
 * V8 keeps as a sum of others.
 */
export function wordCode(group: string, name: string): string {
  return [group, name].join('.');
}

/** A country within a sentence; other languages name it by its code. */
export function countryWord(iso2: string, message: string): Said {
  return { code: `country.${iso2}`, message };
}
