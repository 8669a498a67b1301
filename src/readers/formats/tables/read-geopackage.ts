import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import type { Geometry } from '../../../geo/geometry.ts';
import { parseWkb, WkbError } from '../../../geo/shapes/wkb.ts';
import type { FeatureTable, SourceFeature, SourceFile, SourceNote } from '../../../locations/source-table.ts';
import { FILE_LIMITS, malformed, tooLarge } from './file-limits.ts';
import { crsOfCode, crsOfWkt, WGS84_FILE, type FileCrs } from './wkt-crs.ts';

const SQLITE_TOOBIG = 18;

interface LayerRow {
  readonly table_name: string;
  readonly column_name: string | null;
  readonly srs_id: number | bigint | null;
}

/** A GeoPackage: one table for each layer of features or attributes. Views and virtual tables are not run. */
export function openGeopackage(path: string): SourceFile {
  const database = open(path);
  try {
    const { readable, refused } = split(database, layersOf(database));
    if (readable.length === 0) throw malformed('no_layers', 'wanted a GeoPackage with a layer, got none');
    return {
      format: 'geopackage',
      tables: readable.map((layer): FeatureTable => ({
        kind: 'features',
        name: layer.table_name,
        features: () => readLayer(database, layer),
      })),
      remarks: refused.map(
        ({ table_name: name }) => `The layer "${name}" is a view and was not read; export it as a table.`,
      ),
      close: async () => database.close(),
    };
  } catch (error) {
    database.close();
    throw asProblem(error);
  }
}

function split(database: DatabaseSync, layers: readonly LayerRow[]): { readable: LayerRow[]; refused: LayerRow[] } {
  const readable = layers.filter(({ table_name: name }) => isPlainTable(database, name));
  return { readable, refused: layers.filter((layer) => !readable.includes(layer)) };
}

/** Opened as a file that nobody changes, so that neither a journal nor a lock next to it is touched. */
function open(path: string): DatabaseSync {
  try {
    const address = pathToFileURL(path);
    address.searchParams.set('immutable', '1');
    const database = new DatabaseSync(address, {
      readOnly: true,
      allowExtension: false,
      enableDoubleQuotedStringLiterals: false,
      limits: { length: FILE_LIMITS.valueBytes },
    });
    database.exec(
      'PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON; PRAGMA mmap_size = 0',
    );
    return database;
  } catch (error) {
    throw asProblem(error);
  }
}

function layersOf(database: DatabaseSync): LayerRow[] {
  const rows = database
    .prepare(
      `SELECT c.table_name, g.column_name, coalesce(g.srs_id, c.srs_id) AS srs_id FROM gpkg_contents c
       LEFT JOIN gpkg_geometry_columns g ON g.table_name = c.table_name
       WHERE c.data_type IN ('features', 'attributes') ORDER BY c.rowid LIMIT ${FILE_LIMITS.sheets + 1}`,
    )
    .all() as unknown as LayerRow[];
  if (rows.length > FILE_LIMITS.sheets)
    throw tooLarge(`The GeoPackage has too many layers; wanted at most ${FILE_LIMITS.sheets}.`);
  return rows.filter(({ table_name: name }) => typeof name === 'string');
}

function isPlainTable(database: DatabaseSync, name: string): boolean {
  const row = database
    .prepare(`SELECT type, sql FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')`)
    .get(name);
  return row?.['type'] === 'table' && !/^\s*CREATE\s+VIRTUAL/i.test(String(row['sql']));
}

async function* readLayer(database: DatabaseSync, layer: LayerRow): AsyncGenerator<SourceFeature, void> {
  try {
    const columns = plainColumns(database, layer.table_name);
    const statement = database.prepare(`SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(layer.table_name)}`);
    statement.setReadBigInts(true);
    const crs = crsOf(database, layer.srs_id);
    let row = 0;
    for (const values of statement.iterate()) yield toFeature(++row, values as Record<string, unknown>, layer, crs);
  } catch (error) {
    throw asProblem(error);
  }
}

