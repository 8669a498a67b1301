import { word, type Param, type Params, type Said } from './said.ts';

/** A place in a geometry, as it is reached while the geometry is read. */
export interface GeometryPlace {
  /** As a program finds it: `geometries[1].coordinates[0][3]`. */
  readonly pointer: string;
  /** GeoJSON type of the geometry that it is in. */
  readonly type: string;
}

/** The place of an entry of the list at a place. */
export function entryOf({ pointer, type }: GeometryPlace, index: number): GeometryPlace {
  return { pointer: `${pointer}[${index}]`, type };
}

type Unit = 'corner' | 'point' | 'line' | 'hole' | 'part' | 'member';
type Whole =
  | 'outline'
  | 'only_line'
  | 'only_point'
  | 'all_points'
  | 'all_lines'
  | 'polygon'
  | 'all_parts'
  | 'all_members';

/** What there is one of, in words. */
const WHOLES: Readonly<Record<Whole, string>> = {
  outline: 'the outline',
  only_line: 'the line',
  only_point: 'the point',
  all_points: 'the points',
  all_lines: 'the lines',
  polygon: 'the polygon',
  all_parts: 'the parts',
  all_members: 'the members of the collection',
};

const UNIT = `(?:(?:[Cc]orner|[Pp]oint|[Ll]ine|[Hh]ole|[Pp]art|[Mm]ember) \\d+|[Tt]he (?:${Object.values(WHOLES)
  .map((words) => words.slice('the '.length))
  .join('|')}))`;

/** The pattern of the words that name a place, at the beginning of a sentence or within it. */
export const PLACE_WORDS = `${UNIT}(?: of ${UNIT})*`;

/** What the entries of `coordinates` are, from the outermost in, by type; and all of them together. */
const LEVELS: Readonly<Record<string, { readonly all: Whole; readonly units: readonly (Unit | 'ring')[] }>> = {
  Point: { all: 'only_point', units: [] },
  MultiPoint: { all: 'all_points', units: ['point'] },
  LineString: { all: 'only_line', units: ['corner'] },
  MultiLineString: { all: 'all_lines', units: ['line', 'corner'] },
  Polygon: { all: 'polygon', units: ['ring', 'corner'] },
  MultiPolygon: { all: 'all_parts', units: ['part', 'ring', 'corner'] },
};

/**
 * A place in words, as those count who draw: "corner 4 of the outline of part 2" is `coordinates[1][0][3]` of a MultiPolygon. Corners,
 * parts, members and holes are numbered from 1.
 */
export function placeInWords({ pointer, type }: GeometryPlace): Said {
  const [members = '', indices = ''] = pointer.split('coordinates');
  const { all, units } = LEVELS[type]!;
  const numbers = numbersIn(indices);
  const inside = numbers.map((number, i) => unitOf(units[i]!, number));
  const around = numbers.length === 0 || type === 'LineString' ? [whole(all)] : [];
  return nested([...numbersIn(members).map((number) => unitOf('member', number)), ...around, ...inside]);
}

/** A member of a collection in words, by its path `geometries[1].geometries[0].`; empty: the geometry itself. */
export function memberInWords(path: string): Said {
  const numbers = numbersIn(path);
  if (numbers.length === 0) return { code: 'geometry.whole', message: 'the geometry' };
  return nested(numbers.map((number) => unitOf('member', number)));
}

/** The list of members of a collection, which is itself the geometry or the member at a path. */
export function membersInWords(path: string): Said {
  return nested([...numbersIn(path).map((number) => unitOf('member', number)), whole('all_members')]);
}

/** The place that words name in a sentence: the other way round. Null: they name none. */
export function placeOfWords(words: string): Said | null {
  const units = words.split(/ of (?!the collection)/).map((text): Said | null => {
    const [, unit, number] = /^([Cc]orner|[Pp]oint|[Ll]ine|[Hh]ole|[Pp]art|[Mm]ember) (\d+)$/.exec(text) ?? [];
    if (unit !== undefined) return unitOf(unit.toLowerCase() as Unit, Number(number) - 1);
    const found = Object.entries(WHOLES).find(([, name]) => name === text.charAt(0).toLowerCase() + text.slice(1));
    return found === undefined ? null : whole(found[0] as Whole);
  });
  return units.every((unit) => unit !== null) ? nested(units.toReversed()) : null;
}

/** Places within each other, the outermost first, as one: the innermost is said first. */
function nested(places: readonly Said[]): Said {
  const [outermost, ...others] = places;
  return others.reduce<Said>(
    (outer, inner) => ({
      code: 'geometry.in',
      params: { inner, outer },
      message: `${inner.message} of ${outer.message}`,
    }),
    outermost!,
  );
}

/** What is added to a place: where on the map that is, or what stands there. */
function withMore(place: Said, code: string, params: Readonly<Record<string, Param>>): Said {
  const outer: Said = { code: `geometry.${code}`, params, message: '' };
  return { code: 'geometry.in', params: { inner: place, outer }, message: place.message };
}

/** What is added to a place, each by its code `geometry.…`. */
export type Details = readonly (readonly [code: string, params: Params])[];

export function withDetails(place: Said, details: Details): Said {
  return details.reduce((known, [code, params]) => withMore(known, code, params), place);
}

/** What stood in a geometry in place of what was wanted, by its English words. */
export function foundInWords(text: string): Said {
  const [, count] = /^an array of (\d+)$|^(\d+) entr/.exec(text)?.filter((part) => part !== undefined) ?? [];
  if (count !== undefined) return { code: 'got.list_of', params: { count: Number(count) }, message: text };
  return word(FOUND[text] ?? '', text.replace(/^the (?:text|number|boolean) /, ''));
}

const FOUND: Readonly<Record<string, string>> = {
  absent: 'got.nothing',
  nothing: 'got.nothing',
  null: 'wanted.null',
  'an array': 'wanted.list',
  'an object': 'wanted.object',
};

/** How it ends where a list stands in a list for nothing. */
export const NESTED = ', itself an array (one level of brackets too many)';

function unitOf(unit: Unit | 'ring', index: number): Said {
  if (unit === 'ring') return index === 0 ? whole('outline') : numbered('hole', index);
  return numbered(unit, index + 1);
}

function numbered(unit: Unit, number: number): Said {
  return { code: `geometry.${unit}`, params: { number: String(number) }, message: `${unit} ${number}` };
}

function whole(name: Whole): Said {
  return { code: `geometry.${name}`, message: WHOLES[name] };
}

function numbersIn(text: string): readonly number[] {
  return [...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
}
