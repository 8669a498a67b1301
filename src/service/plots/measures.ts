import type { Baseline, Losses, Measured, PlotStatistics } from '../../collections/plot-record.ts';
import { measureBaseline, measureLosses, noData, unknown } from '../../collections/statistics/assemble-statistics.ts';
import { withDeadline } from '../../in-time.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';
import { FOREST, NOT_LOST } from '../../readers/rasters/encode-row.ts';
import { isFinerThan, type RasterReader } from '../../readers/rasters/raster-map.ts';
import {
  measureClasses,
  measureClassesAndWithin,
  measureClassesWithin,
} from '../../readers/rasters/measure-rasters.ts';
import type { ForestMaskSpec, LossYearSpec } from '../../readers/rasters/raster-spec.ts';
import { pass, plotsIn, type PassResult, type ReportFailure } from './passes.ts';
import type { OpenRaster, PlotRasters } from './rasters.ts';
import { CUT_OFF } from '../../monitoring-days.ts';

type Mask = OpenRaster<ForestMaskSpec, Uint8Array>;
type LossRaster = OpenRaster<LossYearSpec, Uint8Array>;

/** What all passes over the same plots share. */
export interface PassOver {
  readonly reader: RasterReader;
  readonly grounds: readonly PlotGround[];
  readonly signal: AbortSignal;
  readonly report: ReportFailure;
}

/** What is known of the forest of a plot. */
type ForestStatistics = Pick<PlotStatistics, 'baseline' | 'losses'>;

/** Why nothing is known of a plot that lies in no dataset. */
export const NOT_COVERED = 'no dataset covers the plot';
const CUT_OFF_YEAR = Number(CUT_OFF.slice(0, 4));

/**
 * Baseline and losses of each plot. The first mask with data on a plot is its baseline; every dataset of losses is measured, and
 * where a plot has both forest and losses, the losses inside that forest. Ground of the sample district is made up, and real
 * datasets are not queried for it.
 */
export async function measureForest({ masks, losses }: PlotRasters, over: PassOver): Promise<ForestStatistics[]> {
  const baselines = await measureBaselines(masks, over);
  const lost: MeasuredLoss[] = [];
  let plots = over.grounds.map((_, plot) => plot);
  for (const loss of losses) {
    const one = await measureLoss(loss, plots, baselines, over);
    lost.push(one);
    if (loss.spec.dataset.synthetic) plots = plots.filter((plot) => !hasData(one.results.get(plot)));
  }
  return over.grounds.map((ground, plot) => {
    const cut = baselineOf(baselines[plot], plot, ground, lost);
    const measured = lost.flatMap((one) => {
      const result = one.results.get(plot);
      return result === undefined ? [] : [lossesOf(one.loss, result, one.inside.get(plot), cut, ground)];
    });
    return { baseline: cut.baseline, losses: measured.length > 0 ? measured : [unknown(NOT_COVERED)] };
  });
}

/** The mask a plot is measured against, with its sums by class, or why there is none. */
type FoundBaseline = { readonly mask: Mask; readonly sums: Float64Array } | { readonly failed: string };

async function measureBaselines(masks: readonly Mask[], over: PassOver): Promise<FoundBaseline[]> {
  const found: FoundBaseline[] = over.grounds.map(() => ({ failed: NOT_COVERED }));
  let open = over.grounds.map((_, plot) => plot);
  for (const mask of masks) {
    const results = await classesOf(mask, over, open);
    const settled = new Set<number>();
    for (const [plot, result] of results) {
      if ('failed' in result) found[plot] = result;
      else if (knownHa(result.sums) > 0) found[plot] = { mask, sums: result.sums };
      else {
        found[plot] = { failed: noData(mask.spec.dataset).reason };
        continue;
      }
      settled.add(plot);
    }
    open = open.filter((plot) => !settled.has(plot));
  }
  return found;
}

function classesOf(
  { spec, map }: Mask | LossRaster,
  { reader, grounds, signal, report }: PassOver,
  plots: readonly number[] = grounds.map((_, plot) => plot),
): Promise<Map<number, PassResult>> {
  return pass(spec, grounds, plotsIn(spec, grounds, plots), signal, report, (some, inner) =>
    measureClasses(reader, map, some, inner),
  );
}

/** What a dataset of losses says of each plot it reaches: by class, and by class inside the plot's baseline forest. */
interface MeasuredLoss {
  readonly loss: LossRaster;
  readonly results: ReadonlyMap<number, PassResult>;
  /** Of the plots whose baseline is known. */
  readonly inside: ReadonlyMap<number, PassResult>;
}

