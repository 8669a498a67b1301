import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { SourceFile } from '../../../locations/source-table.ts';
import type { GeojsonLimits } from '../geojson/document.ts';
import { malformed } from './file-limits.ts';
import { openCsv } from './read-csv.ts';
import { openGeojson } from './read-geojson.ts';
import { openGeopackage } from './read-geopackage.ts';
import { openGeoparquet } from './read-geoparquet.ts';
import { gpxFile } from './read-gpx.ts';
import { kmlFile } from './read-kml.ts';
import { openShapefile } from './read-shapefile.ts';
import { openXlsx } from './read-xlsx.ts';
import { openZipArchive, type ZipArchive } from './zip-archive.ts';

const HEAD_BYTES = 4096;
/** Stands before each text of RFC 8142. */
const RECORD_SEPARATOR = '\x1e';

/** What can be read but not as a list of locations; a language model may make one of it. */
interface ProseFile {
  readonly format: 'text' | 'pdf';
}

/** Formats that are recognised by their first bytes and refused with advice. */
const REFUSED: readonly (readonly [signature: string, detail: string])[] = [
  ['\xd0\xcf\x11\xe0', 'an old Excel or Word file, or one with a password; save it as .xlsx without a password'],
  ['\x1f\x8b', 'a gzip file; send it unpacked'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard file; send it unpacked'],
  ['BZh', 'a bzip2 file; send it unpacked'],
  ["7z\xbc\xaf'", 'a 7-Zip archive; send a ZIP archive'],
  ['Rar!', 'a RAR archive; send a ZIP archive'],
  ['fgb\x03', 'a FlatGeobuf file; save it as GeoPackage or GeoJSON'],
  ['\0\0\x27\x0a', 'one part of a shapefile; send .shp, .dbf, .prj and .cpg together in a ZIP archive'],
  ['\x89PNG', 'a picture'],
  ['\xff\xd8\xff', 'a picture'],
  ['II*\0', 'a picture'],
  ['MM\0*', 'a picture'],
];

/**
 * Opens a file of locations by what it holds, whatever its name: GeoJSON, CSV or TSV, XLSX, KML, KMZ, GPX, a zipped
 * shapefile, GeoPackage, GeoParquet. Prose and PDF come back unread. Throws `Problem('malformed_file' | 'too_large')` that says what
 * the file looks like or where it is broken.
 */
export async function openLocationFile(path: string, limits: GeojsonLimits = {}): Promise<SourceFile | ProseFile> {
  const head = await headOf(path);
  const start = head.toString('latin1');
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return await openArchive(path);
  if (start.startsWith('SQLite format 3\0')) return openGeopackage(path);
  if (start.startsWith('PAR1')) return await openGeoparquet(path);
  if (start.startsWith('%PDF')) return { format: 'pdf' };
  const refused = REFUSED.find(([signature]) => start.startsWith(signature));
  if (refused !== undefined)
    throw malformed('unsupported_format', `wanted a file of locations, got what looks like ${refused[1]}`);
  const text = plainStart(head);
  if (/^\s*(<\?xml|<kml|<gpx|<!--)/i.test(text)) return openXml(path, text);
  if (/^\s*<(!doctype|html|head|body)/i.test(text))
    throw malformed('unsupported_format', 'wanted a file of locations, got what looks like an HTML page');
  if (/^[{[]/.test(text.replaceAll(RECORD_SEPARATOR, '').trimStart())) return await openGeojson(path, limits);
  if (isBinary(text))
    throw malformed('unsupported_format', 'wanted a file of locations, got binary data of no known form');
  return (await openCsv(path)) ?? { format: 'text' };
}

async function headOf(path: string): Promise<Buffer> {
  await using file = await open(path);
  const buffer = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, 0);
  if (bytesRead === 0) throw malformed('empty', 'wanted a file of locations, got an empty file');
  return buffer.subarray(0, bytesRead);
}

/** The beginning as text, good enough to recognise the form. */
function plainStart(head: Buffer): string {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le').decode(head);
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be').decode(head);
  const text = head.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  return /^([^\0]\0){4}/.test(text) || /^(\0[^\0]){4}/.test(text) ? text.replaceAll('\0', '') : text;
}

/** Control characters that no text holds. */
function isBinary(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 7) return true;
  return false;
}

function openXml(path: string, text: string): SourceFile {
  const read = () => createReadStream(path);
  const root = rootOf(text);
  if (root === 'gpx') return gpxFile([{ what: 'the GPX file', read }], () => Promise.resolve());
  if (/^(osm|svg|gml:.*|wfs:.*)$/i.test(root))
    throw malformed('unsupported_format', 'wanted KML, got other XML; save it as KML or GeoJSON');
  return kmlFile('kml', [{ what: 'the KML file', read }], () => Promise.resolve());
}

/** Name of the outermost element; empty where it begins later. Texts and comments may hold tags of any other format. */
function rootOf(text: string): string {
  const start = text.replace(/<!--[^]*?-->|<\?[^]*?\?>/g, '');
  return /^\s*<([\w:.-]+)/.exec(start)?.[1] ?? '';
}

async function openArchive(path: string): Promise<SourceFile> {
  const archive = await openZipArchive(path, (await stat(path)).size);
  try {
    return await openContents(archive);
  } catch (error) {
    await archive[Symbol.asyncDispose]();
    throw error;
  }
}

async function openContents(archive: ZipArchive): Promise<SourceFile> {
  const paths = archive.entries.map((entry) => entry.path.toLowerCase());
  const has = (pattern: RegExp): boolean => paths.some((entry) => pattern.test(entry));
  if (has(/(^|\/)xl\/workbook\.xml$/)) return await openXlsx(archive);
  if (has(/\.shp$/)) return await openShapefile(archive);
  const documents = archive.entries.filter((entry) => /\.kml$/i.test(entry.path) && !/__MACOSX/.test(entry.path));
  if (documents.length > 0)
    return kmlFile(
      'kmz',
      documents.map((entry) => ({ what: entry.path, read: () => archive.read(entry) })),
      async () => archive[Symbol.asyncDispose](),
    );
  const tracks = archive.entries.filter((entry) => /\.gpx$/i.test(entry.path) && !/__MACOSX/.test(entry.path));
  if (tracks.length > 0)
    return gpxFile(
      tracks.map((entry) => ({ what: entry.path, read: () => archive.read(entry) })),
      async () => archive[Symbol.asyncDispose](),
    );
  const shown = paths.slice(0, 5).join(', ');
  throw malformed(
    'unsupported_archive',
    `wanted a zipped shapefile, a KMZ or an .xlsx workbook, got an archive with ${paths.length === 0 ? 'nothing in it' : shown}; send the file itself`,
  );
}
