import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { archive, workbook } from './make-archive.ts';

/** A point as WKB, little endian. */
export function wkbPoint(lon: number, lat: number): Uint8Array {
  const bytes = Buffer.alloc(21);
  bytes.writeUInt8(1, 0);
  bytes.writeUInt32LE(1, 1);
  bytes.writeDoubleLE(lon, 5);
  bytes.writeDoubleLE(lat, 13);
  return Uint8Array.from(bytes);
}

export interface SamplePlace {
  readonly name: string;
  readonly lon: number;
  readonly lat: number;
}

/** A small shapefile of points. */
export function shapefile(places: readonly SamplePlace[], extra: Readonly<Record<string, string>> = {}): Uint8Array {
  const shp = Buffer.alloc(100 + places.length * 28);
  shp.writeInt32BE(9994, 0);
  shp.writeInt32BE(shp.length / 2, 24);
  shp.writeInt32LE(1000, 28);
  shp.writeInt32LE(1, 32);
  const dbf = Buffer.alloc(65 + places.length * 21, 0x20);
  dbf.fill(0, 0, 64);
  dbf.writeUInt8(3, 0);
  dbf.writeUInt32LE(places.length, 4);
  dbf.writeUInt16LE(65, 8);
  dbf.writeUInt16LE(21, 10);
  dbf.write('NAME', 32);
  dbf.write('C', 43);
  dbf.writeUInt8(20, 48);
  dbf.writeUInt8(0x0d, 64);
  for (const [i, { name, lon, lat }] of places.entries()) {
    const at = 100 + i * 28;
    shp.writeInt32BE(i + 1, at);
    shp.writeInt32BE(10, at + 4);
    shp.writeInt32LE(1, at + 8);
    shp.writeDoubleLE(lon, at + 12);
    shp.writeDoubleLE(lat, at + 20);
    dbf.write(name, 65 + i * 21 + 1, 20);
  }
  return archive({ 'plots.shp': Uint8Array.from(shp), 'plots.dbf': Uint8Array.from(dbf), ...extra });
}

export function geopackage(places: readonly SamplePlace[]): Uint8Array {
  const path = join(tmpdir(), `firstmile-${process.pid}-${Math.random().toString(36).slice(2)}.gpkg`);
  const database = new DatabaseSync(path);
  try {
    database.exec(`CREATE TABLE gpkg_contents (table_name TEXT, data_type TEXT, srs_id INTEGER);
      CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, srs_id INTEGER);
      CREATE TABLE gpkg_spatial_ref_sys (srs_id INTEGER, organization TEXT, organization_coordsys_id INTEGER, definition TEXT);
      INSERT INTO gpkg_spatial_ref_sys VALUES (4326, 'EPSG', 4326, 'undefined');
      INSERT INTO gpkg_contents VALUES ('plots', 'features', 4326);
      INSERT INTO gpkg_geometry_columns VALUES ('plots', 'geom', 4326);
      CREATE TABLE plots (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT)`);
    const insert = database.prepare('INSERT INTO plots (geom, name) VALUES (?, ?)');
    const header = Buffer.from('4750000100000000', 'hex');
    for (const { name, lon, lat } of places)
      insert.run(Uint8Array.from(Buffer.concat([header, wkbPoint(lon, lat)])), name);
  } finally {
    database.close();
  }
  try {
    return Uint8Array.from(readFileSync(path));
  } finally {
    rmSync(path, { force: true });
  }
}

export function geoparquet(places: readonly SamplePlace[]): Uint8Array {
  const geo = {
    version: '1.1.0',
    primary_column: 'geometry',
    columns: { geometry: { encoding: 'WKB', geometry_types: ['Point'] } },
  };
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'name', data: places.map(({ name }) => name), type: 'STRING' },
        { name: 'geometry', data: places.map(({ lon, lat }) => wkbPoint(lon, lat)), type: 'BYTE_ARRAY' },
      ],
      kvMetadata: [{ key: 'geo', value: JSON.stringify(geo) }],
    }),
  );
}

/** The same places in every format. */
export function everyFormat(places: readonly SamplePlace[]): Readonly<Record<string, Uint8Array>> {
  const kml = `<?xml version="1.0"?><kml><Document>${places
    .map(
      ({ name, lon, lat }) =>
        `<Placemark><name>${name}</name><Point><coordinates>${lon},${lat}</coordinates></Point></Placemark>`,
    )
    .join('')}</Document></kml>`;
  const gpx = `<?xml version="1.0"?><gpx version="1.1">${places
    .map(({ name, lon, lat }) => `<wpt lat="${lat}" lon="${lon}"><name>${name}</name></wpt>`)
    .join('')}</gpx>`;
  const csv = ['name,lat,lon', ...places.map(({ name, lon, lat }) => `${name},${lat},${lon}`), ''].join('\n');
  const cell = (text: string | number): string =>
    typeof text === 'number' ? `<c><v>${text}</v></c>` : `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = [['name', 'lat', 'lon'], ...places.map(({ name, lon, lat }) => [name, lat, lon])];
  const features = places.map(({ name, lon, lat }) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [lon, lat] },
    properties: { name },
  }));
  return {
    csv: Buffer.from(csv),
    xlsx: workbook(rows.map((row) => `<row>${row.map(cell).join('')}</row>`).join('')),
    kml: Buffer.from(kml),
    kmz: archive({ 'doc.kml': kml }),
    gpx: Buffer.from(gpx),
    shapefile: shapefile(places),
    geopackage: geopackage(places),
    geoparquet: geoparquet(places),
    geojson: Buffer.from(JSON.stringify({ type: 'FeatureCollection', features })),
  };
}
