import type { Config } from '../../config/settings.ts';
import { falseColours } from '../../geo/false-colour/false-colours.ts';
import { latticeProjection } from '../../geo/outline/lattice.ts';
import { round } from '../../geo/round.ts';
import { describeFailure } from '../../forest/warnings.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { EmbeddingPlace, EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { placeOfYear } from './place-of-year.ts';
import { encodePng } from './png.ts';
import { openForestSources, type OpenedForestSources } from './sources.ts';

/** Pixels of a picture each way; those of the public files measure 10 m. */
export const PICTURE_PIXELS = 256;
/** The first year of embeddings there is. */
const FIRST_YEAR = 2017;

/** Embeddings around a place in false colour. */
export interface FalseColourAnswer {
  /** Why there are no pictures: no dataset covers the place (or none of the years), or none of those that may could be read. */
  readonly status: 'found' | 'outside_coverage' | 'unavailable';
  /** Why there is no picture, or not of every year that was wanted; null: nothing is missing. */
  readonly detail: string | null;
  readonly dataset: string | null;
  readonly dataset_version: string | null;
  readonly attribution: string | null;
  readonly synthetic: boolean;
  /** All years that the dataset has at the place. */
  readonly years: readonly number[];
  /** Share of the variance of the 64 bands that the three colours hold. */
  readonly explained: number | null;
  readonly pictures: readonly {
    readonly year: number;
    readonly width: number;
    readonly height: number;
    /** Longitude and latitude of the corners: north-west, north-east, south-east, south-west. */
    readonly corners: readonly (readonly [number, number])[];
    readonly nodata_share: number;
    /** PNG in base 64. */
    readonly png: string;
  }[];
}

type FalseColourConfig = Pick<
  Config,
  'dataDir' | 'cacheMaxMb' | 'forestMemoryMb' | 'forestThreads' | 'taskConcurrency' | 'forestPointTimeoutMs'
>;

/** Draws embeddings of a catalogue in false colour; they are opened at the first picture, again for another catalogue. */
export function createFalseColour(config: FalseColourConfig) {
  let kept: { readonly datasets: readonly Dataset[]; readonly sources: Promise<OpenedForestSources> } | null = null;

  async function sourcesOf(datasets: readonly Dataset[]): Promise<readonly EmbeddingSource[]> {
    if (kept?.datasets !== datasets) {
      const before = kept;
      const listed = datasets.filter(({ role }) => role === 'embeddings');
      const sources = openForestSources(listed, config);
      kept = { datasets, sources };
      sources.catch(() => {
        if (kept?.sources === sources) kept = null;
      });
      await (await before?.sources.catch(() => null))?.close();
    }
    return (await kept.sources).embeddings;
  }

  /** The picture of the newest year, or of the years that are wanted. Rejects only when `signal` aborts. */
  return async (
    datasets: readonly Dataset[],
    { lon, lat, years }: { readonly lon: number; readonly lat: number; readonly years: readonly number[] | null },
    signal: AbortSignal,
  ): Promise<FalseColourAnswer> => {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(config.forestPointTimeoutMs)]);
    let failure: string | null = null;
    let without: FalseColourAnswer | null = null;
    for (const source of await sourcesOf(datasets))
      try {
        const found = await drawOn(source, lon, lat, years === null ? null : [...new Set(years)], inTime);
        if (found?.status === 'found') return found;
        without ??= found;
      } catch (error) {
        signal.throwIfAborted();
        failure ??= `${source.dataset.id}: ${describeFailure(error)}`;
      }
    if (failure !== null) return noPicture('unavailable', failure);
    return without ?? noPicture('outside_coverage', 'No dataset of embeddings covers the place.');
  };
}

async function drawOn(
  source: EmbeddingSource,
  lon: number,
  lat: number,
  wanted: readonly number[] | null,
  signal: AbortSignal,
): Promise<FalseColourAnswer | null> {
  const newest = await source.at(lon, lat, signal);
  if (newest === null || !newest.raster.covers(Math.floor(newest.x), Math.floor(newest.y))) return null;
  const { id, version, attribution, synthetic } = source.dataset;
  const answer = { dataset: id, dataset_version: version, attribution, synthetic };
  const places = new Map<number, EmbeddingPlace>([[newest.raster.year, newest]]);
  for (let year = FIRST_YEAR; year < newest.raster.year; year++) {
    const place = await placeOfYear(source, lon, lat, year, signal);
    if (place !== null) places.set(year, place);
  }
  const years = [...places.keys()].toSorted((a, b) => a - b);
  const chosen = wanted ?? [newest.raster.year];
  const drawn = chosen.flatMap((year) => places.get(year) ?? []);
  const lacking = `The dataset has ${years.join(', ')} here; wanted ${chosen.join(', ')}.`;
  if (drawn.length === 0) return { ...noPicture('outside_coverage', lacking), ...answer, years };
  const windows = [];
  for (const { raster, x, y } of drawn) {
    const [x0, y0] = [Math.floor(x) - PICTURE_PIXELS / 2, Math.floor(y) - PICTURE_PIXELS / 2];
    windows.push(await raster.window(x0, y0, PICTURE_PIXELS, PICTURE_PIXELS, signal));
  }
  const { images, explained } = falseColours(windows);
  return {
    ...answer,
    status: 'found',
    detail: drawn.length === chosen.length ? null : lacking,
    years,
    explained: explained === null ? null : round(explained, 4),
    pictures: images.map(({ width, height, rgb, nodata }, i) => ({
      year: drawn[i].raster.year,
      width,
      height,
      corners: cornersOf(drawn[i]),
      nodata_share: round(nodata / (width * height), 4),
      png: encodePng({ width, height, rgb }).toString('base64'),
    })),
  };
}

function cornersOf({ raster, x, y }: EmbeddingPlace): readonly (readonly [number, number])[] {
  const [a, , c, , e, f] = raster.transform;
  const projection = latticeProjection(raster.crs);
  const [left, top] = [Math.floor(x) - PICTURE_PIXELS / 2, Math.floor(y) - PICTURE_PIXELS / 2];
  const out = new Float64Array(2);
  return [
    [left, top],
    [left + PICTURE_PIXELS, top],
    [left + PICTURE_PIXELS, top + PICTURE_PIXELS],
    [left, top + PICTURE_PIXELS],
  ].map(([column, row]) => {
    projection.toLonLat(a * column + c, e * row + f, out, 0);
    return [round(out[0], 7), round(out[1], 7)] as const;
  });
}

function noPicture(status: Exclude<FalseColourAnswer['status'], 'found'>, detail: string): FalseColourAnswer {
  return {
    status,
    detail,
    dataset: null,
    dataset_version: null,
    attribution: null,
    synthetic: false,
    years: [],
    explained: null,
    pictures: [],
  };
}
