import { createHash } from 'node:crypto';
import { createBatchSummary, type PartSummary } from '../collections/batch-summary.ts';
import type { BatchOptions, Collection } from '../collections/collection.ts';
import { collectionConfidence, reasonSentences } from '../collections/collection-confidence.ts';
import type { PlotRecord, PlotStatistics } from '../collections/plot-record.ts';
import type { Config } from '../config.ts';
import { Problem } from '../errors.ts';
import type { KeptPart } from '../tasks/kept-parts.ts';
import type { TaskContext, TaskHandler } from '../tasks/task.ts';
import { judgedLocations, type JudgedLocation } from './collection-locations.ts';
import { withFindings } from './collection-findings.ts';
import { createPartSize, groupLocations, keptRecords, makePart } from './collection-parts.ts';
import type { CollectionTaskParams, CollectionTaskSummary } from './collection-task.ts';
import type { FacilityData } from './facility-data.ts';
import { inOrder } from './in-order.ts';
import type { LocationService, OpenedLocations } from './locations.ts';
import { spoolInput } from './spool-input.ts';

/** A geometry that can be used, and the hectares the user stated or a polygon has. */
export interface PlotToMeasure {
  readonly geometry: unknown;
  readonly statedHa: number | null;
}

/** What the batch is made of beside the data of facilities. */
export interface BatchParts {
  readonly locations: LocationService;
  readonly data: Pick<FacilityData, 'sources' | 'citation'> & Partial<Pick<FacilityData, 'forest'>>;
  readonly config: Pick<Config, 'facilitiesInFlight'>;
  /** Measures plots; one entry a plot, in order. */
  readonly measure: (plots: readonly PlotToMeasure[], signal: AbortSignal) => Promise<readonly PlotStatistics[]>;
  /** The due diligence report of a collection as a ZIP. */
  readonly writeReport: (
    collection: Collection,
    records: () => AsyncIterable<PlotRecord>,
    signal: AbortSignal,
  ) => AsyncIterable<Uint8Array>;
}

/** Groups that are measured while the next ones are read: bounds the memory of a batch. */
const GROUPS_IN_FLIGHT = 2;
const PHASES = { read: 'reading', check: 'validating', measure: 'measuring', keep: 'keeping', report: 'reporting' };

/** One pass over the file of a collection: read, validate, measure, keep part after part; then its report. */
export function batchTask(parts: BatchParts): TaskHandler {
  return async (context) => {
    const params = context.params as CollectionTaskParams;
    const options = params.options as BatchOptions;
    const summary = createBatchSummary();
    const phase = options.statistics ? PHASES.measure : options.validateLocations ? PHASES.check : PHASES.keep;
    const kept = await context.kept.list();
    const work = (opened: Opened): Promise<number> => keepAll(opened, { parts, context, options, summary, phase });
    // What the batch measures is what its checks say: no plot is measured twice.
    const reading = options.statistics ? { ...parts, data: withoutForest(parts.data) } : parts;
    const { total, seq } = await withLocations(params, reading, context, options.validateLocations, kept, work);
    return finish(params, options, parts, context, { ...summary.result(), parts: seq }, total);
  };
}

function withoutForest({ sources, citation }: BatchParts['data']): BatchParts['data'] {
  return { sources, citation };
}

/** The same pass without anything kept: what confidence the locations deserve. */
export function checkTask(parts: BatchParts): TaskHandler {
  return async (context) => {
    const params = context.params as CollectionTaskParams;
    const summary = createBatchSummary();
    await withLocations(params, parts, context, true, [], async ({ locations, total }) => {
      for await (const { record, reasons } of locations) {
        summary.add(record, reasons);
        context.progress(record.number + 1, total, PHASES.check);
      }
      return 0;
    });
    return conclude(context, { ...summary.result(), parts: 0, report: null });
  };
}

interface Opened {
  /** Those that are not kept yet. */
  readonly locations: AsyncIterable<JudgedLocation>;
  readonly total: number;
  readonly kept: readonly KeptPart[];
}

async function withLocations(
  params: CollectionTaskParams,
  { locations, data, config }: BatchParts,
  { input, signal, progress, kept: store }: TaskContext,
  validate: boolean,
  kept: readonly KeptPart[],
  work: (opened: Opened) => Promise<number>,
): Promise<{ readonly total: number; readonly seq: number }> {
  progress(0, null, PHASES.read);
  await using spooled = await spoolInput(input, signal);
  await using opened = await locations.open(spooled.path, params.reading.locations);
  // A language model may find other places in the same prose: they are read, and kept, anew.
  const usable = opened.file.format === 'text' || opened.file.format === 'pdf' ? [] : kept;
  const from = usable.reduce((sum, { count }) => sum + count, 0);
  const total = await countLocations(opened, signal);
  progress(from, total, PHASES.read);
  const checks = validate ? { facility: params.reading.facility, repair: false } : null;
  const done = { count: from, records: () => keptRecords(store, usable.length) };
  const rest = judgedLocations(opened, data, checks, config, done, signal);
  return { total, seq: await work({ locations: rest, total, kept: usable }) };
}