async function measureLoss(
  loss: LossRaster,
  plots: readonly number[],
  baselines: readonly FoundBaseline[],
  over: PassOver,
): Promise<MeasuredLoss> {
  const { reader, grounds, signal, report } = over;
  const results = new Map<number, PassResult>();
  const inside = new Map<number, PassResult>();
  const nothing = new Float64Array(loss.map.layer.encoding.classes);
  const queried = plotsIn(loss.spec, grounds, plots);
  const byMask = Map.groupBy(queried, (plot) => maskOf(baselines[plot]));
  const coarser: { readonly mask: Mask; readonly plots: readonly number[] }[] = [];
  for (const [mask, plots] of byMask) {
    if (mask === null) continue;
    const some = plots.map((plot) => grounds[plot]);
    const isFiner = await withDeadline(signal, loss.spec.deadlineMs, (inTime) =>
      isFinerThan(reader, loss.map, mask.map, some, inTime),
    ).catch(() => true);
    signal.throwIfAborted();
    if (isFiner) {
      const both = await pass(loss.spec, grounds, plots, signal, report, (part, inner) =>
        measureClassesAndWithin(reader, loss.map, mask.map, FOREST, part, inner),
      );
      for (const [plot, result] of both) {
        // Whichever of the two failed, losses alone may be known.
        if ('failed' in result) inside.set(plot, result);
        else {
          const { classes } = loss.map.layer.encoding;
          results.set(plot, { sums: result.sums.subarray(0, classes) });
          inside.set(plot, { sums: result.sums.subarray(classes) });
        }
      }
    } else coarser.push({ mask, plots });
  }
  const alone = queried.filter((plot) => !results.has(plot));
  for (const [plot, result] of await classesOf(loss, over, alone)) results.set(plot, result);
  for (const { mask, plots } of coarser) {
    const withLosses = plots.filter((plot) => hasLosses(results.get(plot)));
    const part = await pass(loss.spec, grounds, withLosses, signal, report, (some, inner) =>
      measureClassesWithin(reader, loss.map, mask.map, FOREST, some, inner),
    );
    for (const [plot, result] of part) inside.set(plot, result);
  }
  for (const plot of queried)
    if (!('failed' in baselines[plot]) && !inside.has(plot)) inside.set(plot, { sums: nothing });
  return { loss, results, inside };
}

/** The mask by which a plot has forest; null where it has none, or its baseline is unknown. */
function maskOf(baseline: FoundBaseline): Mask | null {
  return 'failed' in baseline || baseline.sums[FOREST] === 0 ? null : baseline.mask;
}

function hasData(result: PassResult | undefined): boolean {
  return result !== undefined && 'sums' in result && knownHa(result.sums) > 0;
}

function hasLosses(result: PassResult | undefined): boolean {
  return result !== undefined && 'sums' in result && lostHa(result.sums) > 0;
}

/** The baseline of a plot, and which losses are older than it. */
interface CutBaseline {
  readonly baseline: Measured<Baseline>;
  /** The dataset whose losses up to 2020 the baseline is less, and so has none of. */
  readonly lessLossOf: string | null;
}

function baselineOf(
  found: FoundBaseline,
  plot: number,
  { areaHa }: PlotGround,
  lost: readonly MeasuredLoss[],
): CutBaseline {
  if ('failed' in found) return { baseline: unknown(found.failed), lessLossOf: null };
  const { spec } = found.mask;
  const covered = { use: spec.dataset, knownHa: knownHa(found.sums), areaHa };
  const forestHa = found.sums[FOREST];
  if (spec.lessLossOf === null) return { baseline: measureBaseline(covered, forestHa), lessLossOf: null };
  const older = lost.find(({ loss }) => loss.spec.dataset.dataset === spec.lessLossOf);
  // Without losses of its own a dataset does not know of those inside either.
  const result = older?.results.get(plot) && older.inside.get(plot);
  if (older === undefined || result === undefined || 'failed' in result) {
    const why = result !== undefined && 'failed' in result ? result.failed : `${spec.lessLossOf} has no data`;
    return { baseline: unknown(`${why}, which losses up to ${CUT_OFF_YEAR} to take off`), lessLossOf: null };
  }
  const [first] = older.loss.spec.years;
  let before = 0;
  for (let year = first; year <= CUT_OFF_YEAR; year++) before += result.sums[year - first + 1];
  return { baseline: measureBaseline(covered, forestHa - before), lessLossOf: spec.lessLossOf };
}

function lossesOf(
  { spec }: LossRaster,
  result: PassResult,
  inside: PassResult | undefined,
  { baseline, lessLossOf }: CutBaseline,
  { areaHa }: PlotGround,
): Measured<Losses> {
  if ('failed' in result) return unknown(result.failed);
  const { dataset, years } = spec;
  const isInsideKnown = baseline.status === 'measured' && inside !== undefined && 'sums' in inside;
  const inBaseline = isInsideKnown ? inside.sums.slice() : null;
  // What was lost before the baseline is not in it.
  if (inBaseline !== null && lessLossOf === dataset.dataset)
    for (let year = years[0]; year <= CUT_OFF_YEAR; year++) inBaseline[year - years[0] + 1] = 0;
  const covered = { use: dataset, knownHa: knownHa(result.sums), areaHa };
  return measureLosses(covered, { byClass: result.sums, inBaseline, years });
}

/** Hectares that have a class. */
function knownHa(sums: Float64Array): number {
  let known = 0;
  for (let i = 0; i < sums.length; i++) known += sums[i];
  return known;
}

function lostHa(sums: Float64Array): number {
  return knownHa(sums) - sums[NOT_LOST];
}
