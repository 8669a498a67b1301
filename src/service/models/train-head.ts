import { networkOf } from '../../geo/detection/logistic-head.ts';
import { calibrated, calibratedHead, calibrationError, fitPlatt } from '../../geo/detection/calibrate-platt.ts';
import { tuneLogistic, type TunedHead } from '../../geo/detection/tune-logistic.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { HeadMeta } from '../../readers/models/head-pack.ts';
import type { TrainingReceipt } from '../../readers/models/training-receipt.ts';
import type { EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { writeHead, type DataFolder } from './installed-models.ts';
import type { TrainingLabels } from './training-labels.ts';
import { trainingPixels, type TrainingPixels } from './training-pixels.ts';
import type { LabelColumns } from './training-point.ts';
import { TrainingRefused, TRAINING_RULES } from './training-rules.ts';
import { foldsOf, trainingScores } from './training-scores.ts';
import { round } from '../../geo/round.ts';

const { poor } = TRAINING_RULES;

export interface TrainingRequest {
  readonly labels: TrainingLabels;
  readonly columns: LabelColumns;
  /** Id of the head. */
  readonly name: string;
  /** What the head answers for: a commodity, `plantation` or `built-up`; null: it is stored, and not used. */
  readonly commodity: string | null;
  readonly blockDegrees: number;
  readonly licence: string;
  readonly attribution: string;
  readonly now: Date;
}

interface TrainingProgress {
  /** Called with labels whose embeddings have been read. */
  readonly onRead?: (done: number) => void;
  /** Called with the parts of the work as they begin. */
  readonly onStep?: (text: string) => void;
}

/**
 * Fits a logistic head on labelled points, evaluates it on ground it has not seen, and stores it with a receipt of both.
 * @throws TrainingRefused when the labels are too few, too close together, or carry no signal; nothing is stored then.
 */
export async function trainHead(
  config: DataFolder,
  request: TrainingRequest,
  sources: readonly EmbeddingSource[],
  signal: AbortSignal,
  { onRead = () => {}, onStep = () => {} }: TrainingProgress = {},
): Promise<TrainingReceipt & { readonly threshold: number }> {
  const { labels, blockDegrees } = request;
  const data = await trainingPixels(labels.points, sources, signal, onRead);
  const laidOut = foldsOf(data, blockDegrees);
  const pause = async (): Promise<void> => {
    signal.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  };
  onStep(`${data.pixels.labels.length} pixels in ${laidOut.blockCount} blocks; fitting and evaluating`);
  const scores = await trainingScores(data, laidOut, blockDegrees, pause);
  if (!(scores.auc >= TRAINING_RULES.refusedArea))
    throw new TrainingRefused(
      `the labels show nothing that embeddings contain: on ground it has not seen the head has an area under the curve of ${scores.auc}; wanted ${TRAINING_RULES.refusedArea}, and 0.5 is a guess`,
    );
  const rows = Int32Array.from(data.pixels.labels, (_, row) => row);
  const tuned = await tuneLogistic(data.pixels, rows, laidOut.folds, pause);
  const { strength } = tuned;
  const { head, threshold, calibration } = calibrate(tuned);
  const counted = countsOf(request, data);
  const receipt: TrainingReceipt = {
    labels: counted,
    embeddings: data.embeddings,
    years: data.years,
    blocks: { degrees: blockDegrees, count: laidOut.blockCount },
    strength,
    scores,
    calibration,
    warnings: trainingWarnings({ labels: counted, scores, years: data.years }, data.synthetic),
    trained_at: request.now.toISOString(),
  };
  signal.throwIfAborted();
  await writeHead(config, request.name, networkOf(head), aboutOf(request, data, receipt, threshold));
  return { ...receipt, threshold };
}

/**
 * A head whose probabilities are what they say. Where they are not, on labels it had not seen, Platt's calibration is put
 * into its weights and its threshold: what it claims stays the same.
 */
function calibrate({ head, threshold, leftOut: { scores, labels } }: TunedHead) {
  const error = calibrationError(scores, labels);
  const platt = fitPlatt(scores, labels);
  const turned = calibrationError(
    scores.map((score) => calibrated(score, platt)),
    labels,
  );
  const isBad = error > TRAINING_RULES.mostCalibrationError && turned < error && platt.slope > 0;
  if (!isBad) return { head, threshold, calibration: { method: null, error: round(error, 4) } };
  return {
    head: calibratedHead(head, platt),
    threshold: Number(calibrated(threshold, platt).toPrecision(6)),
    calibration: { method: 'platt' as const, error: round(turned, 4), error_before: round(error, 4) },
  };
}

function aboutOf(
  { name, commodity, licence, attribution, blockDegrees, labels, now }: TrainingRequest,
  data: TrainingPixels,
  training: TrainingReceipt,
  threshold: number,
): HeadMeta {
  const { auc, f1 } = training.scores;
  return {
    model: name,
    version: `${now.toISOString().slice(0, 10)}-${labels.sha256.slice(0, 8)}`,
    commodity,
    licence,
    attribution,
    threshold,
    thresholdSource: `highest F1 on labels left out; area under the curve ${auc}, F1 ${f1} on ground it had not seen`,
    latitude: 90,
    bbox: groundOf(data.lonLats, blockDegrees),
    sha256: labels.sha256,
    from: labels.file,
    training,
    ...(data.synthetic ? { synthetic: true as const } : {}),
  };
}

/** The box around the labels, wider by a block: what a head says beyond it would be a guess. */
function groundOf(lonLats: Float64Array, margin: number): Bbox {
  const [lons, lats] = [0, 1].map((first) => lonLats.filter((_, i) => i % 2 === first));
  const [west, east] = [lons.reduce((a, b) => Math.min(a, b)), lons.reduce((a, b) => Math.max(a, b))];
  const [south, north] = [lats.reduce((a, b) => Math.min(a, b)), lats.reduce((a, b) => Math.max(a, b))];
  return [
    Math.max(-180, west - margin),
    Math.max(-90, south - margin),
    Math.min(180, east + margin),
    Math.min(90, north + margin),
  ];
}

function countsOf({ labels, columns }: TrainingRequest, data: TrainingPixels): TrainingReceipt['labels'] {
  const positive = data.pixels.labels.reduce((sum, label) => sum + label, 0);
  return {
    file: labels.file,
    sha256: labels.sha256,
    rows: labels.points.length,
    positive,
    negative: data.pixels.labels.length - positive,
    duplicates: data.duplicates,
    contradictions: data.contradictions,
    without_embeddings: data.withoutEmbeddings,
    column: columns.label,
    positive_class: columns.positive,
  };
}

/** What whoever uses a trained head has to know, in sentences; empty when nothing is amiss. */
function trainingWarnings(
  { labels, scores, years }: Pick<TrainingReceipt, 'labels' | 'scores' | 'years'>,
  synthetic: boolean,
): readonly string[] {
  const warnings: string[] = [];
  if (scores.auc < poor.area)
    warnings.push(
      `Poor: an area under the curve of ${scores.auc} on ground it has not seen; from ${poor.area} on a head is of use.`,
    );
  if (scores.f1 < poor.f1) warnings.push(`Poor: F1 ${scores.f1} on ground it has not seen, below ${poor.f1}.`);
  if (scores.precision < poor.precision)
    warnings.push(`Poor: more than half of what it claims is something else (precision ${scores.precision}).`);
  for (const { name, auc, f1 } of scores.regions)
    if ((auc ?? 0) < poor.regionArea || f1 < poor.regionF1)
      warnings.push(`Fails in the region ${name} when it was not fitted there: area ${auc ?? 'unknown'}, F1 ${f1}.`);
  if (scores.regions.length === 0)
    warnings.push('No region could be held out: nothing is known of how it does away from its labels.');
  if (labels.without_embeddings > 0.2 * labels.rows)
    warnings.push(`${labels.without_embeddings} of ${labels.rows} labels have no embeddings and were left out.`);
  if (labels.contradictions > 0)
    warnings.push(`${labels.contradictions} rows lie in pixels that have both labels and were left out.`);
  if (years.length > 1)
    warnings.push(`The labels are of several years (${years.join(', ')}); embeddings differ between years.`);
  if (synthetic) warnings.push('Fitted on generated embeddings: it says nothing about any real place.');
  return warnings;
}
