import { open } from 'node:fs/promises';
import type { FeatureTable } from '../../locations/source-table.ts';
import { Problem } from '../../errors.ts';
import { fileSource } from '../io/file-source.ts';
import { openLocationFile } from '../formats/tables/open-location-file.ts';
import { decodePolygons, decodeValues, planColumns, type Values } from '../formats/flatgeobuf/decode-feature.ts';
import { openFlatGeobuf } from '../formats/flatgeobuf/open-flatgeobuf.ts';
import { createPageMemory } from '../formats/flatgeobuf/page-memory.ts';
import { flatAttributes } from './flatgeobuf-parcels.ts';
import { jsonAttributes, parcelId } from './parcel-attributes.ts';
import { parcelPolygons } from './parcel-polygons.ts';

/** One row of a file of parcels. */
export interface ParcelRow {
  /** Number in the file, from 1. */
  readonly row: number;
  /** The identifier of the feature itself, where the format has one. */
  readonly featureId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Null for a row without an area, which `fault` explains. */
  readonly polygons: readonly (readonly Float64Array[])[] | null;
  readonly fault: string | null;
}

/** A file of parcels, opened. */
export interface ParcelFile {
  /** What the file was found to be, for people. */
  readonly format: string;
  /** Rows in all; null when that is not known before they are read. */
  readonly total: number | null;
  /** What was assumed about the file, in sentences. */
  readonly remarks: readonly string[];
  rows(signal: AbortSignal): AsyncGenerator<ParcelRow, void>;
  close(): Promise<void>;
}

/** Features of one file; a large county has some millions. */
const MOST_ROWS = 50_000_000;

/**
 * Opens a file of parcels: FlatGeobuf, GeoJSON, GeoPackage, GeoParquet, KML or a zipped shapefile, recognised by its bytes.
 *
 * @param layer name of the layer; null where the file has one.
 * @throws `Problem('malformed_file' | 'too_large')`.
 */
export async function openParcelFile(path: string, layer: string | null, signal: AbortSignal): Promise<ParcelFile> {
  if (await isFlatGeobuf(path)) return await openFlat(path, signal);
  const file = await openLocationFile(path, { maxFeatures: MOST_ROWS });
  if (!('tables' in file)) throw new Problem('malformed_file', `Wanted a file of parcels, got ${file.format}.`);
  try {
    const tables = file.tables.filter((table): table is FeatureTable => table.kind === 'features');
    const table = chooseTable(tables, file.format, layer);
    return {
      format: file.format,
      total: null,
      remarks: file.remarks,
      rows: (inner) => tableRows(table, inner),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function chooseTable(tables: readonly FeatureTable[], format: string, layer: string | null): FeatureTable {
  const names = tables.map(({ name }) => name ?? 'the only one').join(', ');
  if (tables.length === 0) throw new Problem('malformed_file', `Wanted a file with polygons, got ${format}.`);
  const chosen = layer === null ? tables : tables.filter(({ name }) => name === layer);
  if (chosen.length === 0) throw new Problem('malformed_file', `The file has no layer "${layer}"; it has ${names}.`);
  if (chosen.length > 1) throw new Problem('malformed_file', `The file has several layers: ${names}. Choose one.`);
  return chosen[0];
}

async function* tableRows(table: FeatureTable, signal: AbortSignal): AsyncGenerator<ParcelRow, void> {
  for await (const { row, id, properties, geometry, notes = [] } of table.features()) {
    signal.throwIfAborted();
    const common = { row, featureId: parcelId(id), attributes: jsonAttributes(properties) };
    const { polygons, ...rest } = parcelPolygons(geometry);
    const reason = notes.find(({ code }) => code !== 'crs_assumed');
    const fault = 'fault' in rest ? rest.fault : null;
    yield { ...common, polygons, fault: fault === null ? null : reason === undefined ? fault : wordsOf(reason) };
  }
}

/** What a reader noted, in few words. */
function wordsOf({ code, blanks = {} }: { readonly code: string; readonly blanks?: object }): string {
  const values = Object.values(blanks).map(String).join(', ');
  return values === '' ? code.replaceAll('_', ' ') : `${code.replaceAll('_', ' ')} (${values})`;
}

async function isFlatGeobuf(path: string): Promise<boolean> {
  await using file = await open(path);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return bytesRead === 4 && buffer.toString('latin1') === 'fgb\u0003';
}

async function openFlat(path: string, signal: AbortSignal): Promise<ParcelFile> {
  const source = fileSource(path);
  try {
    const file = await openFlatGeobuf(source, createPageMemory(1 << 16, 1 << 22), signal);
    const { columns, count, geometryType } = file.header;
    return {
      format: 'flatgeobuf',
      total: count === 0 ? null : count,
      remarks: [],
      async *rows(inner) {
        const plan = planColumns(
          columns,
          columns.map(({ name }) => name),
        );
        const values: Values = columns.map(() => null);
        let row = 0;
        for await (const { view, starts } of file.scan(inner))
          for (const at of starts) {
            const polygons = decodePolygons(view, at, geometryType);
            decodeValues(view, at, columns, plan, values);
            const attributes = flatAttributes(columns, values);
            const fault = polygons.length === 0 ? 'wanted a polygon, got none' : null;
            yield { row: ++row, featureId: null, attributes, polygons: fault === null ? polygons : null, fault };
          }
      },
      close: async () => source[Symbol.asyncDispose](),
    };
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  }
}
