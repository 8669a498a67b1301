import type { ByteSource } from '../../io/byte-source.ts';
import {
  findSampleType,
  SAMPLE_TYPES,
  type SampleType,
  type TiffCompression,
  TiffError,
  type TiffImage,
} from './tiff-image.ts';
import { tablesInPieces } from './tables-in-pieces.ts';
import { readDirectory, TAG, type TiffDirectory } from './tiff-directory.ts';
import { readGeoreference } from './tiff-georeference.ts';

/** Decoded bytes of a block; more is refused before anything is read. */
const MAX_BLOCK_BYTES = 268_435_456;

const COMPRESSIONS: Readonly<Record<number, TiffCompression>> = {
  1: 'none',
  5: 'lzw',
  8: 'deflate',
  32_773: 'packbits',
  32_946: 'deflate',
  50_000: 'zstd',
};

/** Names of compressions that are met and not read, for messages. */
const REFUSED: Readonly<Record<number, string>> = {
  2: 'CCITT RLE',
  3: 'CCITT fax 3',
  4: 'CCITT fax 4',
  6: 'old JPEG',
  7: 'JPEG',
  34_712: 'JPEG 2000',
  34_887: 'LERC',
  34_925: 'LZMA',
  50_001: 'WebP',
  50_002: 'JPEG XL',
};

/** Width and height at most this, so that counts of pixels stay whole numbers. */
const MAX_SIDE = 2 ** 31 - 1;

interface OpenTiffOptions {
  /** Blocks of an image up to which their tables are read at once; default: any number. Those of more are read piece by piece, by `tables`. */
  readonly mostTables?: number;
}

/**
 * What a TIFF or BigTIFF file says of its first image. Reads the header alone: one request for most files.
 *
 * Rejects with a `TiffError` for a file that is none, that is damaged, or that needs what is not read, and with what the
 * source rejects with. Nothing is allocated for what a header claims: tables must have the length that width, height and
 * block size require, and lie inside the file.
 */
export async function openTiff(
  source: ByteSource,
  signal: AbortSignal,
  { mostTables = Infinity }: OpenTiffOptions = {},
): Promise<TiffImage> {
  const directory = await readDirectory(source, mostTables, signal);
  const width = readSide(directory, TAG.width);
  const height = readSide(directory, TAG.height);
  const bands = readOne(directory, TAG.samplesPerPixel, 1);
  if (!Number.isInteger(bands) || bands < 1 || bands > 65_535)
    throw damaged(directory, TAG.samplesPerPixel, 'samples of a pixel from 1', bands);
  const interleave = readInterleave(directory, bands);
  const sampleType = readSampleType(directory, bands);
  const { bytes } = SAMPLE_TYPES[sampleType];
  const planes = interleave === 'band' ? bands : 1;
  const layout = readLayout(source, directory, width, height, planes, (bands / planes) * bytes);
  return {
    width,
    height,
    bands,
    sampleType,
    nodata: readNodata(directory),
    ...readGeoreference(directory),
    interleave,
    compression: readCompression(directory),
    predictor: readPredictor(directory, sampleType),
    littleEndian: directory.littleEndian,
    ...layout,
  };
}

function readOne(directory: TiffDirectory, tag: number, absent: number): number {
  return directory.values(tag)?.[0] ?? absent;
}

function readSide(directory: TiffDirectory, tag: number): number {
  const side = readOne(directory, tag, 0);
  if (!Number.isInteger(side) || side < 1 || side > MAX_SIDE)
    throw damaged(directory, tag, `from 1 to ${MAX_SIDE} pixels`, side);
  return side;
}

function readInterleave(directory: TiffDirectory, bands: number): TiffImage['interleave'] {
  const planar = readOne(directory, TAG.planarConfiguration, 1);
  if (planar !== 1 && planar !== 2) throw damaged(directory, TAG.planarConfiguration, '1 or 2', planar);
  // With one band both mean the same.
  return planar === 2 && bands > 1 ? 'band' : 'pixel';
}

function readSampleType(directory: TiffDirectory, bands: number): SampleType {
  const bits = sameForAll(directory, TAG.bitsPerSample, 1, bands);
  const format = sameForAll(directory, TAG.sampleFormat, 1, bands);
  const type = findSampleType(bits, format);
  if (type === null)
    throw unsupported(
      directory,
      TAG.bitsPerSample,
      `wanted integers of 8, 16 or 32 bits or floats of 32 or 64, got ${bits} bits in format ${format}`,
    );
  return type;
}

/** A field with one value a band, or one for all of them. */
function sameForAll(directory: TiffDirectory, tag: number, absent: number, bands: number): number {
  const values = directory.values(tag);
  if (values === null) return absent;
  if (values.length !== 1 && values.length < bands) throw damaged(directory, tag, `${bands} values`, values.length);
  if (values.subarray(0, bands).some((value) => value !== values[0]))
    throw unsupported(directory, tag, 'wanted bands of one type, got several');
  return values[0];
}

