import { codesOf } from '../../../messages/recognised/codes-of.ts';
import type { PlotGround } from '../../../geo/zonal/plot-ground.ts';
import { round } from '../../../geo/round.ts';
import { CUT_OFF } from '../../../monitoring-days.ts';
import type { Dataset } from '../../../readers/catalogue/dataset.ts';
import { encodeForest, encodeLandCover, encodeLosses } from '../../../readers/rasters/encode-row.ts';
import { measureClasses } from '../../../readers/rasters/measure-rasters.ts';
import type { RasterMap, RasterReader } from '../../../readers/rasters/raster-map.ts';
import { forestMask, landCover, lossYear } from '../../../readers/rasters/raster-spec.ts';
import { NOT_COVERED } from '../measures.ts';
import { pass, plotsIn, type PassResult, type ReportFailure } from '../passes.ts';
import { mapOf } from '../rasters.ts';

/** What kinds of maps are looked at, in the order of the answer. */
export const LAYERS = ['forest', 'land_cover', 'tree_cover_loss'] as const;
type Layer = (typeof LAYERS)[number];

/** What one map says of a piece of ground, or why it says nothing. */
export type LayerCover = { readonly layer: Layer } & (
  | {
      readonly status: 'measured';
      readonly dataset: string;
      readonly version: string;
      /** Of the map, as the catalogue has it. */
      readonly date: string | null;
      readonly synthetic: boolean;
      /** Classes that are there, the largest first. */
      readonly classes: readonly { readonly class: string; readonly area_ha: number; readonly share: number }[];
      /** Hectares without data. */
      readonly unknown_ha: number;
    }
  | {
      readonly status: 'unknown';
      readonly dataset: string | null;
      readonly version: string | null;
      readonly reason: string;
    }
);

/** A map of the catalogue whose pixels are counted by class. */
interface OpenLayer {
  readonly layer: Layer;
  readonly dataset: Dataset;
  readonly map: RasterMap<Uint8Array>;
  /** The name of each class of the map; several may have the same. */
  readonly names: readonly string[];
}

const CUT_OFF_YEAR = Number(CUT_OFF.slice(0, 4));

/** The maps of a catalogue that say something of land cover. @throws CatalogueError for an entry that cannot be read. */
export function coverLayers(datasets: readonly Dataset[]): OpenLayer[] {
  const layers = datasets.flatMap((dataset): OpenLayer[] => [
    ...forestLayer(dataset),
    ...legendLayer(dataset),
    ...lossLayer(dataset),
  ]);
  return LAYERS.flatMap((layer) => layers.filter((one) => one.layer === layer));
}

function forestLayer(dataset: Dataset): OpenLayer[] {
  if (dataset.role !== 'forest-mask') return [];
  const spec = forestMask(dataset);
  const [year] = spec.places.keys();
  return [{ layer: 'forest', dataset, map: mapOf(spec, year, encodeForest(spec)), names: ['other_land', 'forest'] }];
}

function legendLayer(dataset: Dataset): OpenLayer[] {
  if (dataset.role !== 'forest-mask') return [];
  const spec = landCover(dataset);
  if (spec === null) return [];
  const [year] = spec.places.keys();
  const map = mapOf(spec, year, encodeLandCover(spec));
  // The same pixels are kept in memory as a forest mask too.
  const own = { ...map, layer: { ...map.layer, id: `${map.layer.id} by class` } };
  return [{ layer: 'land_cover', dataset, map: own, names: spec.legend.map(([, name]) => name) }];
}

function lossLayer(dataset: Dataset): OpenLayer[] {
  if (dataset.role !== 'loss-year') return [];
  const spec = lossYear(dataset);
  const [year] = spec.places.keys();
  const [first, last] = spec.years;
  const lost = Array.from({ length: last - first + 1 }, (_, i) =>
    first + i > CUT_OFF_YEAR ? `lost_after_${CUT_OFF_YEAR}` : `lost_until_${CUT_OFF_YEAR}`,
  );
  return [
    { layer: 'tree_cover_loss', dataset, map: mapOf(spec, year, encodeLosses(spec)), names: ['not_lost', ...lost] },
  ];
}

/**
 * What each map says of each piece of ground, in the order of the grounds. A kind of map of which none covers a ground is there with
 * the reason; generated maps are queried for ground of generated embeddings, and no others.
 */
export async function measureCover(
  layers: readonly OpenLayer[],
  grounds: readonly PlotGround[],
  isSynthetic: boolean,
  reader: RasterReader,
  signal: AbortSignal,
  report: ReportFailure,
): Promise<LayerCover[][]> {
  const found = grounds.map((): LayerCover[] => []);
  const all = [...grounds.keys()];
  for (const layer of layers) {
    if (layer.dataset.synthetic !== isSynthetic) continue;
    const { spec } = layer.map;
    const results = await pass(spec, grounds, plotsIn(spec, grounds, all), signal, report, (some, inner) =>
      measureClasses(reader, layer.map, some, inner),
    );
    for (const [i, result] of results) found[i].push(coverOf(layer, result, grounds[i].areaHa));
  }
  return found.map((covers) =>
    LAYERS.flatMap((layer): LayerCover[] => {
      const own = covers.filter((cover) => cover.layer === layer);
      return own.length > 0
        ? own
        : [
            {
              layer,
              status: 'unknown',
              dataset: null,
              version: null,
              reason: NOT_COVERED,
              ...codesOf({ reason: NOT_COVERED }),
            },
          ];
    }),
  );
}

/** Hectares this small are what rounding leaves. */
const ROUNDING_HA = 5e-5;

function coverOf({ layer, dataset, names }: OpenLayer, result: PassResult, areaHa: number): LayerCover {
  const { id, version, date, synthetic } = dataset;
  const unknown = (reason: string): LayerCover => ({
    layer,
    status: 'unknown',
    dataset: id,
    version,
    reason,
    ...codesOf({ reason }),
  });
  if ('failed' in result) return unknown(result.failed);
  const byName = new Map<string, number>();
  result.sums.forEach((hectares, place) => byName.set(names[place], (byName.get(names[place]) ?? 0) + hectares));
  const known = [...byName.values()].reduce((sum, hectares) => sum + hectares, 0);
  if (!(known > ROUNDING_HA)) return unknown(`${id} has no data there`);
  const unknownHa = areaHa - known;
  return {
    layer,
    status: 'measured',
    dataset: id,
    version,
    date,
    synthetic,
    classes: [...byName]
      .filter(([, hectares]) => hectares > ROUNDING_HA)
      .sort((a, b) => b[1] - a[1])
      .map(([name, hectares]) => ({ class: name, area_ha: round(hectares, 4), share: round(hectares / areaHa, 4) })),
    unknown_ha: unknownHa > 1e-4 * areaHa ? round(unknownHa, 4) : 0,
  };
}
