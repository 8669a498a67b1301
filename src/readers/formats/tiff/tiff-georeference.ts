import { TAG, type TiffDirectory } from './tiff-directory.ts';
import { TiffError, type TiffImage } from './tiff-image.ts';

/** Keys of the GeoKey directory (OGC 19-008r4). */
const KEY = { modelType: 1024, rasterType: 1025, geographic: 2048, projected: 3072 } as const;
const PIXEL_IS_POINT = 2;
const GEOGRAPHIC_MODEL = 2;
/** 0 is undefined, 32767 user-defined; EPSG codes of CRSs lie between them (OGC 19-008r4, 7.4.4). */
const isCode = (value: number | undefined): value is number => value !== undefined && value > 0 && value < 32_767;

/**
 * Where the pixels lie. A pixel scale with a tie point comes before a transformation, as in GDAL; a y scale counts
 * downwards whatever its sign. With PixelIsPoint coordinates name pixel centres and are moved to corners.
 */
export function readGeoreference(directory: TiffDirectory): Pick<TiffImage, 'transform' | 'crs'> {
  const keys = readKeys(directory.values(TAG.geoKeys));
  const corner = keys.get(KEY.rasterType) === PIXEL_IS_POINT ? 0.5 : 0;
  return { transform: readTransform(directory, corner), crs: readCrs(keys) };
}

function readTransform(directory: TiffDirectory, corner: number): TiffImage['transform'] {
  const scale = directory.values(TAG.modelPixelScale);
  const tie = directory.values(TAG.modelTiepoint);
  const matrix = directory.values(TAG.modelTransformation);
  if (scale !== null && scale.length >= 2 && scale[0] !== 0 && scale[1] !== 0) {
    if (tie === null || tie.length < 6) return null;
    const [column, row, , x, y] = tie;
    const a = scale[0];
    const e = -Math.abs(scale[1]);
    return moved(directory, TAG.modelTiepoint, [a, 0, x - column * a, 0, e, y - row * e], corner);
  }
  if (matrix === null || matrix.length < 8) return null;
  const [a, b, , c, d, e, , f] = matrix;
  return moved(directory, TAG.modelTransformation, [a, b, c, d, e, f], corner);
}

function moved(
  { place }: TiffDirectory,
  tag: number,
  [a, b, c, d, e, f]: NonNullable<TiffImage['transform']>,
  corner: number,
): TiffImage['transform'] {
  const transform = [a, b, c - corner * (a + b), d, e, f - corner * (d + e)] as const;
  if (!transform.every(Number.isFinite) || a * e - b * d === 0)
    throw new TiffError('damaged', place, `wanted a transform that can be inverted, got ${transform.join(', ')}`, {
      tag,
    });
  return transform;
}

function readCrs(keys: ReadonlyMap<number, number>): string | null {
  const order = keys.get(KEY.modelType) === GEOGRAPHIC_MODEL ? [KEY.geographic] : [KEY.projected, KEY.geographic];
  // A projected CRS without a code has a geographic one with a code under it, which is not the CRS of the pixels.
  const code = order.map((key) => keys.get(key)).find((value) => value !== undefined);
  return isCode(code) ? `EPSG:${code}` : null;
}

/** Keys whose value is a short inside the directory itself; the others are not read. */
function readKeys(values: Float64Array | null): Map<number, number> {
  const keys = new Map<number, number>();
  if (values === null || values.length < 4) return keys;
  const count = Math.min(values[3], Math.floor(values.length / 4) - 1);
  for (let i = 1; i <= count; i++) {
    const [key, location, length, value] = values.subarray(4 * i, 4 * i + 4);
    if (location === 0 && length === 1) keys.set(key, value);
  }
  return keys;
}
