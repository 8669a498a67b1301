import { Problem, type ErrorDetail } from '../../errors.ts';
import { isDate } from '../../collections/batch-period.ts';
import { ANNEX } from '../../law/annex.ts';
import type { ScopeQuestion } from '../../law/answer-scope.ts';
import { TIER_OF } from '../../law/country-tiers.ts';
import { ROLE_ALIASES, ROLES, type Role } from '../../law/roles.ts';
import { SIZES, type Size } from '../../law/undertakings.ts';
import { nearestName } from '../../nearest-name.ts';
import { countryCode, countryName } from '../../readers/built-in/country-code.ts';

/** A question about scope as a client writes it; absent or empty: not said. */
export interface ScopeWords {
  readonly cn?: string | undefined;
  readonly country?: string | undefined;
  readonly date?: string | undefined;
  readonly role?: string | undefined;
  readonly size?: string | undefined;
  readonly established?: string | undefined;
  readonly timberRegulation?: boolean | undefined;
  readonly produced?: string | undefined;
}

/**
 * Reads a question about scope; the day is `today` unless one is given. @throws Problem that lists everything wrong, each
 * with the values that are near.
 */
export function readScope(words: ScopeWords, today: string): ScopeQuestion {
  const errors: ErrorDetail[] = [];
  const read = <T>(name: string, text: string | undefined, parse: (text: string) => T): T | null => {
    if (text === undefined || text.trim() === '') return null;
    try {
      return parse(text.trim());
    } catch (error) {
      errors.push({ pointer: `/query/${name}`, code: 'invalid', detail: (error as Error).message });
      return null;
    }
  };
  const date = read('date', words.date, (text) => readDay('date', text)) ?? today;
  const cn = read('cn', words.cn, readCn);
  if (words.cn === undefined || words.cn.trim() === '')
    errors.push({ pointer: '/query/cn', code: 'missing', detail: `cn is missing; wanted ${CN_WANTED}.` });
  const question = {
    cn: cn ?? '',
    date,
    country: read('country', words.country, readCountry),
    role: read('role', words.role, readRole),
    size: read('size', words.size, readSize),
    established: read('established', words.established, (text) => readDay('established', text)),
    timberRegulation: words.timberRegulation ?? null,
    produced: read('produced', words.produced, (text) => readDay('produced', text)),
  };
  if (question.produced !== null && question.produced > date)
    errors.push({
      pointer: '/query/produced',
      code: 'invalid',
      detail: `produced: wanted a day not after ${date}, got ${question.produced}.`,
    });
  if (errors.length > 0)
    throw new Problem('invalid_parameter', errors.map(({ detail }) => detail).join(' '), { errors });
  return question;
}

const CN_WANTED = '2, 4, 6, 8 or 10 digits of the Combined Nomenclature, as 4101, "4101 20" or "ex 4101"';

/** The digits of a code: spaces, dots and hyphens between them, and "ex", "CN" or "HS" before them make no difference. */
export function readCn(text: string): string {
  const digits = text.replace(/^(ex|(cn|hs)( code)?)[\s:]*(?=\d)/i, '').replaceAll(/[\s.\-\u00A0]/g, '');
  const got = `got ${JSON.stringify(text.slice(0, 40))}`;
  if (!/^\d+$/.test(digits)) throw new RangeError(`cn: wanted ${CN_WANTED}, ${got}.`);
  if ([2, 4, 6, 8, 10].includes(digits.length)) return digits;
  const padded = `0${digits}`;
  const lostZero = ANNEX.find((row) => padded.startsWith(row.digits));
  const hint = lostZero === undefined ? '' : ` Spreadsheets drop a zero at the start: did you mean ${padded}?`;
  throw new RangeError(`cn: wanted ${CN_WANTED}, ${got} (${digits.length} digits).${hint}`);
}

/** A country by its alpha-2 or alpha-3 code or its name in any usual spelling. */
function readCountry(text: string): { readonly code: string; readonly name: string } {
  const code = countryCode(text);
  if (code !== null) return { code, name: countryName(code) };
  const names = [...TIER_OF.keys()].map(countryName);
  const nearest = nearestName(text, names);
  const hint = nearest === null ? '' : ` Did you mean ${nearest} (${countryCode(nearest)})?`;
  throw new RangeError(
    `country: wanted an ISO 3166-1 code (alpha-2 or alpha-3) or a name, got ${JSON.stringify(text.slice(0, 40))}.${hint}`,
  );
}

/** A role in any case, with hyphens or spaces, by its name here or in the information system. */
export function readRole(text: string): Role {
  const word = text.toLowerCase().replaceAll(/[\s-]+/g, '_');
  if (Object.hasOwn(ROLES, word)) return word as Role;
  if (Object.hasOwn(ROLE_ALIASES, word)) return ROLE_ALIASES[word]!;
  throw new RangeError(oneOf('role', Object.keys(ROLES), Object.keys(ROLE_ALIASES), word, text));
}

/** The size of an undertaking, in any case. */
export function readSize(text: string): Size {
  const word = text.toLowerCase().replaceAll(/[\s-]+/g, '_');
  if ((SIZES as readonly string[]).includes(word)) return word as Size;
  throw new RangeError(oneOf('size', SIZES, [], word, text));
}

function oneOf(name: string, known: readonly string[], others: readonly string[], word: string, text: string): string {
  const nearest = nearestName(word, [...known, ...others]);
  const hint = nearest === null ? '' : ` Did you mean ${nearest}?`;
  return `${name}: wanted ${known.slice(0, -1).join(', ')} or ${known.at(-1)}, got ${JSON.stringify(text.slice(0, 40))}.${hint}`;
}

/** A day of the calendar. */
export function readDay(name: string, text: string): string {
  if (isDate(text)) return text;
  throw new RangeError(
    `${name}: wanted a day of the calendar as YYYY-MM-DD, got ${JSON.stringify(text.slice(0, 40))}.`,
  );
}

/** The day of a request for a table; `today` unless one is given. @throws Problem */
export function readLawDay(text: string | undefined, today: string): string {
  if (text === undefined || text.trim() === '') return today;
  try {
    return readDay('date', text.trim());
  } catch (error) {
    const detail = (error as Error).message;
    throw new Problem('invalid_parameter', detail, { errors: [{ pointer: '/query/date', code: 'invalid', detail }] });
  }
}