function readCompression(directory: TiffDirectory): TiffCompression {
  const code = readOne(directory, TAG.compression, 1);
  const compression = COMPRESSIONS[code];
  if (compression === undefined)
    throw unsupported(
      directory,
      TAG.compression,
      `wanted ${Object.values(COMPRESSIONS).join(', ')}, got the compression ${REFUSED[code] ?? code}`,
    );
  const order = readOne(directory, TAG.fillOrder, 1);
  if (order !== 1) throw unsupported(directory, TAG.fillOrder, `wanted the high bit first, got fill order ${order}`);
  return compression;
}

function readPredictor(directory: TiffDirectory, sampleType: SampleType): 1 | 2 | 3 {
  // Files without compression, or with packbits, may carry the tag; it has no meaning for them.
  const isUsed = !['none', 'packbits'].includes(readCompression(directory));
  const predictor = isUsed ? readOne(directory, TAG.predictor, 1) : 1;
  if (predictor !== 1 && predictor !== 2 && predictor !== 3)
    throw damaged(directory, TAG.predictor, '1, 2 or 3', predictor);
  if (predictor === 3 && !sampleType.startsWith('float'))
    throw damaged(directory, TAG.predictor, '1 or 2 for integers', predictor);
  return predictor;
}

/** GDAL writes the number as text, `nan` and `inf` among them. */
function readNodata(directory: TiffDirectory): number | null {
  const values = directory.values(TAG.nodata);
  if (values === null) return null;
  const text = String.fromCharCode(...values.subarray(0, 64))
    .replace(/\0.*$/s, '')
    .trim();
  if (text === '') return null;
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  const infinite = /^([+-]?)inf(inity)?$/i.exec(text);
  const value = infinite ? Number(`${infinite[1]}Infinity`) : Number(text);
  if (Number.isNaN(value)) throw damaged(directory, TAG.nodata, 'a number', JSON.stringify(text));
  return value;
}

function damaged({ place }: TiffDirectory, tag: number, wanted: string, got: unknown): TiffError {
  return new TiffError('damaged', place, `tag ${tag}: wanted ${wanted}, got ${String(got)}`, { tag });
}

function unsupported({ place }: TiffDirectory, tag: number, detail: string): TiffError {
  return new TiffError('unsupported', place, detail, { tag });
}

/** How an image is cut into blocks, and where they lie. */
type TiffLayout = Pick<
  TiffImage,
  'blockWidth' | 'blockHeight' | 'blocksAcross' | 'blocksDown' | 'offsets' | 'lengths' | 'tables'
>;

/** @param pixelBytes bytes of a pixel in one block: all its samples, or one where bands lie apart */
function readLayout(
  source: ByteSource,
  directory: TiffDirectory,
  width: number,
  height: number,
  planes: number,
  pixelBytes: number,
): TiffLayout {
  const { place } = directory;
  const tileWidth = directory.values(TAG.tileWidth)?.[0] ?? null;
  const isTiled = tileWidth !== null;
  const blockWidth = tileWidth ?? width;
  const rows = isTiled ? directory.values(TAG.tileHeight)?.[0] : (directory.values(TAG.rowsPerStrip)?.[0] ?? height);
  // Strips may claim more rows than there are (2^32 - 1 means "one strip").
  const blockHeight = isTiled ? (rows ?? 0) : Math.min(rows ?? 0, height);
  if (!isCount(blockWidth) || !isCount(blockHeight))
    throw new TiffError('damaged', place, `wanted blocks with an area, got ${blockWidth} x ${blockHeight} pixels`);
  if (blockWidth * blockHeight * pixelBytes > MAX_BLOCK_BYTES)
    throw new TiffError(
      'too_large',
      place,
      `wanted blocks of at most ${MAX_BLOCK_BYTES} bytes, got ${blockWidth} x ${blockHeight} pixels of ${pixelBytes} bytes`,
    );
  const blocksAcross = Math.ceil(width / blockWidth);
  const blocksDown = Math.ceil(height / blockHeight);
  const count = blocksAcross * blocksDown * planes;
  const [offsetsTag, lengthsTag] = isTiled ? [TAG.tileOffsets, TAG.tileLengths] : [TAG.stripOffsets, TAG.stripLengths];
  const sides = { blockWidth, blockHeight, blocksAcross, blocksDown };
  const [offsetsLater, lengthsLater] = [directory.deferred(offsetsTag), directory.deferred(lengthsTag)];
  for (const tag of [offsetsTag, lengthsTag]) assertTable(directory, tag, count);
  if (offsetsLater !== null && lengthsLater !== null)
    return { ...sides, ...tablesInPieces(source, offsetsLater, lengthsLater) };
  return { ...sides, offsets: readTable(directory, offsetsTag), lengths: readTable(directory, lengthsTag) };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function assertTable(directory: TiffDirectory, tag: number, count: number): void {
  const got = directory.deferred(tag)?.count ?? directory.values(tag)?.length;
  if (got !== count)
    throw new TiffError(
      'damaged',
      directory.place,
      `tag ${tag}: wanted ${count} values, one a block, got ${got ?? 'none'}`,
      { tag },
    );
}

function readTable(directory: TiffDirectory, tag: number): Float64Array {
  return directory.values(tag) ?? new Float64Array(0);
}
