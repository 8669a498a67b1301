import type { FeatureTable, SourceFeature, SourceFile, SourceNote } from '../../../locations/source-table.ts';
import { atRow, malformed } from './file-limits.ts';
import { openDbf, type Dbf } from './read-dbf.ts';
import { shpGeometry, ShpRecordError } from './shp-geometry.ts';
import { crsOfWkt, type FileCrs } from './wkt-crs.ts';
import type { ArchiveEntry, ZipArchive } from './zip-archive.ts';

const HEADER_BYTES = 100;

/** A zipped shapefile, or several: one table each, with or without .dbf, .prj and .cpg. */
export async function openShapefile(archive: ZipArchive): Promise<SourceFile> {
  const layers = archive.entries.filter(({ path }) => /\.shp$/i.test(path) && !/(^|\/)(__MACOSX\/|\._)/.test(path));
  const opened: Layer[] = [];
  for (const layer of layers) opened.push(await openLayer(archive, layer));
  return {
    format: 'shapefile',
    tables: opened.map((layer, i): FeatureTable => ({
      kind: 'features',
      name: layer.name,
      features: () => readLayer(opened[i]),
    })),
    remarks: opened.flatMap(remarksOf),
    close: async () => archive[Symbol.asyncDispose](),
  };
}

interface Layer {
  readonly name: string;
  readonly shp: Buffer;
  readonly dbf: Dbf | null;
  /** Null without a .prj file. */
  readonly crs: FileCrs | null;
}

async function openLayer(archive: ZipArchive, entry: ArchiveEntry): Promise<Layer> {
  const base = entry.path.slice(0, -4);
  const sibling = async (ending: string): Promise<Buffer | null> => {
    const found = archive.find(base + ending);
    return found === null ? null : await archive.bytes(found);
  };
  const shp = await archive.bytes(entry);
  if (shp.length < HEADER_BYTES || shp.readInt32BE(0) !== 9994)
    throw malformed('broken_shp', `wanted a shapefile in ${entry.path}, got other bytes`);
  const [dbf, prj, cpg] = [await sibling('.dbf'), await sibling('.prj'), await sibling('.cpg')];
  const table = dbf === null ? null : openDbf(dbf, cpg?.toString('latin1') ?? null);
  const wkt = prj?.toString('utf8').trim() ?? '';
  return { name: base.slice(base.lastIndexOf('/') + 1), shp, dbf: table, crs: wkt === '' ? null : crsOfWkt(wkt) };
}

function remarksOf({ name, dbf, crs }: Layer): string[] {
  const deleted =
    dbf === null ? 0 : Array.from({ length: dbf.count }, (_, i) => dbf.isDeleted(i)).filter(Boolean).length;
  return [
    crs === null
      ? `${name} has no .prj file, so nothing says which coordinate system it is in.`
      : `${name} is in ${crs.name}.`,
    dbf === null
      ? `${name} has no .dbf file, so its features have no attributes.`
      : `The attributes of ${name} were read as ${dbf.encoding}.`,
    ...(deleted > 0 ? [`${deleted} records of ${name} are marked as deleted and were left out.`] : []),
  ];
}

async function* readLayer({ shp, dbf, crs }: Layer): AsyncGenerator<SourceFeature, void> {
  const records = shapeRecords(shp);
  for (let i = 0; ; i++) {
    const record = records.next();
    const more = dbf !== null && i < dbf.count;
    if (record.done === true && !more) return;
    if (more && dbf.isDeleted(i)) continue;
    yield toFeature(i, record.value ?? null, more ? dbf.record(i) : {}, crs);
  }
}

/** The bytes of each record from its shape type on; null for one that does not fit the file, after which nothing can be found. */
function* shapeRecords(shp: Buffer): Generator<Buffer | null, undefined> {
  for (let at = HEADER_BYTES; at + 8 <= shp.length;) {
    const length = shp.readInt32BE(at + 4) * 2;
    if (length < 0 || at + 8 + length > shp.length) {
      yield null;
      return undefined;
    }
    yield shp.subarray(at + 8, at + 8 + length);
    at += 8 + length;
  }
  return undefined;
}

function toFeature(
  index: number,
  bytes: Buffer | null,
  properties: Record<string, unknown>,
  crs: FileCrs | null,
): SourceFeature {
  const notes: SourceNote[] = [];
  let geometry: unknown = null;
  try {
    if (bytes === null) throw new ShpRecordError('its shape is missing from the .shp file');
    const shape = shpGeometry(bytes);
    if (shape !== null && crs === null) {
      geometry = shape;
      notes.push({ code: 'crs_assumed' });
    } else if (shape !== null && crs !== null) {
      if (crs.note !== null) notes.push(crs.note);
      geometry = crs.toLonLat === null ? null : crs.toLonLat(shape);
    }
  } catch (error) {
    if (!(error instanceof ShpRecordError)) throw atRow(error, index + 1);
    notes.push({ code: 'unreadable_record', blanks: { reason: error.message } });
  }
  return { row: index + 1, geometry, properties, ...(notes.length === 0 ? {} : { notes }) };
}
