import { type EudrOrigins, type LocationProperties, type NormalizedLocation, PLAIN_PROPERTIES } from '../normalized.ts';
import { createRepeatedBytes } from './repeated-bytes.ts';

/** JSON of locations in UTF-8, one after the other. */
export interface LocationBytes {
  /** The same bytes as `JSON.stringify` gives, without its objects and texts. */
  add(location: NormalizedLocation): void;
  /** Text between locations; ASCII. */
  addText(text: string): void;
  /** All that was added, in memory of its own; nothing is kept. */
  take(): Uint8Array<ArrayBuffer>;
}

export function createLocationBytes(): LocationBytes {
  const { member, text, endRecord, addText, take } = createRepeatedBytes();
  const names = createNameHeads();

  function geometry(head: Heads<'value' | 'point'>, any: unknown): void {
    const { type, coordinates } = (any ?? {}) as { readonly type?: unknown; readonly coordinates?: unknown };
    if (type !== 'Point' || !isPair(coordinates) || !hasTwoMembers(any as object)) return member(head.value, any);
    member(head.point, coordinates[0]);
    member(',', coordinates[1]);
    text(']}');
  }

  function origin(head: Heads<'value' | 'from'>, one: EudrOrigins[keyof EudrOrigins]): void {
    if (one === null) return member(head.value, null);
    member(head.from, one.from);
    if ('column' in one) member(',"column":', one.column);
    text('}');
  }

  function warnings(list: LocationProperties['warnings']): void {
    for (let i = 0; i < list.length; i++) {
      const { code, params, message, fix, row, column, value } = list[i];
      member(i === 0 ? '{"code":' : ',{"code":', code);
      text(',"params":{');
      members(params);
      member('},"message":', message);
      member(',"fix":', fix);
      member(',"row":', row);
      if (column !== undefined) member(',"column":', column);
      if (value !== undefined) member(',"value":', value);
      text('}');
    }
  }

  function members(record: Readonly<Record<string, unknown>>): void {
    let isFirst = true;
    for (const name in record) {
      const value = record[name];
      if (value === undefined) continue;
      const { first, next } = names(name);
      member(isFirst ? first : next, value);
      isFirst = false;
    }
  }

  function properties(all: LocationProperties): void {
    for (let i = 0; i < PLAIN.length; i++) {
      const [name, head] = PLAIN[i];
      member(head, all[name] ?? null);
    }
    if (all.source_sheet !== undefined) member(',"source_sheet":', all.source_sheet);
    const { eudr, eudr_origin: origins } = all;
    member(',"eudr":{"ProducerName":', eudr.ProducerName);
    member(',"ProducerCountry":', eudr.ProducerCountry);
    member(',"ProductionPlace":', eudr.ProductionPlace);
    member(',"Area":', eudr.Area);
    origin(ORIGINS.name, origins.ProducerName);
    origin(ORIGINS.country, origins.ProducerCountry);
    origin(ORIGINS.place, origins.ProductionPlace);
    origin(ORIGINS.area, origins.Area);
    text('},"warnings":[');
    warnings(all.warnings);
    text('],"source":{');
    members(all.source);
  }

  return {
    add(location) {
      if (location.id !== undefined) member('{"type":"Feature","id":', location.id);
      geometry(location.id === undefined ? GEOMETRY.first : GEOMETRY.next, location.geometry);
      properties(location.properties);
      text('}}}');
      endRecord();
    },
    addText,
    take,
  };
}

/** What stands before a value, by what kind of value it is. */
type Heads<K extends string> = Readonly<Record<K, string>>;

const GEOMETRY = { first: geometryHeads('{"type":"Feature",'), next: geometryHeads(',') };

function geometryHeads(before: string): Heads<'value' | 'point'> {
  const value = `${before}"geometry":`;
  return { value, point: `${value}{"type":"Point","coordinates":[` };
}

const ORIGINS = {
  name: originHeads('},"eudr_origin":{"ProducerName":'),
  country: originHeads(',"ProducerCountry":'),
  place: originHeads(',"ProductionPlace":'),
  area: originHeads(',"Area":'),
};

function originHeads(value: string): Heads<'value' | 'from'> {
  return { value, from: `${value}{"from":` };
}

/** Each with what stands before its value. */
const PLAIN = PLAIN_PROPERTIES.map((name, i) => [name, `${i === 0 ? ',"properties":{' : ','}"${name}":`] as const);

/** Names of columns that are kept as JSON, and their length: a file has the same few in every row. */
const MOST_NAMES = 4_096;
const LONGEST_NAME = 200;

/** Gives the names of members as JSON with their colon, the first of a record and others. */
function createNameHeads(): (name: string) => Heads<'first' | 'next'> {
  const known = new Map<string, Heads<'first' | 'next'>>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const first = `${JSON.stringify(name)}:`;
    const heads = { first, next: `,${first}` };
    if (name.length > LONGEST_NAME) return heads;
    if (known.size >= MOST_NAMES) known.clear();
    known.set(name, heads);
    return heads;
  };
}

function hasTwoMembers(record: object): boolean {
  let count = 0;
  for (const _ in record) count++;
  return count === 2;
}

function isPair(any: unknown): any is readonly [number, number] {
  return Array.isArray(any) && any.length === 2 && Number.isFinite(any[0]) && Number.isFinite(any[1]);
}
