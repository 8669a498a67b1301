import { readFileSync } from 'node:fs';

/** A coordinate reference system whose definition was verified against PROJ. */
export interface Crs {
  /** EPSG code; 4326 for `OGC:CRS84`, which differs from it in nothing but the axis order, and GeoJSON is always x, y. */
  readonly code: number;
  /** As requested: `EPSG:32630` or `OGC:CRS84`. */
  readonly name: string;
  /** For the `crs` member of a feature collection: `urn:ogc:def:crs:EPSG::32630`. */
  readonly urn: string;
  /** As proj4 reads it. */
  readonly definition: string;
}

/** Why a CRS is refused, in a sentence that may be shown to a client. */
interface CrsRefusal {
  readonly refused: string;
}

/** The ways in which a client may write an EPSG code. */
const EPSG_FORMS = [
  /^epsg:(\d{1,6})$/i,
  /^urn:(?:x-)?ogc:def:crs:epsg:[\d.]*:(\d{1,6})$/i,
  /^https?:\/\/www\.opengis\.net\/def\/crs\/epsg\/[\d.]+\/(\d{1,6})$/i,
  /^https?:\/\/www\.opengis\.net\/gml\/srs\/epsg\.xml#(\d{1,6})$/i,
];
/** The ways to write WGS 84 with longitude first. */
const CRS84_FORMS = [
  /^ogc:crs84$/i,
  /^urn:(?:x-)?ogc:def:crs:ogc:[\d.]*:crs84$/i,
  /^https?:\/\/www\.opengis\.net\/def\/crs\/ogc\/[\d.]+\/crs84$/i,
];

let table: ReadonlyMap<number, string> | null = null;

/**
 * The CRS that a text names: `EPSG:<code>`, `urn:ogc:def:crs:EPSG::<code>`, `OGC:CRS84`, their `http://www.opengis.net/def/crs/`
 * addresses, in any case. A text of another form, or a code without a verified definition, is refused: it is never approximated.
 */
export function findCrs(text: string): Crs | CrsRefusal {
  const trimmed = text.trim();
  if (CRS84_FORMS.some((form) => form.test(trimmed))) {
    return {
      code: 4326,
      name: 'OGC:CRS84',
      urn: 'urn:ogc:def:crs:OGC:1.3:CRS84',
      definition: definitions().get(4326) ?? '',
    };
  }
  const digits = EPSG_FORMS.map((form) => form.exec(trimmed)?.[1]).find((found) => found !== undefined);
  if (digits === undefined) {
    return {
      refused: `wanted a CRS such as EPSG:32630, urn:ogc:def:crs:EPSG::32630 or OGC:CRS84, got ${quote(trimmed)}`,
    };
  }
  const code = Number(digits);
  const definition = definitions().get(code);
  if (definition === undefined) {
    return {
      refused: `wanted one of the ${definitions().size} EPSG codes with a verified definition, got EPSG:${code}`,
    };
  }
  return { code, name: `EPSG:${code}`, urn: `urn:ogc:def:crs:EPSG::${code}`, definition };
}

/** Every EPSG code with a verified definition, ascending. */
export function verifiedCodes(): number[] {
  return [...definitions().keys()].toSorted((a, b) => a - b);
}

/** Read at first use: most commands and threads never need a coordinate system other than EPSG:4326. */
function definitions(): ReadonlyMap<number, string> {
  table ??= readTable(readFileSync(new URL('./definitions.txt', import.meta.url), 'utf8'));
  return table;
}

/** A line `@ +shared +parts` opens a group; `code own parts` belongs to it; `#` opens a comment. */
function readTable(text: string): Map<number, string> {
  const found = new Map<number, string>();
  let shared = '';
  for (const line of text.trim().split('\n')) {
    if (line.startsWith('#')) continue;
    if (line.startsWith('@')) {
      shared = line.slice(2);
      continue;
    }
    const space = line.indexOf(' ');
    const own = line.slice(space + 1).replaceAll(' ', ' +');
    found.set(Number(line.slice(0, space)), `+${own} ${shared}`.trim());
  }
  return found;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

/** Both directions between longitude, latitude in degrees on WGS84 and x, y in the units of a coordinate reference system. */
export interface Projection {
  /** Writes x (easting) and y (northing) of a place to `out[at]` and `out[at + 1]`. */
  toXY(lon: number, lat: number, out: Float64Array, at: number): void;
  /** Writes longitude and latitude of a place to `out[at]` and `out[at + 1]`. */
  toLonLat(x: number, y: number, out: Float64Array, at: number): void;
}
