import type { Answer, CommodityShare } from '../facilities/sources.ts';
import { shareAbove } from '../geo/detection/share.ts';
import type { Shape } from '../geo/shape.ts';
import type { ByteSource } from '../readers/byte-source.ts';
import { openTiff } from '../readers/tiff/open-tiff.ts';
import { readTiffWindow } from '../readers/tiff/read-window.ts';
import type { TiffImage } from '../readers/tiff/tiff-image.ts';
import { FARTHEST_M } from './detection-answer.ts';
import type { CommodityMap } from './detection-maps.ts';
import { samplePlaces, type SampleWindow } from './detection-places.ts';

/** Part of the sampled pixels that has to be known; a place with less is not covered. */
const LEAST_KNOWN = 0.25;

interface OpenMap {
  readonly source: ByteSource;
  readonly image: TiffImage & { readonly transform: NonNullable<TiffImage['transform']>; readonly crs: string };
}

/**
 * Measures the share of pixels around a shape that a map counts as the commodity. Null where too few of them lie in the
 * file or are known to it. Rejects when the file cannot be read or does not say where it lies.
 */
export function createMapAnswerer(
  openBytes: (map: CommodityMap) => Promise<ByteSource>,
): (map: CommodityMap, shape: Shape, radiusM: number, signal: AbortSignal) => Promise<Answer<CommodityShare> | null> {
  const opened = new Map<CommodityMap, OpenMap>();

  async function openMap(map: CommodityMap, signal: AbortSignal): Promise<OpenMap> {
    const known = opened.get(map);
    if (known !== undefined) return known;
    const source = await openBytes(map);
    const image = await openTiff(source, signal);
    const { transform, crs } = image;
    const { id } = map.dataset;
    if (transform === null || crs === null) throw new Error(`${id}: wanted a GeoTIFF that says where it lies`);
    if (map.band >= image.bands) throw new Error(`${id}: wanted band ${map.band + 1}, got ${image.bands} bands`);
    if (image.nodata !== null && map.nodata === null)
      throw new Error(
        `${id}: options.nodata: wanted "absent" or "unknown", because the file has ${image.nodata} for no data`,
      );
    const open = { source, image: { ...image, transform, crs } };
    opened.set(map, open);
    return open;
  }

  return async (map, shape, askedM, signal) => {
    const radiusM = Math.min(askedM, FARTHEST_M);
    const { source, image } = await openMap(map, signal);
    const { positions, windows, isComplete } = samplePlaces({ ...image, id: map.dataset.id }, shape, radiusM);
    const found = new Float64Array(positions.length / 2).fill(Number.NaN);
    for (const window of windows) await readInto(found, map, { source, image }, window, positions, signal);
    const { n, masked, share, standardError } = shareAbove(found, 1, isComplete);
    if (!(n > 0 && n >= LEAST_KNOWN * found.length)) return null;
    const pixels = isComplete ? `All ${n} pixels` : `${n} sampled pixels (standard error ${percent(standardError)})`;
    const rule = map.threshold === null ? `class ${map.classes.join(' or ')}` : `${map.threshold} or more`;
    const of = map.date === null ? map.dataset.id : `${map.dataset.id}, ${map.date}`;
    const sentences = [
      `${pixels} of the map ${of}; counted where it says ${rule}.`,
      ...(masked > 0 ? [`${masked} more are not known to it.`] : []),
      ...(radiusM < askedM ? [`Only the nearest ${FARTHEST_M / 1000} km were looked at.`] : []),
    ];
    const detail = sentences.join(' ');
    return { dataset: map.dataset, value: { share, detail } };
  };
}

/** Writes 1 for each pixel that counts, 0 for the others and leaves NaN for those that are not known. */
async function readInto(
  found: Float64Array,
  { band, threshold, classes, nodata }: CommodityMap,
  { source, image }: OpenMap,
  window: SampleWindow,
  positions: Int32Array,
  signal: AbortSignal,
): Promise<void> {
  const left = Math.max(0, window.left);
  const top = Math.max(0, window.top);
  const width = Math.min(image.width, window.right) - left;
  const height = Math.min(image.height, window.bottom) - top;
  if (width <= 0 || height <= 0) return;
  const values = await readTiffWindow(source, image, left, top, width, height, { bands: [band], signal });
  for (const pixel of window.pixels) {
    const [x, y] = [positions[2 * pixel] - left, positions[2 * pixel + 1] - top];
    if (x < 0 || y < 0 || x >= width || y >= height) continue;
    const value = values[y * width + x];
    if (Number.isNaN(value) || value === image.nodata) {
      if (nodata === 'absent') found[pixel] = 0;
      continue;
    }
    const isThere = threshold === null ? classes.includes(value) : value >= threshold;
    found[pixel] = isThere ? 1 : 0;
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