async function countLocations(opened: OpenedLocations, signal: AbortSignal): Promise<number> {
  const total = await opened.inspect(signal);
  if (total > 0) return total;
  const detail = 'The file holds no locations; wanted one row or feature, or more.';
  throw new Problem('malformed_file', detail, { errors: [{ pointer: '/form/file', code: 'no_locations', detail }] });
}

interface Keeping {
  readonly parts: BatchParts;
  readonly context: TaskContext;
  readonly options: BatchOptions;
  readonly summary: ReturnType<typeof createBatchSummary>;
  readonly phase: string;
}

/** Keeps group after group in the order of the file; how many parts there are then. */
async function keepAll({ locations, total, kept }: Opened, keeping: Keeping): Promise<number> {
  const { parts, context, options, summary, phase } = keeping;
  for (const part of kept) summary.merge(part.summary as PartSummary);
  let seq = kept.length;
  const size = createPartSize();
  const measured = inOrder(groupLocations(locations, size.now), GROUPS_IN_FLIGHT, async (group) => {
    if (!options.statistics) return { group, statistics: [] };
    const statistics = await measureGroup(group, parts, context.signal);
    const isJudged = options.validateLocations;
    return { group: isJudged ? withFindings(group, statistics, options.monitoringEnd) : group, statistics };
  });
  let last = performance.now();
  for await (const { group, statistics } of measured) {
    const { part, bytes } = await makePart(seq++, group, statistics);
    await context.kept.keep(part, bytes);
    summary.merge(part.summary as PartSummary);
    context.progress(part.first + part.count, total, phase);
    size.took(performance.now() - last);
    last = performance.now();
  }
  return seq;
}

async function measureGroup(
  locations: readonly JudgedLocation[],
  { measure }: BatchParts,
  signal: AbortSignal,
): Promise<readonly (PlotStatistics | null)[]> {
  const measurable = locations.filter((location) => location.measurable);
  if (measurable.length === 0) return [];
  const found = await measure(
    measurable.map(({ record: { feature } }) => ({ geometry: feature.geometry, statedHa: areaOf(feature.properties) })),
    signal,
  );
  let next = 0;
  return locations.map((location) => (location.measurable ? (found[next++] ?? null) : null));
}

/** A stated area that is none counts as not stated. */
function areaOf({ area_ha: area }: PlotRecord['feature']['properties']): number | null {
  return typeof area === 'number' && area > 0 ? area : null;
}

async function finish(
  { collection, collectionId }: CollectionTaskParams,
  options: BatchOptions,
  { writeReport }: BatchParts,
  context: TaskContext,
  done: Omit<CollectionTaskSummary, 'report'>,
  total: number,
): ReturnType<TaskHandler> {
  if (!options.eudrDds) return conclude(context, { ...done, report: null });
  context.progress(total, total, PHASES.report);
  const hash = createHash('sha256');
  let size = 0;
  const reported: Collection = {
    ...collection,
    status: 'completed',
    options,
    counts: done.counts,
    locationsConfidence: options.validateLocations ? collectionConfidence(done.confidence) : null,
    confidenceCounts: options.validateLocations ? done.confidence : null,
    confidenceReasons: options.validateLocations ? reasonSentences(done.reasons) : null,
    error: null,
    taskId: null,
    createdAt: new Date(collection.createdAt),
    completedAt: new Date(),
  };
  const records = (): AsyncIterable<PlotRecord> => keptRecords(context.kept, done.parts);
  for await (const bytes of writeReport(reported, records, context.signal)) {
    hash.update(bytes);
    size += bytes.length;
    await context.write(bytes);
  }
  if (size === 0) throw new Error(`the report of the collection ${collectionId} is empty`);
  return { resultType: 'application/zip', summary: { ...done, report: { size, sha256: hash.digest('hex') } } };
}

/** Without a report the results of the task are what it counted. */
async function conclude(context: TaskContext, summary: CollectionTaskSummary): ReturnType<TaskHandler> {
  const { counts, confidence, reasons } = summary;
  const text = JSON.stringify({
    counts,
    confidence_counts: confidence,
    confidence_reasons: reasonSentences(reasons),
  });
  await context.write(new TextEncoder().encode(text));
  return { resultType: 'application/json', summary };
}
