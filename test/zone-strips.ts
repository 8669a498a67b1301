import { buildTiff } from './oracles/tiff/build-tiff.ts';

/** A raster of one UTM zone as `gdal_translate -co COMPRESS=LZW -co BIGTIFF=YES` writes it: strips of one row, no overviews. */
export interface ZoneStrips {
  /** EPSG code of the coordinate system in its header. */
  readonly epsg: number;
  readonly width: number;
  readonly height: number;
  /** Metres of the upper left corner; northings are negative south of the equator in a northern zone. */
  readonly west: number;
  readonly north: number;
  /** Side of a pixel in metres. */
  readonly pixel: number;
  readonly sampleType: 'uint8' | 'int16';
  /** Value of all pixels but those of `rows`. */
  readonly blank: number;
  /** Rows with values of their own, by their number from the north. */
  readonly rows: ReadonlyMap<number, (column: number) => number>;
}

/** Bytes of the file. Rows that are all alike are stored once, so that a file of half a million of them stays small. Synthetic. */
export function zoneStrips(raster: ZoneStrips): Uint8Array {
  const { epsg, width, height, west, north, pixel, sampleType, blank, rows } = raster;
  const size = sampleType === 'uint8' ? 1 : 2;
  const strip = (at: (column: number) => number): Uint8Array => {
    const out = Buffer.alloc(width * size);
    for (let x = 0; x < width; x++) {
      if (size === 1) out.writeUInt8(at(x), x);
      else out.writeInt16LE(at(x), 2 * x);
    }
    return lzw(out);
  };
  const strips = new Map([...new Set(rows.values())].map((at) => [at, strip(at)] as const));
  const own = [...rows].map(([row, at]) => ({ row, bytes: strips.get(at) ?? strip(at) }));
  const blankStrip = strip(() => blank);
  const offsets = Array.from({ length: height }, () => 0);
  const lengths = offsets.map(() => blankStrip.length);
  const head = (): Uint8Array =>
    buildTiff(
      [
        { tag: 256, type: 4, values: [width] },
        { tag: 257, type: 4, values: [height] },
        { tag: 258, type: 3, values: [8 * size] },
        { tag: 259, type: 3, values: [5] },
        { tag: 262, type: 3, values: [1] },
        { tag: 273, type: 16, values: offsets },
        { tag: 277, type: 3, values: [1] },
        { tag: 278, type: 3, values: [1] },
        { tag: 279, type: 4, values: lengths },
        { tag: 284, type: 3, values: [1] },
        { tag: 339, type: 3, values: [size === 1 ? 1 : 2] },
        { tag: 33_550, type: 12, values: [pixel, pixel, 0] },
        { tag: 33_922, type: 12, values: [0, 0, 0, west, north, 0] },
        { tag: 34_735, type: 3, values: [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, epsg] },
      ],
      { big: true },
    );
  let end = head().length;
  offsets.fill(end);
  end += blankStrip.length;
  for (const { row, bytes } of own) {
    [offsets[row], lengths[row]] = [end, bytes.length];
    end += bytes.length;
  }
  return Buffer.concat([head(), blankStrip, ...own.map(({ bytes }) => bytes)]);
}

const CLEAR = 256;
const END = 257;

/** LZW as TIFF has it (TIFF 6.0, section 13): high bits first, codes one bit longer one code early, 12 bits at most. */
function lzw(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  let [held, bits] = [0, 0];
  let width = 9;
  const put = (code: number): void => {
    held = (held << width) | code;
    bits += width;
    while (bits >= 8) {
      bits -= 8;
      out.push((held >> bits) & 255);
      held &= (1 << bits) - 1;
    }
  };
  let table = new Map<number, number>();
  let next = END + 1;
  put(CLEAR);
  let prefix = -1;
  for (const byte of bytes) {
    const known = prefix === -1 ? byte : table.get((prefix << 8) | byte);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix);
    table.set((prefix << 8) | byte, next++);
    if (next === 4094) {
      put(CLEAR);
      table = new Map();
      next = END + 1;
      width = 9;
    } else if (isWider(next)) width += 1;
    prefix = byte;
  }
  if (prefix !== -1) put(prefix);
  if (isWider(next + 1)) width += 1;
  put(END);
  if (bits > 0) out.push((held << (8 - bits)) & 255);
  return Uint8Array.from(out);
}

/** Whether codes take one bit more from this entry of the table on. */
function isWider(next: number): boolean {
  return next === 512 || next === 1024 || next === 2048;
}
