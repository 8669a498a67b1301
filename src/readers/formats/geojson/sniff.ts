import { Problem } from '../../../errors.ts';

/** Bytes at the beginning of a file that `refuseOtherFormats` wants to see, where the file has as many. */
export const SNIFFED_BYTES = 64;

const SIGNATURES: readonly (readonly [signature: string, looksLike: string])[] = [
  ['PK\x03\x04', 'a ZIP archive (a zipped Shapefile, a KMZ or a spreadsheet)'],
  ['PK\x05\x06', 'an empty ZIP archive'],
  ['\x1f\x8b', 'a gzip file; send it unpacked'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard file; send it unpacked'],
  ['SQLite format 3\0', 'a GeoPackage or another SQLite database'],
  ['PAR1', 'a Parquet file'],
  ['fgb\x03', 'a FlatGeobuf file'],
  ['%PDF', 'a PDF document'],
  ['\0\0\x27\x0a', 'a Shapefile'],
  ['\x89PNG', 'a PNG picture'],
  ['II*\0', 'a TIFF picture'],
  ['MM\0*', 'a TIFF picture'],
];

const ENCODINGS: readonly (readonly [signature: string, name: string])[] = [
  ['\0\0\xfe\xff', 'UTF-32'],
  ['\xff\xfe\0\0', 'UTF-32'],
  ['\xfe\xff', 'UTF-16'],
  ['\xff\xfe', 'UTF-16'],
];

/** Throws `Problem('malformed_file')` that names what the file looks like when its first bytes are not those of UTF-8 JSON. */
export function refuseOtherFormats(head: Uint8Array): void {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, SNIFFED_BYTES)).toString('latin1');
  const encoding = ENCODINGS.find(([signature]) => text.startsWith(signature))?.[1] ?? encodingWithoutMark(head);
  if (encoding !== null)
    refuse('unsupported_encoding', `wanted text in UTF-8, got ${encoding}; save the file as UTF-8`);
  const format = SIGNATURES.find(([signature]) => text.startsWith(signature))?.[1] ?? markup(text);
  if (format !== null) refuse('not_geojson', `wanted GeoJSON, got what looks like ${format}`);
}

/** ASCII characters of UTF-16 and UTF-32 have zero bytes beside them. */
function encodingWithoutMark(head: Uint8Array): string | null {
  const zeros = [0, 1, 2, 3].map((i) => head[i] === 0);
  if (head.length < 4 || zeros.every((zero) => zero)) return null;
  if ((zeros[0] && zeros[1] && zeros[2]) || (zeros[1] && zeros[2] && zeros[3])) return 'UTF-32';
  return (zeros[0] && zeros[2]) || (zeros[1] && zeros[3]) ? 'UTF-16' : null;
}

function markup(text: string): string | null {
  const begins = text
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
    .toLowerCase();
  if (/^<(!doctype html|html|head|body)/.test(begins)) return 'an HTML page';
  if (begins.startsWith('<kml') || begins.includes('<kml')) return 'KML';
  return begins.startsWith('<') ? 'XML' : null;
}

function refuse(code: string, detail: string): never {
  throw new Problem('malformed_file', detail, { errors: [{ pointer: '', code, detail }] });
}
