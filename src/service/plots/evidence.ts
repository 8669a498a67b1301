import { noData } from '../../collections/statistics/assemble-statistics.ts';
import { round } from '../../geo/round.ts';
import { withDeadline } from '../../in-time.ts';
import { CUT_OFF } from '../../monitoring-days.ts';
import type { ContractWord, Evidence, EvidenceSource } from '../../plots/evidence.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { isFinerThan } from '../../readers/rasters/raster-map.ts';
import { measureLayers } from '../../readers/rasters/measure-layers.ts';
import { measureClassesAndWithin, measureClassesWithin } from '../../readers/rasters/measure-rasters.ts';
import { measureAlerts, type AlertLayer, type AlertsFound } from './alerts.ts';
import type { PassOver } from './measures.ts';
import { pass, passes, plotsIn, type PassResult } from './passes.ts';
import type { PlotRasters } from './rasters.ts';
import { sourcesOf, type VoteLayer } from './vote-layers.ts';

type LossRaster = PlotRasters['losses'][number];

/** What evidence is gathered with. */
export interface EvidenceParts {
  readonly layers: readonly VoteLayer[];
  readonly losses: PlotRasters['losses'];
  readonly alerts: readonly AlertLayer[];
  /** What is known of the contract of a dataset. */
  readonly contractOf: (dataset: Dataset) => Promise<ContractWord>;
}

const CUT_OFF_YEAR = Number(CUT_OFF.slice(0, 4));

/**
 * What every layer that reaches a plot has on it, in the order of the catalogue. Ground that synthetic layers know is made up,
 * and real ones are not read for it.
 */
export async function measureEvidence(
  { layers, losses, alerts, contractOf }: EvidenceParts,
  over: PassOver,
): Promise<Evidence[][]> {
  const found = new Map<VoteLayer, ReadonlyMap<number, PassResult>>();
  let plots = over.grounds.map((_, plot) => plot);
  const [synthetic, real] = [true, false].map((kind) => layers.filter(({ entry }) => entry.synthetic === kind));
  let onRealGround = plots;
  for (const some of [synthetic, real]) {
    onRealGround = plots;
    for (const group of Map.groupBy(some, ({ origin }) => origin).values())
      for (const [layer, results] of await measureGroup(group, plots, over)) {
        const less = await withoutOlderLosses(layer, losses, results, over);
        found.set(layer, less);
      }
    const known = some.map((layer) => found.get(layer));
    plots = plots.filter((plot) => !known.some((results) => hasData(results?.get(plot))));
  }
  const out: Evidence[][] = over.grounds.map(() => []);
  for (const layer of layers) {
    const sources = sourcesOf(layer, await contractOf(layer.entry));
    for (const [plot, result] of found.get(layer) ?? [])
      out[plot].push(...sources.map((source, rule) => evidenceOf(source, rule, result, over.grounds[plot].areaHa)));
  }
  for (const layer of alerts) {
    const found = await measureAlerts(layer, onRealGround, over);
    const source = alertSource(layer, await contractOf(layer.entry));
    for (const [plot, result] of found) out[plot].push(alertEvidence(source, result, over.grounds[plot].areaHa));
  }
  return out;
}

function alertSource({ entry: { id, version, date, synthetic } }: AlertLayer, contract: ContractWord): EvidenceSource {
  return { indicator: 'disturbance_after_2020', dataset: id, version, date, synthetic, contract };
}

function alertEvidence(source: EvidenceSource, found: AlertsFound, areaHa: number): Evidence {
  if ('failed' in found) return { ...source, reason: found.failed };
  const { yesHa, coveredHa, alerts } = found;
  return { ...source, yesHa: round(yesHa, 6), coveredShare: Math.min(1, round(coveredHa / areaHa, 4)), alerts };
}

/** Layers of one host, read together for the plots that any of them reaches. */
async function measureGroup(
  group: readonly VoteLayer[],
  plots: readonly number[],
  { reader, grounds, signal, report }: PassOver,
): Promise<readonly (readonly [VoteLayer, Map<number, PassResult>])[]> {
  const queried = group.map(({ spec }) => plotsIn(spec, grounds, plots));
  const results = await passes(
    group.map(({ spec }) => spec),
    grounds,
    queried,
    signal,
    report,
    (some, inner) =>
      measureLayers(
        reader,
        group.map(({ map }) => map),
        some,
        inner,
      ),
  );
  return group.map((layer, i) => [layer, results[i]] as const);
}

/** The tree cover of an earlier year less what was lost of it up to 2020. */
async function withoutOlderLosses(
  { spec, map }: VoteLayer,
  losses: readonly LossRaster[],
  results: Map<number, PassResult>,
  { reader, grounds, signal, report }: PassOver,
): Promise<Map<number, PassResult>> {
  const loss = losses.find((one) => one.spec.dataset.dataset === spec.lessLossOf);
  if (loss === undefined) return results;
  const wooded = [...results].filter(([, result]) => 'sums' in result && result.sums[1] > 0).map(([plot]) => plot);
  if (wooded.length === 0) return results;
  const { classes } = loss.map.layer.encoding;
  const some = wooded.map((plot) => grounds[plot]);
  const isFiner = await withDeadline(signal, spec.deadlineMs, (inTime) =>
    isFinerThan(reader, loss.map, map, some, inTime),
  ).catch(() => true);
  signal.throwIfAborted();
  const inside = await pass(loss.spec, grounds, wooded, signal, report, (part, inner) =>
    isFiner
      ? measureClassesAndWithin(reader, loss.map, map, 1, part, inner)
      : measureClassesWithin(reader, loss.map, map, 1, part, inner),
  );
  const [first] = loss.spec.years;
  const out = new Map(results);
  for (const [plot, result] of inside) {
    if ('failed' in result) {
      out.set(plot, result);
      continue;
    }
    const sums = isFiner ? result.sums.subarray(classes) : result.sums;
    let older = 0;
    for (let year = first; year <= CUT_OFF_YEAR; year++) older += sums[year - first + 1];
    const own = (results.get(plot) as { readonly sums: Float64Array }).sums;
    out.set(plot, { sums: Float64Array.of(own[0] + older, Math.max(0, own[1] - older)) });
  }
  return out;
}

/** Hectares of the classes whose bit of the rule is set, of those that are known. */
function evidenceOf(
  source: ReturnType<typeof sourcesOf>[number],
  rule: number,
  result: PassResult,
  areaHa: number,
): Evidence {
  if ('failed' in result) return { ...source, reason: result.failed };
  let [yes, known] = [0, 0];
  result.sums.forEach((hectares, bits) => {
    known += hectares;
    if ((bits >> rule) % 2 === 1) yes += hectares;
  });
  const covered = Math.min(1, round(known / areaHa, 4));
  if (covered === 0) return { ...source, reason: noData(source).reason };
  return { ...source, yesHa: round(yes, 6), coveredShare: covered };
}

function hasData(result: PassResult | undefined): boolean {
  return result !== undefined && 'sums' in result && result.sums.some((hectares) => hectares > 0);
}
