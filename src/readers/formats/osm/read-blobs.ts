import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { fieldTag, ProtobufReader } from './protobuf.ts';
import { faultOf } from '../../io/source-fault.ts';

const inflateAsync = promisify(inflate);

/** One piece of a PBF file, decompressed. */
interface OsmBlob {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Where the file goes on after it, in bytes. */
  readonly end: number;
}

/** Limits of the format. */
const MAX_HEADER_BYTES = 65_536;
const MAX_BLOB_BYTES = 33_554_432;
/** Pieces that are decompressed ahead of the one in use. */
const AHEAD = 2;

/** The pieces of an `.osm.pbf` file in order, decompressed in other threads while earlier ones are used. */
export async function* readBlobs(path: string, signal: AbortSignal): AsyncGenerator<OsmBlob, void> {
  const file = await open(path, 'r').catch((cause: Error) => {
    throw new OsmFileError(path, cause.message, { cause });
  });
  try {
    const { size } = await file.stat();
    const ahead: Promise<OsmBlob>[] = [];
    let at = 0;
    while (at < size || ahead.length > 0) {
      signal.throwIfAborted();
      while (at < size && ahead.length <= AHEAD) {
        const { type, bytes, end } = await readRaw(path, file, at, size);
        const opened = decompress(path, bytes).then((data) => ({ type, bytes: data, end }));
        opened.catch(() => undefined);
        ahead.push(opened);
        at = end;
      }
      const next = await ahead.shift();
      if (next !== undefined) yield next;
    }
  } finally {
    await file.close();
  }
}

async function readRaw(path: string, file: FileHandle, at: number, size: number): Promise<OsmBlob> {
  const isPbf = size - at >= 4;
  const headerBytes = isPbf ? (await readExactly(path, file, at, 4)).readUInt32BE() : 0;
  if (headerBytes < 4 || headerBytes > MAX_HEADER_BYTES)
    throw new OsmFileError(
      path,
      `at byte ${at} there is no piece of a .osm.pbf file; it may be damaged or of another format`,
    );
  const headerPiece = await readExactly(path, file, at + 4, headerBytes);
  const { type, length } = decoding(path, () => readPieceHeader(headerPiece));
  if (length < 0 || length > MAX_BLOB_BYTES)
    throw new OsmFileError(path, `a piece at byte ${at} claims ${length} bytes; wanted at most ${MAX_BLOB_BYTES}`);
  const start = at + 4 + headerBytes;
  return { type, bytes: await readExactly(path, file, start, length), end: start + length };
}

/** What a piece is and how many bytes follow. */
function readPieceHeader(bytes: Uint8Array): { readonly type: string; readonly length: number } {
  const header = new ProtobufReader(bytes);
  let type = '';
  let length = -1;
  for (let tag = header.next(); tag !== 0; tag = header.next()) {
    if (tag === fieldTag(1, 2)) type = new TextDecoder().decode(header.data());
    else if (tag === fieldTag(3, 0)) length = header.varint();
    else header.skip(tag);
  }
  return { type, length };
}

async function readExactly(path: string, file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done);
    if (bytesRead === 0)
      throw new OsmFileError(
        path,
        `the file ends early: wanted ${length} bytes from ${at}, got ${done}; was it downloaded whole?`,
      );
    done += bytesRead;
  }
  return bytes;
}

/** Compressions of the format that are not read. */
const OTHER = { 4: 'LZMA', 5: 'bzip2', 6: 'LZ4', 7: 'Zstandard' } as const;

async function decompress(path: string, blob: Uint8Array): Promise<Uint8Array> {
  const { data, isRaw } = decoding(path, () => readPiece(path, blob));
  if (isRaw) return data;
  return inflateAsync(data, { maxOutputLength: MAX_BLOB_BYTES }).catch((cause: Error) => {
    throw new OsmFileError(path, `the file is damaged: a piece cannot be decompressed (${cause.message})`, { cause });
  });
}

function readPiece(path: string, blob: Uint8Array): { readonly data: Uint8Array; readonly isRaw: boolean } {
  const reader = new ProtobufReader(blob);
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === fieldTag(1, 2)) return { data: reader.data(), isRaw: true };
    if (tag === fieldTag(3, 2)) return { data: reader.data(), isRaw: false };
    const other = OTHER[(tag >> 3) as keyof typeof OTHER];
    if (other !== undefined)
      throw new OsmFileError(
        path,
        `wanted pieces compressed with zlib, got ${other}; write it again with osmium cat -o NEW.osm.pbf`,
      );
    reader.skip(tag);
  }
  throw new OsmFileError(path, 'a piece of the file holds no data');
}

/** What is wrong with an OpenStreetMap file, and what can be done. */
export class OsmFileError extends faultOf('OsmFileError', 'download the file again') {}

/** Runs a decoder; bytes that end early or make no sense become an error that names the file. */
export function decoding<T>(place: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OsmFileError(place, `a piece of the file is damaged (${error.message})`, { cause: error });
  }
}
