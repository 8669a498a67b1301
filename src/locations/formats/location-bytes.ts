import { type EudrOrigins, type LocationProperties, type NormalizedLocation, PLAIN_PROPERTIES } from '../normalized.ts';

/** Bytes that a location is given room for at first. */
const FIRST_BYTES = 65_536;
/** UTF-8 has no more bytes for a unit of UTF-16. */
const BYTES_OF_UNIT = 3;

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
  let out = new Uint8Array(FIRST_BYTES);
  let at = 0;

  function room(units: number): void {
    const wanted = at + units * BYTES_OF_UNIT;
    if (wanted <= out.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * out.length));
    larger.set(out.subarray(0, at));
    out = larger;
  }

  function plain(text: string): void {
    const { length } = text;
    room(length);
    for (let i = 0; i < length; i++) out[at++] = text.charCodeAt(i);
  }

  /** A text in quotation marks; what has to be escaped is left to JSON. */
  function quoted(text: string): void {
    const { length } = text;
    room(length + 2);
    const begin = at;
    out[at++] = 0x22;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) {
        if (unit < 0x20 || unit === 0x22 || unit === 0x5c) return escaped(text, begin);
        out[at++] = unit;
      } else if (unit < 0x800) {
        out[at++] = 0xc0 | (unit >> 6);
        out[at++] = 0x80 | (unit & 0x3f);
      } else {
        if (unit >= 0xd800 && unit < 0xe000) return escaped(text, begin);
        out[at++] = 0xe0 | (unit >> 12);
        out[at++] = 0x80 | ((unit >> 6) & 0x3f);
        out[at++] = 0x80 | (unit & 0x3f);
      }
    }
    out[at++] = 0x22;
  }

  function escaped(text: string, begin: number): void {
    at = begin;
    encoded(JSON.stringify(text));
  }

  function encoded(json: string): void {
    room(json.length);
    at += encoder.encodeInto(json, out.subarray(at)).written;
  }

  function value(any: unknown): void {
    if (typeof any === 'string') quoted(any);
    else if (any === null) plain('null');
    else if (typeof any === 'number') plain(Number.isFinite(any) ? String(any) : 'null');
    else encoded(JSON.stringify(any) ?? 'null');
  }

  function geometry(any: unknown): void {
    const { type, coordinates } = (any ?? {}) as { readonly type?: unknown; readonly coordinates?: unknown };
    if (type !== 'Point' || !isPair(coordinates) || Object.keys(any as object).length !== 2) return value(any);
    plain('{"type":"Point","coordinates":[');
    plain(String(coordinates[0]));
    plain(',');
    plain(String(coordinates[1]));
    plain(']}');
  }

  function origins({ ProducerName, ProducerCountry, ProductionPlace, Area }: EudrOrigins): void {
    plain('},"eudr_origin":{"ProducerName":');
    origin(ProducerName);
    plain(',"ProducerCountry":');
    origin(ProducerCountry);
    plain(',"ProductionPlace":');
    origin(ProductionPlace);
    plain(',"Area":');
    origin(Area);
  }

  function origin(one: EudrOrigins[keyof EudrOrigins]): void {
    if (one === null) return plain('null');
    plain('{"from":');
    quoted(one.from);
    if ('column' in one) {
      plain(',"column":');
      quoted(one.column);
    }
    plain('}');
  }

  function warnings(list: LocationProperties['warnings']): void {
    for (let i = 0; i < list.length; i++) {
      const { code, params, message, fix, row, column, value: shown } = list[i];
      plain(i === 0 ? '{"code":' : ',{"code":');
      quoted(code);
      plain(',"params":{');
      members(params);
      plain('},"message":');
      quoted(message);
      plain(',"fix":');
      quoted(fix);
      plain(',"row":');
      value(row);
      if (column !== undefined) {
        plain(',"column":');
        quoted(column);
      }
      if (shown !== undefined) {
        plain(',"value":');
        quoted(shown);
      }
      plain('}');
    }
  }

  function members(record: Readonly<Record<string, unknown>>): void {
    let isFirst = true;
    for (const name of Object.keys(record)) {
      const member = record[name];
      if (member === undefined) continue;
      if (!isFirst) plain(',');
      isFirst = false;
      quoted(name);
      plain(':');
      value(member);
    }
  }

  function properties(all: LocationProperties): void {
    for (const [name, head] of PLAIN) {
      plain(head);
      value(all[name]);
    }
    if (all.source_sheet !== undefined) {
      plain(',"source_sheet":');
      quoted(all.source_sheet);
    }
    const { ProducerName, ProducerCountry, ProductionPlace, Area } = all.eudr;
    plain(',"eudr":{"ProducerName":');
    value(ProducerName);
    plain(',"ProducerCountry":');
    value(ProducerCountry);
    plain(',"ProductionPlace":');
    value(ProductionPlace);
    plain(',"Area":');
    value(Area);
    origins(all.eudr_origin);
    plain('},"warnings":[');
    warnings(all.warnings);
    plain('],"source":{');
    members(all.source);
    plain('}');
  }

  return {
    add(location) {
      plain('{"type":"Feature",');
      if (location.id !== undefined) {
        plain('"id":');
        value(location.id);
        plain(',');
      }
      plain('"geometry":');
      geometry(location.geometry);
      plain(',"properties":{');
      properties(location.properties);
      plain('}}');
    },
    addText: plain,
    take() {
      const all = out.slice(0, at);
      at = 0;
      return all;
    },
  };
}

const encoder = new TextEncoder();

/** Each with what stands before its value. */
const PLAIN = PLAIN_PROPERTIES.map((name, i) => [name, `${i === 0 ? '' : ','}"${name}":`] as const);

function isPair(any: unknown): any is readonly [number, number] {
  return Array.isArray(any) && any.length === 2 && Number.isFinite(any[0]) && Number.isFinite(any[1]);
}
