import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { Problem } from '../../errors.ts';
import { type Bbox, boxesTouch, boxOf } from '../../geo/shapes/shape.ts';
import type { FlatGeometry } from '../../readers/formats/flatgeobuf/encode-feature.ts';
import type { Polygons } from '../../readers/formats/osm/assemble-rings.ts';
import type { DataOutline } from '../../readers/packs/answers/data-outline.ts';
import type { InstalledPack } from '../../readers/packs/manifest.ts';
import type { FeatureSink } from '../../readers/themes/themes.ts';
import { draftPack, hashFile } from '../../readers/packs/write-pack.ts';
import { parcelId } from '../../readers/parcels/parcel-attributes.ts';
import { addToOutline, FOOTPRINT_CELL, parcelOutline } from '../../readers/parcels/parcel-footprint.ts';
import { isJurisdiction } from '../../readers/parcels/parcel-options.ts';
import { openParcelFile, type ParcelFile, type ParcelRow } from '../../readers/parcels/parcel-rows.ts';
import { prepareDataFolder } from '../../config/data-folder.ts';
import { packsFolder } from './pack-folder.ts';

export { isJurisdiction };

export interface ParcelPackRequest {
  /** FlatGeobuf, GeoJSON, GeoPackage, GeoParquet, KML or a zipped shapefile. */
  readonly path: string;
  readonly id: string;
  /** Such as `US-WI-025`. */
  readonly jurisdiction: string;
  /** Column with the identifier of a parcel. */
  readonly idField: string;
  /** Layer of a file with several. */
  readonly layer: string | null;
  /** Takes the parcels that touch it; the footprint ends at it. */
  readonly box: Bbox | null;
  /** The ground whose parcels the file knows; null takes the outline of the parcels. */
  readonly coverage: Polygons | null;
  /** Day, month or year the data describes; null takes the day the file was last changed. */
  readonly date: string | null;
  readonly licence: string;
  readonly attribution: string;
  readonly onProgress: (done: number, total: number | null) => void;
}

export interface ImportedParcels {
  readonly pack: InstalledPack;
  readonly format: string;
  readonly rows: number;
  /** Rows without an area, and the first of them in words. */
  readonly leftOut: { readonly count: number; readonly first: string | null };
  /** Parcels without an identifier, which are named by their row. */
  readonly nameless: number;
  readonly outsideBox: number;
  readonly remarks: readonly string[];
}

/** Longest attributes of a parcel, in characters of JSON. */
const MOST_CHARACTERS = 1_000_000;

/** Makes a pack of the parcels of a jurisdiction. An import that fails or is stopped leaves everything as it was. */
export async function importParcelPack(
  config: Pick<Config, 'dataDir'>,
  request: ParcelPackRequest,
  signal: AbortSignal,
): Promise<ImportedParcels> {
  const { path, id, jurisdiction, licence, attribution } = request;
  const { size, mtime } = await stat(path);
  await using stack = new AsyncDisposableStack();
  const file = await openParcelFile(path, request.layer, signal);
  stack.defer(() => file.close());
  prepareDataFolder(config);
  const draft = await draftPack(packsFolder(config), ['parcels']);
  stack.defer(() => draft.close());
  const outline = parcelOutline();
  const counts = await writeParcels(file, request, draft.sink, outline, signal);
  const ground = counts.taken === 0 ? null : (request.coverage ?? outline.polygons(request.box ?? counts.around));
  if (ground === null) throw nothingThere(path, counts);
  const date = request.date ?? mtime.toISOString().slice(0, 10);
  const sha256 = await hashFile(path);
  signal.throwIfAborted();
  const pack = await draft.publish({
    mapped: 'whole',
    id,
    version: `${date}-${sha256.slice(0, 8)}`,
    date,
    licence,
    attribution,
    synthetic: false,
    source: { kind: 'parcels', name: basename(path), bytes: size },
    coverage: ground,
    options: { jurisdiction, ...PARCEL_PACK_FIELDS },
  });
  return { ...counts, pack, format: file.format, remarks: file.remarks };
}

