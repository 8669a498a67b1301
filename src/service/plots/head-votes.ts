import { setImmediate } from 'node:timers/promises';
import { firstAnswer, type SourceFailure } from '../../first-answer.ts';
import { describeFailure } from '../../forest/warnings.ts';
import { createEvaluator, type Evaluator } from '../../geo/detection/evaluate.ts';
import { wilsonInterval } from '../../geo/detection/share.ts';
import { round } from '../../geo/round.ts';
import { BANDS } from '../../geo/segmentation/grid.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';
import { CUT_OFF } from '../../monitoring-days.ts';
import { cropGroupOf } from '../../plots/crop-groups.ts';
import type { Evidence, EvidenceSource } from '../../plots/evidence.ts';
import { INDICATOR_RULES, VOTE_THRESHOLDS } from '../../plots/indicators.ts';
import type { EmbeddingRaster, EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { headNumbers, headsFor } from '../detection/heads.ts';
import { placeOfYear } from '../forest/place-of-year.ts';
import { installedHeads, type InstalledHead } from '../models/installed-models.ts';
import type { EmbeddingSources } from './embedding-sources.ts';
import type { EvidenceParts } from './evidence.ts';
import type { ReportFailure } from './passes.ts';
import { reaches } from './rasters.ts';
import { visitCodes } from './visit-codes.ts';

/** Votes of the installed detection heads on what grew on a plot in 2020. */
export interface HeadVotes {
  /**
   * The evidence of each plot: of every head of a commodity that has a crop group and knows the ground, on the first embeddings
   * of 2020 that reach the plot; none where there are none. `known` is what other layers have: made-up ground is for
   * heads over made-up embeddings alone, and real ground for the others. A failure is unknown, with the reason; rejects only
   * when `signal` aborts.
   */
  measure(
    grounds: readonly PlotGround[],
    known: readonly (readonly Evidence[])[],
    signal: AbortSignal,
  ): Promise<Evidence[][]>;
}

interface HeadVoteParts {
  readonly config: { readonly dataDir: string };
  readonly sources: EmbeddingSources;
  readonly contractOf: EvidenceParts['contractOf'];
  readonly report: ReportFailure;
  /** Milliseconds for one plot on one dataset of embeddings; default 20,000. */
  readonly deadlineMs?: number;
}

/** The year whose embeddings are requested: that of the cut-off. */
export const HEAD_YEAR = Number(CUT_OFF.slice(0, 4));
/**
 * Pixels of the windows of a plot up to which each is evaluated: 41 ha of 10 m, which take a published head 0.1 to 0.3 s. Of a
 * larger plot every n-th row and column is.
 */
export const MOST_HEAD_PIXELS = 4096;
/** Hectares of the largest plot that heads look at: its embeddings take 64 MB. */
export const LARGEST_HEAD_HA = 10_000;
const DEADLINE_MS = 20_000;
/** Plots in a row on which a dataset may fail; those after them in the same pass fail at once. */
const MOST_FAILURES = 3;
/** Pixels that are evaluated at a time. */
const CHUNK = 1024;
const INDICATOR = 'commodities_2020';

/** Opens nothing; heads are listed once in each pass, so that one that was installed since votes too. */
export function headVotes({ config, sources, contractOf, report, deadlineMs = DEADLINE_MS }: HeadVoteParts): HeadVotes {
  const evaluators = new Map<string, { readonly key: string; readonly opened: Promise<Evaluator> }>();

  function evaluatorOf(head: InstalledHead): Promise<Evaluator> {
    const { sha256, training } = head.about;
    const key = `${sha256} ${training?.trained_at ?? ''}`;
    const kept = evaluators.get(head.id);
    if (kept?.key === key) return kept.opened;
    const opened = headNumbers(head).then(createEvaluator);
    evaluators.set(head.id, { key, opened });
    opened.catch(() => evaluators.delete(head.id));
    return opened;
  }

  /** What one head found on a raster, or why it found nothing. */
  async function look(head: InstalledHead, pixels: PlotPixels, source: EvidenceSource, ground: PlotGround) {
    if (!knowsAll(head, ground))
      return { ...source, reason: `The plot reaches beyond the ground that ${head.id} knows` };
    try {
      return evidenceOf(source, head, pixels, await evaluatorOf(head), ground);
    } catch (error) {
      report(head.id, error);
      return { ...source, reason: `${head.id}: ${describeFailure(error)}` };
    }
  }

  async function measureOne(ground: PlotGround, isSynthetic: boolean | null, pass: Pass): Promise<Evidence[]> {
    const [lon, lat] = middleOf(ground);
    const headsOn = (source: EmbeddingSource): readonly InstalledHead[] =>
      pass.commodities.flatMap((crop) => headsFor(pass.heads, crop, [lon, lat], source.dataset.synthetic));
    const isFit = (source: EmbeddingSource): boolean =>
      (isSynthetic ?? source.dataset.synthetic) === source.dataset.synthetic &&
      reaches(source.dataset.coverage, ground) &&
      headsOn(source).length > 0;
    const failures: SourceFailure<EmbeddingSource>[] = [];
    const found = await firstAnswer(
      pass.embeddings.filter(isFit),
      (source) =>
        pass.onSource(source, async (): Promise<Evidence[] | null> => {
          const inTime = AbortSignal.any([pass.signal, AbortSignal.timeout(deadlineMs)]);
          const raster = await rasterOfYear(source, ground, inTime);
          if (raster === null) return null;
          const about = await aboutOf(source, contractOf);
          if (ground.areaHa > LARGEST_HEAD_HA)
            return headsOn(source).map((head) => ({
              ...about(head),
              reason: `${head.id}: plots above ${LARGEST_HEAD_HA} hectares are not looked at`,
            }));
          const pixels = await readPixels(ground, raster, inTime);
          const evidence: Evidence[] = [];
          for (const head of headsOn(source)) {
            // A thread that computes hears of no abort.
            await setImmediate();
            inTime.throwIfAborted();
            evidence.push(await look(head, pixels, about(head), ground));
          }
          return evidence;
        }),
      { failures, signal: pass.signal },
    );
    if (found !== null || failures.length === 0) return found ?? [];
    // Whoever could not be read may have covered the plot.
    const [{ source, error }] = failures;
    const about = await aboutOf(source, contractOf);
    const reason = `${source.dataset.id}: ${describeFailure(error)}`;
    return headsOn(source).map((head) => ({ ...about(head), reason }));
  }

  return {
    async measure(grounds, known, signal) {
      const none = grounds.map((): Evidence[] => []);
      if (!sources.hasAny) return none;
      const heads = (await installedHeads(config)).filter(({ about }) => cropGroupOf(about.commodity) !== null);
      if (heads.length === 0) return none;
      const commodities = [...new Set(heads.flatMap(({ about }) => about.commodity ?? []))];
      const embeddings = await sources.open();
      const pass: Pass = { heads, commodities, embeddings, signal, onSource: patiently(report, signal) };
      const out: Evidence[][] = [];
      for (const [i, ground] of grounds.entries()) {
        signal.throwIfAborted();
        out.push(await measureOne(ground, isMadeUp(known[i]), pass));
      }
      return out;
    },
  };
}

/** What the evidence of each head says of where it comes from. */
async function aboutOf(
  { dataset }: EmbeddingSource,
  contractOf: HeadVoteParts['contractOf'],
): Promise<(head: InstalledHead) => EvidenceSource> {
  const contract = await contractOf(dataset);
  return ({ id, about: { version, commodity } }) => ({
    indicator: INDICATOR,
    dataset: id,
    version,
    date: String(HEAD_YEAR),
    synthetic: dataset.synthetic,
    contract,
    ...(commodity === null ? {} : { commodity }),
    embeddings: { dataset: dataset.id, version: dataset.version, year: HEAD_YEAR },
  });
}

/** What all plots of a pass share. */
interface Pass {
  readonly heads: readonly InstalledHead[];
  readonly commodities: readonly string[];
  readonly embeddings: readonly EmbeddingSource[];
  readonly signal: AbortSignal;
  readonly onSource: <T>(source: EmbeddingSource, query: () => Promise<T>) => Promise<T>;
}

/** Queries sources; one that failed on several plots in a row is not queried again in the pass: its last error stands. */
function patiently(report: ReportFailure, signal: AbortSignal): Pass['onSource'] {
  const failed = new Map<EmbeddingSource, { readonly times: number; readonly error: unknown }>();
  return async (source, query) => {
    const before = failed.get(source);
    if (before !== undefined && before.times >= MOST_FAILURES) throw before.error;
    try {
      const answer = await query();
      failed.delete(source);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (before === undefined) report(source.dataset.id, error);
      failed.set(source, { times: (before?.times ?? 0) + 1, error });
      throw error;
    }
  };
}

/** Whether what other layers know of a plot is made up; null: they know nothing. */
function isMadeUp(known: readonly Evidence[] = []): boolean | null {
  const measured = known.filter((one) => 'yesHa' in one);
  return measured.length === 0 ? null : measured.some(({ synthetic }) => synthetic);
}

function middleOf({ parts: [{ bbox }] }: PlotGround): readonly [lon: number, lat: number] {
  return [(bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2];
}

const WORLD: Bbox = [-Infinity, -Infinity, Infinity, Infinity];

/** Whether a head knows all of the ground: its latitudes, and the box it was fitted in. */
function knowsAll({ about }: InstalledHead, { parts }: PlotGround): boolean {
  const { latitude, bbox: [west, south, east, north] = WORLD } = about;
  return parts.every(
    ({ bbox: [w, s, e, n] }) =>
      w >= west && e <= east && s >= Math.max(south, -latitude) && n <= Math.min(north, latitude),
  );
}

/** The raster of 2020 that holds the middle of a plot, else one that reaches it; null: there is none. */
async function rasterOfYear(
  source: EmbeddingSource,
  ground: PlotGround,
  signal: AbortSignal,
): Promise<EmbeddingRaster | null> {
  const place = await placeOfYear(source, ...middleOf(ground), HEAD_YEAR, signal);
  const [first] = place === null ? await source.rasters(boxOf(ground), HEAD_YEAR, signal) : [place.raster];
  return first?.year === HEAD_YEAR ? first : null;
}

function boxOf({ parts }: PlotGround): Bbox {
  const boxes = parts.map(({ bbox }) => bbox);
  return [
    Math.min(...boxes.map(([west]) => west)),
    Math.min(...boxes.map(([, south]) => south)),
    Math.max(...boxes.map(([, , east]) => east)),
    Math.max(...boxes.map(([, , , north]) => north)),
  ];
}

/** Codes of pixels of a plot, 64 each, and the hectares each stands for. */
interface PlotPixels {
  readonly codes: Int8Array;
  readonly hectares: Float64Array;
  /** Whether they are all there are. */
  readonly isComplete: boolean;
}

async function readPixels(ground: PlotGround, raster: EmbeddingRaster, signal: AbortSignal): Promise<PlotPixels> {
  let codes = new Int8Array(CHUNK * BANDS);
  const hectares: number[] = [];
  const step = await visitCodes(ground.parts, raster, MOST_HEAD_PIXELS, signal, (row, at, own) => {
    const to = hectares.length * BANDS;
    if (to === codes.length) {
      const longer = new Int8Array(2 * codes.length);
      longer.set(codes);
      codes = longer;
    }
    codes.set(row.subarray(at, at + BANDS), to);
    hectares.push(own);
  });
  return {
    codes: codes.subarray(0, hectares.length * BANDS),
    hectares: Float64Array.from(hectares),
    isComplete: step === 1,
  };
}

/** The hectares that a head claims, of those that have data. */
function evidenceOf(
  source: EvidenceSource,
  { id, about: { threshold } }: InstalledHead,
  { codes, hectares, isComplete }: PlotPixels,
  evaluator: Evaluator,
  { areaHa, kind }: PlotGround,
): Evidence {
  let [yes, known, all, pixels] = [0, 0, 0, 0];
  evaluator.evaluate(codes).forEach((probability, i) => {
    all += hectares[i];
    if (Number.isNaN(probability)) return;
    pixels++;
    known += hectares[i];
    if (probability >= threshold) yes += hectares[i];
  });
  if (pixels === 0) return { ...source, reason: `${source.embeddings?.dataset} has no data of ${HEAD_YEAR} there` };
  const covered = known / all;
  if (!isComplete) {
    const [low, high] = wilsonInterval({ n: pixels, share: yes / known });
    const { yesAbove, noUpTo } = VOTE_THRESHOLDS[kind][INDICATOR_RULES[INDICATOR].direction];
    const isProven = low * covered > yesAbove || high * covered + 1 - covered <= noUpTo;
    if (!isProven)
      return {
        ...source,
        reason: `${id} finds between ${percent(low)} and ${percent(high)} by ${pixels} sampled pixels, which does not settle it`,
      };
  }
  return { ...source, yesHa: round((yes / all) * areaHa, 6), coveredShare: Math.min(1, round(covered, 4)) };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
