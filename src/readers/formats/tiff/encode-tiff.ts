import { deflateSync, zstdCompressSync } from 'node:zlib';
import { findCrs } from '../../../geo/crs/find-crs.ts';
import { isSample, SAMPLE_TYPES, type SampleArray, type SampleType, type TiffImage } from './tiff-image.ts';
import { TAG } from './tiff-directory.ts';

const TYPES = {
  2: { bytes: 1, write: (view: DataView, at: number, value: number) => view.setUint8(at, value) },
  3: { bytes: 2, write: (view: DataView, at: number, value: number) => view.setUint16(at, value, true) },
  4: { bytes: 4, write: (view: DataView, at: number, value: number) => view.setUint32(at, value, true) },
  12: { bytes: 8, write: (view: DataView, at: number, value: number) => view.setFloat64(at, value, true) },
} as const;

const HEADER_BYTES = 8;
const FIELD_BYTES = 12;
const INLINE_BYTES = 4;

/** Pixels to be written, and where they lie. */
export interface TiffRaster extends Pick<
  TiffImage,
  'width' | 'height' | 'bands' | 'sampleType' | 'nodata' | 'transform' | 'crs'
> {
  /** Row, column, band; rows in the order of `transform`, so that a bottom-up one has its southern row first. */
  readonly values: SampleArray;
}

export interface EncodeTiffOptions {
  /** Default `deflate`, which every program opens; `zstd` is faster and smaller. */
  readonly compression?: 'none' | 'deflate' | 'zstd';
  /** Default `pixel`. */
  readonly interleave?: TiffImage['interleave'];
  /** Side of a tile in pixels, a multiple of 16; default 256. */
  readonly tile?: number;
}

const COMPRESSIONS = {
  none: { code: 1, encode: (bytes: Uint8Array) => bytes },
  deflate: { code: 8, encode: (bytes: Uint8Array) => deflateSync(bytes) },
  zstd: { code: 50_000, encode: (bytes: Uint8Array) => zstdCompressSync(bytes) },
} as const;
const MAX_FILE_BYTES = 2 ** 32 - 1;

/**
 * A tiled GeoTIFF, little-endian, whose directory comes first. The same raster and options always give the same bytes.
 * @throws RangeError for a raster whose parts do not fit together, a CRS that is not known, or a file above 4 GiB.
 */