/** Columns that hold values; generated ones would run what the file says. */
function plainColumns(database: DatabaseSync, table: string): string[] {
  const columns = database.prepare('SELECT name, hidden FROM pragma_table_xinfo(?)').all(table);
  const names = columns.filter(({ hidden }) => Number(hidden) === 0).map(({ name }) => String(name));
  if (names.length === 0 || names.length > FILE_LIMITS.columns)
    throw tooLarge(`The layer "${table}" has ${names.length} columns; wanted 1 to ${FILE_LIMITS.columns}.`);
  return names;
}

function crsOf(database: DatabaseSync, srsId: number | bigint | null): FileCrs {
  if (srsId === null || Number(srsId) === 0 || Number(srsId) === -1)
    return { ...WGS84_FILE, note: { code: 'crs_assumed' } };
  const row = database
    .prepare(
      'SELECT organization, organization_coordsys_id AS code, definition FROM gpkg_spatial_ref_sys WHERE srs_id = ?',
    )
    .get(Number(srsId));
  const byCode = /^epsg$/i.test(String(row?.['organization'] ?? 'EPSG'))
    ? crsOfCode(Number(row?.['code'] ?? srsId))
    : null;
  if (byCode?.toLonLat != null) return byCode;
  const definition = String(row?.['definition'] ?? 'undefined');
  return definition === 'undefined' ? (byCode ?? crsOfCode(Number(srsId))) : crsOfWkt(definition);
}

function toFeature(
  row: number,
  values: Record<string, unknown>,
  { column_name: column }: LayerRow,
  crs: FileCrs,
): SourceFeature {
  const properties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values))
    if (name !== column && name !== '__proto__') properties[name] = plainValue(value);
  const notes: SourceNote[] = [];
  const blob = column === null ? null : values[column];
  let geometry: unknown = column === null ? undefined : null;
  try {
    const shape = blob instanceof Uint8Array ? geopackageGeometry(blob) : null;
    if (shape !== null && crs.note !== null) notes.push(crs.note);
    if (shape !== null && crs.toLonLat !== null) geometry = crs.toLonLat(shape);
  } catch (error) {
    if (!(error instanceof WkbError)) throw error;
    notes.push({ code: 'unreadable_record', blanks: { reason: error.message } });
  }
  return { row, ...(geometry === undefined ? {} : { geometry }), properties, ...(notes.length === 0 ? {} : { notes }) };
}

/** Bytes of the envelope by its indicator, OGC 12-128r17 clause 2.1.3. */
const ENVELOPES = [0, 32, 48, 48, 64];

function geopackageGeometry(blob: Uint8Array): Geometry | null {
  if (blob.length < 8 || blob[0] !== 0x47 || blob[1] !== 0x50)
    throw new WkbError('wanted a GeoPackage geometry, got other bytes.');
  const flags = blob[3];
  const envelope = ENVELOPES[(flags >> 1) & 7];
  if (envelope === undefined) throw new WkbError(`wanted an envelope indicator of 0 to 4, got ${(flags >> 1) & 7}.`);
  if ((flags & 0x10) !== 0) return null;
  return parseWkb(blob.subarray(8 + envelope)).geometry;
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value instanceof Uint8Array ? Buffer.from(value.subarray(0, 100_000)).toString('hex') : value;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function asProblem(error: unknown): Error {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (errcode === SQLITE_TOOBIG)
    return tooLarge(
      `A value of the GeoPackage is too large; wanted at most ${FILE_LIMITS.valueBytes} bytes (file_value_bytes in /limits).`,
    );
  return code === 'ERR_SQLITE_ERROR'
    ? malformed(
        'broken_geopackage',
        `wanted a GeoPackage, got a database that cannot be read (${(error as Error).message})`,
        error,
      )
    : (error as Error);
}
