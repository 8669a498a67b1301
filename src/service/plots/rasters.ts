import { CatalogueError, covers } from '../../readers/catalogue/catalogue.ts';
import type { Coverage, Dataset } from '../../readers/catalogue/dataset.ts';
import {
  encodeForest,
  encodeLosses,
  encodeValues,
  type Encoding,
  type Pixels,
} from '../../readers/rasters/encode-row.ts';
import type { RasterMap } from '../../readers/rasters/raster-map.ts';
import {
  forestMask,
  lossYear,
  valueRaster,
  type ForestMaskSpec,
  type LossYearSpec,
  type RasterSpec,
  type ValueSpec,
} from '../../readers/rasters/raster-spec.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';

/** A dataset of one map, ready to be measured on. */
export interface OpenRaster<S extends RasterSpec, P extends Pixels> {
  readonly spec: S;
  readonly map: RasterMap<P>;
}

/** A dataset of a map a year. */
interface YearlyRaster {
  readonly spec: ValueSpec;
  readonly maps: ReadonlyMap<number, RasterMap<Float32Array>>;
}

/** The rasters of a catalogue that plots are measured on, each role in its order. */
export interface PlotRasters {
  readonly masks: readonly OpenRaster<ForestMaskSpec, Uint8Array>[];
  readonly losses: readonly OpenRaster<LossYearSpec, Uint8Array>[];
  readonly biomass: readonly YearlyRaster[];
  /** The newest map of each dataset. */
  readonly canopy: readonly (OpenRaster<ValueSpec, Float32Array> & { readonly year: number | null })[];
}

/** Reads the entries. @throws CatalogueError that names entry and option. */
export function plotRasters(datasets: readonly Dataset[]): PlotRasters {
  const ofRole = (role: Dataset['role']): readonly Dataset[] => datasets.filter((dataset) => dataset.role === role);
  const losses = ofRole('loss-year').map((dataset) => oneMap(lossYear(dataset), encodeLosses));
  const masks = ofRole('forest-mask').map((dataset) => oneMap(forestMask(dataset), encodeForest));
  for (const { spec } of masks) assertLossOf(spec, losses);
  return {
    masks,
    losses,
    biomass: ofRole('biomass').map((dataset) => {
      const spec = valueRaster(dataset);
      const years = [...spec.places.keys()].toSorted((a, b) => a - b);
      return { spec, maps: new Map(years.map((year) => [year, mapOf(spec, year, encodeValues(spec))])) };
    }),
    canopy: ofRole('canopy-height').map((dataset) => {
      const spec = valueRaster(dataset);
      const year = Math.max(...spec.places.keys());
      return { spec, map: mapOf(spec, year, encodeValues(spec)), year: year === 0 ? null : year };
    }),
  };
}

/** Whether a plot reaches into the ground of a dataset. */
export function reaches(coverage: Coverage, { parts }: PlotGround): boolean {
  if ('polygons' in coverage)
    return parts.some(({ rings: [ring] }) => hasCorner(ring, (lon, lat) => covers(coverage, lon, lat)));
  const [west, south, east, north] = coverage.bbox;
  return parts.some(({ bbox: [w, s, e, n] }) => w <= east && e >= west && s <= north && n >= south);
}

function hasCorner(ring: Float64Array | undefined, is: (lon: number, lat: number) => boolean): boolean {
  if (ring === undefined) return false;
  for (let i = 0; i < ring.length; i += 2) if (is(ring[i], ring[i + 1])) return true;
  return false;
}

/** The one map of a dataset. @throws CatalogueError for one of several years. */
export function oneMap<S extends RasterSpec, P extends Pixels>(
  spec: S,
  encodingOf: (spec: S) => Encoding<P>,
): OpenRaster<S, P> {
  const [year] = spec.places.keys();
  if (spec.places.size !== 1)
    throw new CatalogueError(`${spec.dataset.dataset}: options.years: wanted one map, got ${spec.places.size}`);
  return { spec, map: mapOf(spec, year, encodingOf(spec)) };
}

export function mapOf<P extends Pixels>(spec: RasterSpec, year: number, encoding: Encoding<P>): RasterMap<P> {
  const place = spec.places.get(year);
  if (place === undefined) throw new RangeError(`${spec.dataset.dataset} has no map of ${year}`);
  return { spec, place, layer: { id: `${spec.dataset.dataset} ${year}`, band: spec.band, encoding } };
}

function assertLossOf(
  { dataset, lessLossOf }: ForestMaskSpec,
  losses: readonly OpenRaster<LossYearSpec, Uint8Array>[],
): void {
  if (lessLossOf === null || losses.some(({ spec }) => spec.dataset.dataset === lessLossOf)) return;
  throw new CatalogueError(
    `${dataset.dataset}: options.lessLossOf: wanted the id of a dataset of the role loss-year, got ${lessLossOf}`,
  );
}
