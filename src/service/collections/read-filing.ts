import {
  ACTIVITIES,
  FILING_KINDS,
  noChoices,
  PLACES,
  type Activity,
  type FilingChoices,
  type FilingKind,
  type GivenCode,
  type Places,
} from '../../collections/due-diligence/filing-choices.ts';
import { Problem, type ErrorDetail } from '../../errors.ts';
import { findCode, nearbyCodes } from '../../law/annex.ts';
import { COMMODITY_NAMES } from '../../law/annex-rows.ts';
import { ROLES, type Role } from '../../law/roles.ts';
import { readCn, readDay, readRole, readSize } from '../law/read-scope.ts';

/** What a client says of a filing, as it writes it; absent or empty: not said. */
export interface FilingWords {
  readonly kind?: string | undefined;
  /** Codes with commas between them. */
  readonly cn?: string | undefined;
  readonly role?: string | undefined;
  readonly size?: string | undefined;
  readonly established?: string | undefined;
  readonly activity?: string | undefined;
  readonly places?: string | undefined;
  readonly date?: string | undefined;
}

/** Reads what a client says of a filing; the day is `today` unless one is given. @throws Problem that lists everything wrong. */
export function readFiling(words: FilingWords, today: string): FilingChoices {
  const errors: ErrorDetail[] = [];
  const read = <T>(name: keyof FilingWords, parse: (text: string) => T): T | null => {
    const text = words[name]?.trim() ?? '';
    if (text === '') return null;
    try {
      return parse(text);
    } catch (error) {
      errors.push({ pointer: `/query/${name}`, code: 'invalid', detail: (error as Error).message });
      return null;
    }
  };
  const given = read('date', (text) => readDay('date', text));
  const day = given ?? today;
  const kind = read('kind', readKind) ?? 'statement';
  const choices: FilingChoices = {
    ...noChoices(day),
    kind,
    codes: read('cn', (text) => readCodes(text, day)) ?? [],
    role: read('role', (text) => readFilingRole(text, kind)),
    size: read('size', readSize),
    established: read('established', (text) => readDay('established', text)),
    activity: read('activity', readActivity),
    places: read('places', (text) => readPlaces(text, kind)) ?? 'geometry',
    isDayGiven: given !== null,
  };
  if (errors.length > 0)
    throw new Problem('invalid_parameter', errors.map(({ detail }) => detail).join(' '), { errors });
  return choices;
}

const KINDS: Readonly<Record<string, FilingKind>> = {
  ...Object.fromEntries(FILING_KINDS.map((kind) => [kind, kind])),
  dds: 'statement',
  sd: 'simplified_declaration',
};

function readKind(text: string): FilingKind {
  const kind = KINDS[text.toLowerCase().replaceAll(/[\s-]+/g, '_')];
  if (kind !== undefined) return kind;
  throw new RangeError(`kind: wanted ${FILING_KINDS.join(' or ')}, got ${JSON.stringify(text.slice(0, 40))}.`);
}

function readActivity(text: string): Activity {
  const word = text.toUpperCase() as Activity;
  if (ACTIVITIES.includes(word)) return word;
  throw new RangeError(`activity: wanted IMPORT, EXPORT or DOMESTIC, got ${JSON.stringify(text.slice(0, 40))}.`);
}

/** A statement takes geometry alone. */
function readPlaces(text: string, kind: FilingKind): Places {
  const word = text.toLowerCase() as Places;
  if (!PLACES.includes(word))
    throw new RangeError(`places: wanted ${PLACES.join(', ')}, got ${JSON.stringify(text.slice(0, 40))}.`);
  if (kind === 'statement' && word !== 'geometry')
    throw new RangeError(
      `places: a due diligence statement takes geometry alone; ${word} needs kind=simplified_declaration.`,
    );
  return word;
}

/** Only who files something can be a role of an export, and each kind has its own. */
function readFilingRole(text: string, kind: FilingKind): Role {
  const role = readRole(text);
  const { files, name, duty } = ROLES[role];
  if (files === 'nothing') throw new RangeError(`role: ${name} files nothing. ${duty}`);
  if (role === 'primary_operator' && kind === 'statement')
    throw new RangeError(
      'role: a micro or small primary operator files a simplified declaration; give kind=simplified_declaration, or role=operator for a statement.',
    );
  if (role === 'operator' && kind === 'simplified_declaration')
    throw new RangeError(
      'role: only a micro or small primary operator, or its representative, files a simplified declaration; give role=primary_operator.',
    );
  return role;
}

/** Codes that Annex I lists on the day, one a commodity: a statement has one heading for each. */
function readCodes(text: string, day: string): readonly GivenCode[] {
  const codes = new Map<string, GivenCode>();
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const digits = readCn(part.trim());
    const { inScope, row, narrower } = findCode(digits, day);
    if (narrower.length > 0)
      throw new RangeError(`cn: ${digits} is too short on ${day}; listed are ${listOf(narrower)}.`);
    if (row === null || inScope === 'no') {
      const near = nearbyCodes(digits, day);
      const hint = near.length === 0 ? '' : ` Near it are ${listOf(near)}.`;
      throw new RangeError(`cn: ${digits} is not listed in Annex I on ${day}.${hint}`);
    }
    const other = codes.get(row.commodity);
    if (other !== undefined && other.digits !== digits)
      throw new RangeError(
        `cn: wanted one code a commodity, got ${other.digits} and ${digits} for ${COMMODITY_NAMES[row.commodity].toLowerCase()}; make an export for each product.`,
      );
    codes.set(row.commodity, { commodity: row.commodity, digits });
  }
  return [...codes.values()].toSorted((a, b) => (a.commodity < b.commodity ? -1 : 1));
}

function listOf(rows: readonly { readonly code: string }[]): string {
  const shown = rows.slice(0, 8).map(({ code }) => code);
  return `${shown.join(', ')}${rows.length > shown.length ? ' and more' : ''}`;
}