/** What came of the rows of a file. */
interface ParcelCounts extends Pick<ImportedParcels, 'rows' | 'leftOut' | 'nameless' | 'outsideBox'> {
  readonly taken: number;
  /** The box around all cells of the footprint. */
  readonly around: Bbox;
}

/** Writes the parcels of a file into a pack and their ground into an outline, one after the other. */
async function writeParcels(
  file: ParcelFile,
  { idField, box, onProgress }: ParcelPackRequest,
  sink: FeatureSink,
  outline: DataOutline,
  signal: AbortSignal,
): Promise<ParcelCounts> {
  let [rows, leftOut, nameless, outsideBox, taken] = [0, 0, 0, 0, 0];
  let first: string | null = null;
  const around: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for await (const row of file.rows(signal)) {
    if (rows === 0) checkField(row, idField);
    onProgress(++rows, file.total);
    const { polygons } = row;
    const own = polygons === null ? null : boxOf(polygons);
    if (polygons === null || own === null) {
      leftOut++;
      first ??= `row ${row.row}: ${row.fault}`;
    } else if (box !== null && !boxesTouch(own, box)) outsideBox++;
    else {
      const id = idOf(row, idField);
      if (id === null) nameless++;
      const values = [id ?? `row ${row.row}`, attributesText(row)];
      await sink({ theme: 'parcels', geometry: geometryOf(polygons), values });
      addToOutline(outline, polygons);
      widen(around, own);
      taken++;
    }
  }
  return { rows, leftOut: { count: leftOut, first }, nameless, outsideBox, taken, around };
}

/** Takes a box and the cells around it into `out`. */
function widen(out: [number, number, number, number], [west, south, east, north]: Bbox): void {
  out[0] = Math.max(-180, Math.min(out[0], west - FOOTPRINT_CELL));
  out[1] = Math.max(-90, Math.min(out[1], south - FOOTPRINT_CELL));
  out[2] = Math.min(180, Math.max(out[2], east + FOOTPRINT_CELL));
  out[3] = Math.min(90, Math.max(out[3], north + FOOTPRINT_CELL));
}

/** How the reader of a pack of parcels finds identifiers and attributes. */
const PARCEL_PACK_FIELDS = { idField: 'parcel_id', attributesField: 'attributes' } as const;

function checkField({ attributes, featureId }: ParcelRow, idField: string): void {
  if (idField in attributes || (idField === 'id' && featureId !== null)) return;
  const names = Object.keys(attributes).join(', ');
  throw new Problem('malformed_file', `The file has no field "${idField}"; it has ${names || 'none'}.`);
}

/** The identifier in its field; the one of the feature itself where the field `id` is requested and there is none. */
function idOf({ attributes, featureId }: ParcelRow, idField: string): string | null {
  return parcelId(attributes[idField]) ?? (idField === 'id' ? featureId : null);
}

function attributesText({ row, attributes }: ParcelRow): string {
  const text = JSON.stringify(attributes);
  if (text.length <= MOST_CHARACTERS) return text;
  throw new Problem(
    'too_large',
    `Row ${row}: wanted attributes of at most ${MOST_CHARACTERS} characters, got ${text.length}.`,
  );
}

function geometryOf(polygons: readonly (readonly Float64Array[])[]): FlatGeometry {
  return polygons.length === 1 ? { type: 'polygon', rings: polygons[0] } : { type: 'multiPolygon', polygons };
}

function nothingThere(path: string, { rows, outsideBox, leftOut }: ParcelCounts): Problem {
  const number = (count: number): string => count.toLocaleString('en');
  const why =
    rows === 0
      ? 'it has no rows'
      : outsideBox > 0
        ? `${number(outsideBox)} of its parcels lie outside the box`
        : `none of its ${number(rows)} rows has an area (${leftOut.first})`;
  return new Problem('malformed_file', `${path}: wanted parcels, got none: ${why}.`);
}
