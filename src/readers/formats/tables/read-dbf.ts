import { isUtf8 } from 'node:buffer';
import { FILE_LIMITS, malformed } from './file-limits.ts';

/** The attribute table of a shapefile. */
export interface Dbf {
  readonly count: number;
  readonly encoding: string;
  isDeleted(record: number): boolean;
  record(record: number): Record<string, unknown>;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly offset: number;
  readonly length: number;
}

/** Code pages by the language driver byte of dBase; those beyond are named by the .cpg file or found out. */
const DRIVERS: Readonly<Record<number, string>> = {
  0x03: 'windows-1252',
  0x57: 'windows-1252',
  0x50: 'windows-874',
  0x7a: 'gbk',
  0x4d: 'gbk',
  0x78: 'big5',
  0x4f: 'big5',
  0x7b: 'shift_jis',
  0xc8: 'windows-1250',
  0xc9: 'windows-1251',
};

/** Opens a dBase table. `cpg` is the text of the .cpg file, null without one. */
export function openDbf(bytes: Buffer, cpg: string | null): Dbf {
  if (bytes.length < 33) throw malformed('broken_dbf', `wanted a dBase table, got ${bytes.length} bytes`);
  const [headerLength, recordLength] = [bytes.readUInt16LE(8), bytes.readUInt16LE(10)];
  const fields = readFields(bytes, headerLength);
  const last = fields.at(-1);
  if (last === undefined || recordLength < 1 || last.offset + last.length > recordLength || headerLength > bytes.length)
    throw malformed(
      'broken_dbf',
      'wanted a dBase table whose records hold its fields, got one whose header contradicts itself',
    );
  const count = Math.min(bytes.readUInt32LE(4), Math.floor((bytes.length - headerLength) / recordLength));
  const encoding = encodingOf(bytes, headerLength, cpg);
  const decoder = new TextDecoder(encoding);
  const names = uniqueNames(fields, (field) => trimmed(decoder.decode(Buffer.from(field.name, 'latin1'))));
  return {
    count,
    encoding,
    isDeleted: (record) => bytes[headerLength + record * recordLength] === 0x2a,
    record(record) {
      const start = headerLength + record * recordLength;
      const row: Record<string, unknown> = {};
      for (const [i, field] of fields.entries())
        row[names[i]] = valueOf(
          bytes.subarray(start + field.offset, start + field.offset + field.length),
          field.type,
          decoder,
        );
      return row;
    },
  };
}

function readFields(bytes: Buffer, headerLength: number): Field[] {
  const fields: Field[] = [];
  let offset = 1;
  for (
    let at = 32;
    at + 32 <= headerLength && bytes[at] !== 0x0d && at + 32 <= bytes.length && fields.length < FILE_LIMITS.columns;
    at += 32
  ) {
    const name = bytes
      .subarray(at, at + 11)
      .toString('latin1')
      .split('\0')[0];
    const length = bytes[at + 16];
    fields.push({ name, type: String.fromCharCode(bytes[at + 11]), offset, length });
    offset += length;
  }
  return fields;
}

function uniqueNames(fields: readonly Field[], nameOf: (field: Field) => string): string[] {
  const seen = new Set<string>();
  return fields.map((field, i) => {
    const own = nameOf(field) || `column_${i + 1}`;
    const name = seen.has(own) || own === '__proto__' ? `${own}_${i + 1}` : own;
    seen.add(name);
    return name;
  });
}

function encodingOf(bytes: Buffer, headerLength: number, cpg: string | null): string {
  const named = cpg
    ?.trim()
    .replace(/^(?:ansi\s*|cp)?(125\d|874)$/i, 'windows-$1')
    .replace(/^(?:iso\s*)?8859[_ -]?(\d{1,2})$/i, 'iso-8859-$1')
    .replace(/^65001$/, 'utf-8');
  if (named !== undefined && named !== '') {
    try {
      return new TextDecoder(named).encoding;
    } catch {
      // A name that nobody knows says no more than no name.
    }
  }
  return isUtf8(bytes.subarray(headerLength)) ? 'utf-8' : (DRIVERS[bytes[29]] ?? 'windows-1252');
}

function valueOf(bytes: Buffer, type: string, decoder: TextDecoder): unknown {
  if (type === 'I' && bytes.length === 4) return bytes.readInt32LE(0);
  if ((type === 'O' || type === 'B') && bytes.length === 8) return bytes.readDoubleLE(0);
  const text = trimmed(decoder.decode(bytes));
  if (text === '' || /^\*+$/.test(text)) return null;
  if (type === 'N' || type === 'F') {
    const number = Number(text);
    // More digits than a double keeps: an identifier.
    return Number.isFinite(number) && !/^-?\d{16,}$/.test(text) ? number : text;
  }
  if (type === 'D') return /^\d{8}$/.test(text) ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` : text;
  if (type === 'L') return /^[yt]$/i.test(text) ? true : /^[nf]$/i.test(text) ? false : null;
  return text;
}

function trimmed(text: string): string {
  return text.replaceAll('\0', ' ').trim();
}
