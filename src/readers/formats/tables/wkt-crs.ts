import proj4 from 'proj4';
import { type Crs, findCrs } from '../../../geo/crs/find-crs.ts';
import { lonLatBy, lonLatFrom, type ToLonLat } from '../../../geo/crs/open-projection.ts';
import type { SourceNote } from '../../../locations/source-table.ts';

/** How coordinates of a file come to WGS84, or why they cannot. */
export type FileCrs =
  | { readonly name: string; readonly toLonLat: ToLonLat; readonly note: SourceNote | null }
  | { readonly name: string; readonly toLonLat: null; readonly note: SourceNote };

export const WGS84_FILE: FileCrs = { name: 'EPSG:4326', toLonLat: (geometry) => geometry, note: null };

/** A CRS by its EPSG code. */
export function crsOfCode(code: number): FileCrs {
  return crsOfName(`EPSG:${code}`);
}

/** A CRS by any of the names `findCrs` knows. */
export function crsOfName(name: string): FileCrs {
  const found = findCrs(name);
  return 'refused' in found ? refused(name, found.refused) : verified(found);
}

/**
 * The CRS that WKT describes, as a .prj file or a GeoPackage holds it: by the EPSG code it ends with, by the name Esri
 * gives WGS84 and its UTM zones, otherwise by its own parameters, which say nothing of the shift from WGS84.
 */
export function crsOfWkt(wkt: string): FileCrs {
  const text = wkt.trim();
  const name = /^\w+\s*\[\s*"([^"]{1,100})"/.exec(text)?.[1] ?? text.slice(0, 60);
  const code = epsgOf(text, name);
  if (code !== null) {
    const known = findCrs(`EPSG:${code}`);
    if (!('refused' in known)) return verified(known);
  }
  try {
    const converter = proj4(text, 'EPSG:4326');
    const probe = converter.forward([0, 0]);
    if (!Array.isArray(probe)) throw new Error('it gives no coordinates');
    return {
      name,
      toLonLat: lonLatBy({
        toLonLat(x, y, out, at) {
          const [lon, lat] = converter.forward([x, y]);
          out[at] = lon;
          out[at + 1] = lat;
        },
      }),
      note: isWgs84Datum(text) ? null : { code: 'crs_unverified', blanks: { name } },
    };
  } catch (error) {
    return refused(name, `its definition cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
}

function verified(crs: Crs): FileCrs {
  return { name: crs.name, toLonLat: lonLatFrom(crs), note: null };
}

function refused(name: string, reason: string): FileCrs {
  return { name, toLonLat: null, note: { code: 'crs_refused', value: name, blanks: { reason } } };
}

function epsgOf(wkt: string, name: string): number | null {
  const folded = name.replaceAll(/[^A-Za-z0-9]+/g, '_').toUpperCase();
  const utm = /^WGS_?(?:19)?84_UTM_ZONE_(\d{1,2})_?([NS])$/.exec(folded);
  if (utm !== null) return (utm[2] === 'N' ? 32600 : 32700) + Number(utm[1]);
  if (/^GEOG/i.test(wkt) && isWgs84Datum(wkt)) return 4326;
  if (/WEB_MERCATOR|PSEUDO_MERCATOR/.test(folded)) return 3857;
  const last =
    /(?:AUTHORITY\s*\[\s*"EPSG"\s*,\s*"?(\d{4,6})"?\s*\]|\bID\s*\[\s*"EPSG"\s*,\s*(\d{4,6})\s*\])\s*\]\s*$/i.exec(wkt);
  return last === null ? null : Number(last[1] ?? last[2]);
}

function isWgs84Datum(wkt: string): boolean {
  return /(?:DATUM|ENSEMBLE)\s*\[\s*"(?:D_)?(?:WGS[_ ]?(?:19)?84|World Geodetic System 1984)[^"]*"/i.test(wkt);
}