export function encodeTiff(raster: TiffRaster, options: EncodeTiffOptions = {}): Uint8Array {
  const { compression = 'deflate', interleave = 'pixel', tile = 256 } = options;
  assertRaster(raster, tile);
  const { code, encode } = COMPRESSIONS[compression];
  const tiles = cutTiles(raster, interleave, tile).map((values) =>
    encode(new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
  );
  const lengths = tiles.map(({ length }) => length);
  const fields = [...describe(raster), ...georeference(raster)];
  fields.push(
    { tag: TAG.compression, type: 3, values: [code] },
    { tag: TAG.planarConfiguration, type: 3, values: [interleave === 'pixel' ? 1 : 2] },
    { tag: TAG.tileWidth, type: 3, values: [tile] },
    { tag: TAG.tileHeight, type: 3, values: [tile] },
    { tag: TAG.tileLengths, type: 4, values: lengths },
    { tag: TAG.tileOffsets, type: 4, values: lengths },
  );
  // The directory is as long whatever the offsets are, so its length is known before they are.
  const first = encodeDirectory(fields).length;
  let end = first;
  const offsets = lengths.map((length) => (end += length) - length);
  if (end > MAX_FILE_BYTES) throw new RangeError(`wanted a file of at most ${MAX_FILE_BYTES} bytes, got ${end}`);
  const directory = encodeDirectory([...fields.slice(0, -1), { tag: TAG.tileOffsets, type: 4, values: offsets }]);
  return Buffer.concat([directory, ...tiles], end);
}

function assertRaster(raster: TiffRaster, tile: number): void {
  const { width, height, bands, sampleType, values, nodata } = raster;
  const sides = [width, height, bands];
  if (!sides.every((side) => Number.isInteger(side) && side >= 1))
    throw new RangeError(`wanted a raster with pixels and bands, got ${width} x ${height} x ${bands}`);
  if (bands > 65_535) throw new RangeError(`wanted at most 65535 bands, got ${bands}`);
  if (values.length !== width * height * bands || !(values instanceof SAMPLE_TYPES[sampleType].make))
    throw new RangeError(
      `wanted ${width * height * bands} values of ${sampleType}, got ${values.length} in a ${values.constructor.name}`,
    );
  if (!Number.isInteger(tile) || tile < 16 || tile > 65_520 || tile % 16 !== 0)
    throw new RangeError(`wanted tiles of a multiple of 16 pixels, got ${tile}`);
  if (nodata !== null && !isSample(sampleType, nodata))
    throw new RangeError(`wanted a nodata value that ${sampleType} can hold, got ${nodata}`);
}

/** Tiles in the order of the format: rows of tiles, of one band after the other where bands lie apart. */
function cutTiles(raster: TiffRaster, interleave: TiffImage['interleave'], tile: number): SampleArray[] {
  const { width, height, bands } = raster;
  const planes = interleave === 'band' ? bands : 1;
  const tiles: SampleArray[] = [];
  for (let plane = 0; plane < planes; plane++) {
    for (let y = 0; y < height; y += tile) {
      for (let x = 0; x < width; x += tile) tiles.push(cutTile(raster, planes === 1 ? null : plane, x, y, tile));
    }
  }
  return tiles;
}

function cutTile(
  { width, height, bands, sampleType, nodata, values }: TiffRaster,
  band: number | null,
  x: number,
  y: number,
  tile: number,
): SampleArray {
  const samples = band === null ? bands : 1;
  const out = new SAMPLE_TYPES[sampleType].make(tile * tile * samples);
  if (nodata !== null) out.fill(nodata);
  const columns = Math.min(tile, width - x);
  for (let row = 0; row < Math.min(tile, height - y); row++) {
    const from = ((y + row) * width + x) * bands;
    const to = row * tile * samples;
    if (band === null) out.set(values.subarray(from, from + columns * bands), to);
    else for (let i = 0; i < columns; i++) out[to + i] = values[from + i * bands + band];
  }
  return out;
}

function describe({ width, height, bands, sampleType, nodata }: TiffRaster): TiffField[] {
  const { bytes, format } = SAMPLE_TYPES[sampleType as SampleType];
  const each = (value: number): number[] => Array.from({ length: bands }, () => value);
  const fields: TiffField[] = [
    { tag: TAG.width, type: 4, values: [width] },
    { tag: TAG.height, type: 4, values: [height] },
    { tag: TAG.bitsPerSample, type: 3, values: each(bytes * 8) },
    // 1: 0 is black. What comes after the first band is no colour but data of unspecified meaning.
    { tag: TAG.photometric, type: 3, values: [1] },
    { tag: TAG.samplesPerPixel, type: 3, values: [bands] },
    { tag: TAG.sampleFormat, type: 3, values: each(format) },
  ];
  if (bands > 1) fields.push({ tag: TAG.extraSamples, type: 3, values: each(0).slice(1) });
  if (nodata !== null) fields.push({ tag: TAG.nodata, type: 2, values: Buffer.from(`${formatNodata(nodata)}\0`) });
  return fields;
}

function formatNodata(value: number): string {
  return Number.isNaN(value) ? 'nan' : String(value).replace('Infinity', 'inf');
}

/** A north-up raster gets a pixel scale, which every program reads; any other one a transformation. */
function georeference({ transform, crs }: TiffRaster): TiffField[] {
  const fields: TiffField[] = [];
  if (transform !== null) {
    const [a, b, c, d, e, f] = transform;
    if (b === 0 && d === 0 && a > 0 && e < 0) {
      fields.push({ tag: TAG.modelPixelScale, type: 12, values: [a, -e, 0] });
      fields.push({ tag: TAG.modelTiepoint, type: 12, values: [0, 0, 0, c, f, 0] });
    } else
      fields.push({ tag: TAG.modelTransformation, type: 12, values: [a, b, 0, c, d, e, 0, f, 0, 0, 0, 0, 0, 0, 0, 1] });
  }
  if (crs !== null) fields.push({ tag: TAG.geoKeys, type: 3, values: geoKeys(crs) });
  return fields;
}

/** GeoTIFF 1.1 keys: model (1 projected, 2 geographic), pixels are areas, and the code of the CRS. */
function geoKeys(name: string): number[] {
  const crs = findCrs(name);
  if ('refused' in crs) throw new RangeError(crs.refused);
  const isGeographic = crs.definition.includes('proj=longlat');
  const keys = [
    [1024, isGeographic ? 2 : 1],
    [1025, 1],
    [isGeographic ? 2048 : 3072, crs.code],
  ];
  return [1, 1, 0, keys.length, ...keys.flatMap(([key, value]) => [key, 0, 1, value])];
}

/** A field of a directory: its tag, the code of its type, and its values. */
interface TiffField {
  readonly tag: number;
  readonly type: keyof typeof TYPES;
  readonly values: ArrayLike<number>;
}

/** A classic little-endian TIFF up to its first block: header, directory, and the values that do not fit into it. */
function encodeDirectory(fields: readonly TiffField[]): Uint8Array {
  const sorted = fields.toSorted((a, b) => a.tag - b.tag);
  let end = HEADER_BYTES + 2 + FIELD_BYTES * sorted.length + 4;
  const places = sorted.map(({ type, values }) => {
    const bytes = TYPES[type].bytes * values.length;
    if (bytes <= INLINE_BYTES) return null;
    const at = end;
    // Values begin at a multiple of 8.
    end += (bytes + 7) & ~7;
    return at;
  });
  // The first value lies at a multiple of 8 too.
  const shift = (8 - ((HEADER_BYTES + 2 + FIELD_BYTES * sorted.length + 4) % 8)) % 8;
  const view = new DataView(new ArrayBuffer(end + shift));
  view.setUint16(0, 0x4949);
  view.setUint16(2, 42, true);
  view.setUint32(4, HEADER_BYTES, true);
  view.setUint16(HEADER_BYTES, sorted.length, true);
  sorted.forEach(({ tag, type, values }, i) => {
    const at = HEADER_BYTES + 2 + FIELD_BYTES * i;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, values.length, true);
    const place = places[i] === null ? at + 8 : places[i] + shift;
    if (places[i] !== null) view.setUint32(at + 8, place, true);
    const { bytes, write } = TYPES[type];
    for (let k = 0; k < values.length; k++) write(view, place + k * bytes, values[k]);
  });
  return new Uint8Array(view.buffer);
}
