import { createHash } from 'node:crypto';
import { createBatchSummary, type PartSummary } from '../../collections/batch-summary.ts';
import type { BatchOptions, Collection } from '../../collections/collection.ts';
import { collectionConfidence, reasonSentences } from '../../collections/collection-confidence.ts';
import type { ExportDigest, ExportSource } from '../../collections/due-diligence/export-types.ts';
import type { PlotStatistics } from '../../collections/plot-record.ts';
import type { Config } from '../../config/settings.ts';
import type { PartResult, PreparedPart, TaskPart } from '../../jobs/checkpoints.ts';
import type { TaskContext, TaskHandler, TaskResult, TaskStage } from '../../jobs/task.ts';
import { evaluateLocations, lookUpLocations, type LookedUpLocation, openPart, type OpenedPart } from './locations.ts';
import { openGrouping } from './group-plots.ts';
import {
  makePart,
  packPrepared,
  type PreparedLocation,
  storedRecords,
  unpackInput,
  unpackPrepared,
  unpackStaged,
} from './parts.ts';
import { cutBatch, type BatchCut } from './cut.ts';
import type { CollectionTaskParams, CollectionTaskSummary } from './collection-task.ts';
import { followFetching } from '../auto-data/fetch-progress.ts';
import type { World } from '../world/world.ts';
import type { LocationService } from '../locations/locations.ts';
import { watchCrashes } from '../locations/watch-crashes.ts';
import { forestFinding } from '../forest/finding.ts';

/** A geometry that can be used, and the hectares the user stated or a polygon has. */
export interface PlotToMeasure {
  readonly geometry: unknown;
  readonly statedHa: number | null;
}

/** What the batch is made of in addition to the data of facilities. */
export interface BatchParts {
  readonly locations: LocationService;
  readonly data: Pick<World, 'sources' | 'citation'> & Partial<Pick<World, 'forest' | 'fetchAhead'>>;
  readonly config: Pick<Config, 'facilitiesInFlight'>;
  /** Measures plots; one entry a plot, in order. */
  readonly measure: (plots: readonly PlotToMeasure[], signal: AbortSignal) => Promise<readonly PlotStatistics[]>;
  /** The due diligence report of a collection as a ZIP. */
  readonly writeReport: (
    collection: Collection,
    records: ExportSource['records'],
    signal: AbortSignal,
    onDigest: (digest: ExportDigest) => void,
  ) => AsyncIterable<Uint8Array>;
}

type Options = Pick<BatchOptions, 'statistics' | 'validateLocations' | 'monitoringEnd'>;

/** Without a batch nothing is measured: what confidence the locations deserve. */
const CHECK: Options = { statistics: false, validateLocations: true, monitoringEnd: '' };

/**
 * The batch of a collection, and without options the check of its locations: the file is cut into parts, the parts are validated
 * and measured by whoever is there, and joined with their report. Whoever has nothing else to do meanwhile prepares parts: what the
 * data says of their locations needs no other part, only comparing them does.
 */
export function batchTask(all: BatchParts): TaskHandler {
  return async (context) => {
    const params = context.params as CollectionTaskParams;
    const options = params.options ?? CHECK;
    const phase = phaseOf(options);
    switch (context.stage.type) {
      case 'whole':
        return cutBatch(params, all.locations, context, { isValidated: options.validateLocations, phase });
      case 'prepare':
        return preparePart(params, options, context.stage.part, all, context);
      case 'part':
        return workOnPart(params, options, context.stage, phase, withFetchPhase(all, context));
      case 'join':
        return join(params, context.stage.cut as BatchCut, all, context);
    }
  };
}

function phaseOf({ statistics, validateLocations }: Options): string {
  return statistics ? 'measuring' : validateLocations ? 'validating' : 'keeping';
}

/** Both say in their phase how far fetching is, while locations wait for map data. */
function withFetchPhase(parts: BatchParts, context: TaskContext): { parts: BatchParts; context: TaskContext } {
  const { progress, ...ahead } = followFetching(parts.data.fetchAhead, context.progress);
  return { parts: { ...parts, data: { ...parts.data, ...ahead } }, context: { ...context, progress } };
}

function withoutForest({ sources, citation, fetchAhead }: BatchParts['data']): BatchParts['data'] {
  return { sources, citation, ...(fetchAhead === undefined ? {} : { fetchAhead }) };
}

/** Looks up and measures the rows of a part before the whole file is cut. The progress of the batch is that of its cut. */
async function preparePart(
  params: CollectionTaskParams,
  options: Options,
  { first, count }: TaskPart,
  parts: BatchParts,
  context: TaskContext,
): Promise<PreparedPart> {
  const watch = watchCrashes(context.kept, await context.kept.crashes(), first + count);
  const part = await openPart(first, await unpackStaged(context.input), watch);
  const found = await lookUpAndMeasure(part, params, options, parts, { signal: context.signal, onDone() {} });
  return { prepared: await packPrepared(found) };
}

