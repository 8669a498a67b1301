import type { MapPixelReader, MapPixels } from '../../collections/due-diligence/audit/map-pixels.ts';
import type { DatasetUse } from '../../collections/plot-record.ts';
import { NO_CLASS } from '../../geo/zonal/sum-pixels.ts';
import { CUT_OFF } from '../../monitoring-days.ts';
import { withDeadline } from '../../in-time.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { FOREST, NOT_LOST } from '../../readers/rasters/encode-row.ts';
import type { RasterReader } from '../../readers/rasters/raster-map.ts';
import type { LossYearSpec, RasterSpec } from '../../readers/rasters/raster-spec.ts';
import { sampleLattice } from '../../readers/rasters/sample-lattice.ts';
import type { ReportFailure } from './passes.ts';
import { plotRasters, type OpenRaster, type PlotRasters } from './rasters.ts';
import { openRasterReader, type PlotStatisticsConfig } from './statistics.ts';

/** Failures in a row after which a report goes on without pictures: an upstream that is down would cost each of them its deadline. */
const MOST_FAILURES = 3;
const CUT_OFF_YEAR = Number(CUT_OFF.slice(0, 4));

type Loss = OpenRaster<LossYearSpec, Uint8Array>;

/** Milliseconds that reading a picture may take: a page waits for it. */
const PICTURE_MS = 5_000;

/** How an export opens its pictures, from the catalogue as it is then. */
export function mapPixelsOf(
  world: { readonly catalogue: readonly Dataset[] },
  config: PlotStatisticsConfig,
  report: ReportFailure = () => {},
): () => MapPixelReader {
  return () => openMapPixels(world.catalogue, config, { deadlineMs: PICTURE_MS, report });
}

/** Opens what the pictures of an audit trail are read from. No file is opened before the first picture. */
function openMapPixels(
  datasets: readonly Dataset[],
  config: PlotStatisticsConfig,
  { deadlineMs, report }: { readonly deadlineMs: number; readonly report: ReportFailure },
): MapPixelReader {
  let opened: Promise<{ readonly rasters: PlotRasters; readonly reader: RasterReader }> | null = null;
  const open = async () => ({
    rasters: plotRasters(datasets.filter(({ role }) => role === 'forest-mask' || role === 'loss-year')),
    reader: await openRasterReader(datasets, config),
  });
  let failures = 0;
  return {
    async read({ baseline, losses }, frame, signal) {
      const measured = losses.find((one) => one.status === 'measured');
      if (failures >= MOST_FAILURES || (baseline.status !== 'measured' && measured === undefined)) return null;
      try {
        const { rasters, reader } = await (opened ??= open());
        const mask = baseline.status === 'measured' ? same(rasters.masks, baseline) : null;
        const loss = measured === undefined ? null : same(rasters.losses, measured);
        if (mask === undefined || loss === undefined) return null;
        const cut = mask === null ? undefined : rasters.losses.find(({ spec }) => isOf(spec, mask.spec.lessLossOf));
        return await withDeadline(signal, deadlineMs, async (within) => {
          const sample = ({ map }: OpenRaster<RasterSpec, Uint8Array>) => sampleLattice(reader, map, frame, within);
          const forest = mask === null ? null : await sample(mask);
          const lost = loss === null ? null : await sample(loss);
          if (forest !== null && cut !== undefined)
            takeOff(forest, cut, cut === loss && lost !== null ? lost : await sample(cut));
          const years = loss === null || lost === null ? null : sinceCutOff(loss, lost);
          failures = 0;
          return picture(frame, forest, years, nameOf(baseline), nameOf(measured));
        });
      } catch (error) {
        signal.throwIfAborted();
        // A plot of many pixels is no failure of whoever holds them.
        if (error instanceof RangeError) return null;
        failures++;
        report('pictures of the audit trail', error);
        return null;
      }
    },
    async [Symbol.asyncDispose]() {
      await (await opened?.catch(() => null))?.reader.tiles.close();
    },
  };
}

/** The map that a plot was measured on; undefined where the catalogue holds another version by now. */
function same<S extends RasterSpec>(
  maps: readonly OpenRaster<S, Uint8Array>[],
  { dataset, version }: DatasetUse,
): OpenRaster<S, Uint8Array> | undefined {
  return maps.find(({ spec }) => isOf(spec, dataset) && spec.dataset.version === version);
}

function isOf({ dataset }: RasterSpec, id: string | null): boolean {
  return dataset.dataset === id;
}

function nameOf(measured: { readonly status: string } | undefined): string | null {
  const { dataset, version } = (measured ?? {}) as Partial<DatasetUse>;
  return dataset === undefined ? null : `${dataset} ${version}`;
}

/** The calendar year of a loss by its class; 0 where none is known. */
function yearsByClass({ spec }: Loss): Uint16Array {
  return Uint16Array.from({ length: 256 }, (_, one) =>
    one === NOT_LOST || one === NO_CLASS ? 0 : spec.years[0] + one - 1,
  );
}

/** A map of an earlier year is that of 2020 less what was lost up to then. */
function takeOff(forest: Uint8Array, loss: Loss, classes: Uint8Array): void {
  const isBefore = Uint8Array.from(yearsByClass(loss), (year) => (year > 0 && year <= CUT_OFF_YEAR ? 1 : 0));
  for (let i = 0; i < forest.length; i++) if (forest[i] === FOREST && isBefore[classes[i]] === 1) forest[i] = 0;
}

/** Calendar years of losses after 2020; 0 elsewhere. */
function sinceCutOff(loss: Loss, classes: Uint8Array): Uint16Array {
  const years = yearsByClass(loss).map((year) => (year > CUT_OFF_YEAR ? year : 0));
  const out = new Uint16Array(classes.length);
  for (let i = 0; i < out.length; i++) out[i] = years[classes[i]];
  return out;
}

function picture(
  { columns, rows }: { readonly columns: number; readonly rows: number },
  forest: Uint8Array | null,
  years: Uint16Array | null,
  baselineDataset: string | null,
  lossDataset: string | null,
): MapPixels {
  return {
    columns,
    rows,
    baseline: forest ?? new Uint8Array(columns * rows).fill(NO_CLASS),
    lossYears: years ?? new Uint16Array(columns * rows),
    baselineDataset,
    lossDataset,
  };
}
