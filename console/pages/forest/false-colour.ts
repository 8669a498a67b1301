import { call, type Answer } from '../../api/client.ts';
import type { MapPicture } from '../../map/map-picture.ts';
import type { Place } from './lookup.ts';

export type FalseColour = Answer<'getFalseColour'>;

/** Two years to be compared, or one of them twice. */
export interface Years {
  readonly before: number;
  readonly after: number;
}

/** The years that an address names as `years`: `2018,2024`; null where there are none. */
export function readYears(text: string | null): Years | null {
  const [before, after, ...rest] = (text ?? '').split(',').map(Number);
  const isYear = (year: number | undefined): year is number => Number.isInteger(year) && year! > 1900 && year! < 2200;
  return isYear(before) && isYear(after) && rest.length === 0 ? { before, after } : null;
}

/** The embeddings around a place, of the years, or of the newest there is. */
export async function falseColourAt(
  { lon, lat }: Place,
  years: Years | null,
  signal: AbortSignal,
): Promise<FalseColour> {
  const wanted = years === null ? null : [...new Set([years.before, years.after])];
  return await call('getFalseColour', {
    query: { longitude: lon, latitude: lat, ...(wanted === null ? {} : { years: wanted.join(',') }) },
    signal,
  });
}

/**
 * A picture for the map: the earlier year to the west of a line and the later one to the east of it. `share` says where the line is,
 * from 0, the western edge, to 1. Null without pictures.
 */
export async function comparison(
  { pictures }: FalseColour,
  years: Years | null,
  share: number,
): Promise<MapPicture | null> {
  const of = (year: number | undefined) => pictures.find((picture) => picture.year === year) ?? null;
  const after = of(years?.after) ?? pictures.at(-1) ?? null;
  if (after === null) return null;
  const before = of(years?.before) ?? after;
  const canvas = document.createElement('canvas');
  canvas.width = after.width;
  canvas.height = after.height;
  const context = canvas.getContext('2d')!;
  const line = Math.round(share * after.width);
  context.drawImage(await imageOf(after.png), 0, 0);
  if (line > 0 && before !== after) {
    context.drawImage(await imageOf(before.png), 0, 0, line, before.height, 0, 0, line, before.height);
    context.fillStyle = '#ffffff';
    context.fillRect(Math.min(after.width - 1, line), 0, 1, after.height);
  }
  return { canvas, corners: after.corners as unknown as MapPicture['corners'] };
}

const decoded = new Map<string, Promise<ImageBitmap>>();

/** An image of a PNG in base 64; the last ones are kept, since a slider draws them again and again. */
function imageOf(png: string): Promise<ImageBitmap> {
  const known = decoded.get(png);
  if (known !== undefined) return known;
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  for (const oldest of decoded.keys()) {
    if (decoded.size < 2) break;
    decoded.delete(oldest);
  }
  decoded.set(png, image);
  return image;
}