/** Validates and measures the rows of a part. */
async function workOnPart(
  params: CollectionTaskParams,
  options: Options,
  { part: { first, count }, isPrepared }: Extract<TaskStage, { type: 'part' }>,
  phase: string,
  { parts, context }: { readonly parts: BatchParts; readonly context: TaskContext },
): Promise<PartResult> {
  const { signal, progress, kept } = context;
  progress(0, count, phase);
  const { rows, surroundings, batch } = await unpackInput(context.input);
  const watch = watchCrashes(kept, await kept.crashes(), first + count);
  const part = await openPart(first, rows, watch);
  const onDone = (done: number): void => progress(done, count, phase);
  const prepared = isPrepared
    ? await unpackPrepared(await kept.prepared())
    : await lookUpAndMeasure(part, params, options, parts, { signal, onDone });
  const found = prepared.map((location) => withFinding(location, options.monitoringEnd));
  const locations = await evaluateLocations(part, found, surroundings, batch);
  watch.endOneByOne();
  const statistics = locations.map(({ measurable }, i) => (measurable ? prepared[i]!.statistics : null));
  const { file, createdAt } = params.collection;
  const group = await openGrouping({ file, options: params.options, createdAt: new Date(createdAt) });
  return makePart(locations, statistics, group);
}

/** What is known of each location of a part without any other. */
async function lookUpAndMeasure(
  part: OpenedPart,
  { reading }: CollectionTaskParams,
  options: Options,
  parts: BatchParts,
  { signal, onDone }: { readonly signal: AbortSignal; readonly onDone: (done: number) => void },
): Promise<readonly PreparedLocation[]> {
  const checks = options.validateLocations ? { facility: reading.facility } : null;
  // What the batch measures is what its checks say: no plot is measured twice.
  const data = options.statistics ? withoutForest(parts.data) : parts.data;
  const prepared: PreparedLocation[] = [];
  const lookedUp = lookUpLocations(part, data, checks, parts.config, signal);
  for await (const group of groupsOf(lookedUp, () => (part.watch.isOneByOne ? 1 : part.rows.length))) {
    const measured = options.statistics ? await measureGroup(group, parts, signal) : group.map(() => null);
    prepared.push(...group.map(({ found }, i) => ({ found, statistics: measured[i] ?? null })));
    onDone(prepared.length);
  }
  return prepared;
}

/** Items in groups of as many as `size` says. */
async function* groupsOf<T>(items: AsyncIterable<T>, size: () => number): AsyncGenerator<readonly T[], void> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size()) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function measureGroup(
  locations: readonly LookedUpLocation[],
  { measure }: BatchParts,
  signal: AbortSignal,
): Promise<readonly (PlotStatistics | null)[]> {
  const plots = locations.flatMap(({ plot }) => plot ?? []);
  const found = plots.length === 0 ? [] : await measure(plots, signal);
  let next = 0;
  return locations.map(({ plot }) => (plot === null ? null : (found[next++] ?? null)));
}

/** What needs all parts: the totals, and the report where one was requested. */
async function join(
  { collection, collectionId, options }: CollectionTaskParams,
  { parts, mapping }: BatchCut,
  { writeReport }: BatchParts,
  context: TaskContext,
): Promise<TaskResult> {
  const kept = await context.kept.list();
  if (kept.length !== parts) throw new Error(`the batch was cut into ${parts} parts and has ${kept.length}`);
  const summary = createBatchSummary();
  for (const part of kept) summary.merge(part.summary as PartSummary);
  const done = { ...summary.result(), parts, mapping };
  if (options === null || !options.eudrDds) return conclude(context, { ...done, report: null });
  const total = done.counts.locations;
  context.progress(total, total, 'reporting');
  const hash = createHash('sha256');
  let size = 0;
  const reported: Collection = {
    ...collection,
    status: 'completed',
    mapping: done.mapping,
    options,
    counts: done.counts,
    locationsConfidence: options.validateLocations ? collectionConfidence(done.confidence) : null,
    confidenceCounts: options.validateLocations ? done.confidence : null,
    confidenceReasons: options.validateLocations ? reasonSentences(done.reasons) : null,
    error: null,
    taskId: null,
    reviews: 0,
    runs: [],
    createdAt: new Date(collection.createdAt),
    completedAt: new Date(),
  };
  const records: ExportSource['records'] = (isWanted) => storedRecords(context.kept, kept, isWanted);
  let digest: ExportDigest | null = null;
  const remember = (found: ExportDigest): void => void (digest = found);
  for await (const bytes of writeReport(reported, records, context.signal, remember)) {
    hash.update(bytes);
    size += bytes.length;
    await context.write(bytes);
  }
  if (size === 0) throw new Error(`the report of the collection ${collectionId} is empty`);
  return { resultType: 'application/zip', summary: { ...done, report: { size, sha256: hash.digest('hex'), digest } } };
}

/** Without a report the results of the task are what it counted. */
async function conclude(context: TaskContext, summary: CollectionTaskSummary): Promise<TaskResult> {
  const { counts, confidence, reasons } = summary;
  const text = JSON.stringify({
    counts,
    confidence_counts: confidence,
    confidence_reasons: reasonSentences(reasons),
  });
  await context.write(new TextEncoder().encode(text));
  return { resultType: 'application/json', summary };
}

/**
 * What was found of a location with what its statistics say of deforestation, up to the end of the batch's monitoring period, as the
 * fetch endpoint says it.
 */
function withFinding({ found, statistics }: PreparedLocation, monitoringEnd: string): Pick<PreparedLocation, 'found'> {
  if (found?.type !== 'plot' || statistics === null) return { found };
  const deforestation = forestFinding(statistics, monitoringEnd);
  return deforestation === null ? { found } : { found: { ...found, findings: { ...found.findings, deforestation } } };
}
