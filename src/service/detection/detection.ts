import { Worker } from 'node:worker_threads';
import { Problem } from '../../errors.ts';
import { THRESHOLDS } from '../../facilities/thresholds.ts';
import type { Answer, CommodityShare, FacilitySources, Density } from '../../facilities/sources.ts';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../../geo/ellipsoid.ts';
import { type LonLat, pointShape, type Shape } from '../../geo/shapes/shape.ts';
import { compileCacheFolder } from '../../jobs/compile-cache.ts';
import { covers } from '../../readers/catalogue/catalogue.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { DetectionQuestion } from './answer.ts';
import { gathered } from './gathered.ts';
import { BUILT_UP, hasHeads, OWN_HEADS, PLANTATION } from './heads.ts';
import { commodityMaps, mapsAt } from './maps.ts';
import type { InstalledHead } from '../models/installed-models.ts';
import type {
  DetectionThreadData,
  FromDetectionThread,
  StartedDetectionThread,
  ToDetectionThread,
} from './run-detection-thread.ts';

/** Part of a check's time after which settlements answer in place of embeddings that have not come. */
const PATIENCE = 0.5;

/** Commodities measured by the installed heads. */
export interface Detection {
  readonly sources: Pick<FacilitySources, 'commodityShare' | 'plantationShare' | 'density'>;
  /** What another thread needs to open the same. */
  readonly share: DetectionThreadData;
  close(): Promise<void>;
}

/** Metres from side to side of the widest facility that is measured. */
const WIDEST_M = 20_000;
/** Milliseconds after which a thread without questions ends. */
const IDLE_MS = 60_000;
/** Questions that may wait for the thread. */
const MOST_WAITING = 2_000;
/** MB of heap after which the thread dies alone; buffers are not counted. */
const THREAD_HEAP_MB = 384;

/** The part of a detection that is handed to threads, from what the catalogue lists. */
export function detectionData(
  heads: readonly InstalledHead[],
  datasets: readonly Dataset[],
  config: DetectionThreadData['config'],
): DetectionThreadData {
  const { dataDir, cacheMaxMb, forestMemoryMb, forestThreads, taskConcurrency, checkTimeoutMs } = config;
  const embeddings = datasets.filter(({ role }) => role === 'embeddings');
  const maps = commodityMaps(datasets);
  return {
    heads: [...heads, ...OWN_HEADS],
    maps,
    embeddings,
    config: { dataDir, cacheMaxMb, forestMemoryMb, forestThreads, taskConcurrency, checkTimeoutMs },
  };
}

/**
 * Answers in a worker thread, which starts with the first question and ends when there is none for a minute. Where no map
 * covers the place and no head is installed for the request, or only one of other latitudes, the answer is null at once.
 */
export function openDetection(
  data: DetectionThreadData,
  entry: URL = new URL('../../app/threads/detection-thread.ts', import.meta.url),
): Detection {
  const { heads, maps, embeddings, config } = data;
  const hasInstalled = heads.length > OWN_HEADS.length;
  const { send, end } = openThread(data, entry);

  function shareOf(subject: string, isDetected: boolean, ...[shape, radiusM, signal]: Rest) {
    if (isTooWide(shape)) return null;
    const isMapped = mapsAt(maps, subject, shape.inside).length > 0;
    return isDetected || isMapped ? send({ subject, shape, radiusM }, signal) : null;
  }

  /**
   * Built-up ground is looked for by the head that ships with the service only where somebody wants models: where one is
   * installed, or where embeddings of the operator's own cover the place. Elsewhere settlements answer at once.
   */
  function isBuiltUpDetected(at: LonLat): boolean {
    const isNear = (dataset: Dataset): boolean =>
      dataset.path !== undefined && !dataset.synthetic && covers(dataset.coverage, at[0], at[1]);
    return hasHeads(heads, BUILT_UP, at) && (hasInstalled || embeddings.some(isNear));
  }

  return {
    sources: {
      commodityShare: (commodity, ...rest) => shareOf(commodity, hasHeads(heads, commodity, rest[0].inside), ...rest),
      plantationShare: (...rest) => shareOf(PLANTATION, hasHeads(heads, PLANTATION, rest[0].inside), ...rest),
      density(shape, signal) {
        const at = shape.inside;
        const isDetected = isBuiltUpDetected(at);
        // Where nobody measures, which is most places, no timer is made.
        if (!isDetected && mapsAt(maps, BUILT_UP, at).length === 0) return null;
        const patience = soonerSignal(signal, config.checkTimeoutMs);
        const found = shareOf(BUILT_UP, isDetected, pointShape(...at), THRESHOLDS.denseRadiusM, patience);
        return found === null ? null : found.then((answer) => (answer === null ? null : asDensity(answer)));
      },
    },
    share: data,
    close: end,
  };
}

/** A sample of a shape this wide would lie in hundreds of windows, all of which would have to be read. */
function isTooWide({ bbox: [west, south, east, north] }: Shape): boolean {
  const middle = (south + north) / 2;
  const width = (east - west) * metresPerDegreeEast(middle);
  return Math.max(width, (north - south) * metresPerDegreeNorth(middle)) > WIDEST_M;
}

type Rest = Parameters<FacilitySources['plantationShare']>;

/** The thread that measures: it starts with the first question and ends when there is none for a minute. */
function openThread(data: DetectionThreadData, entry: URL) {
  const pending = new Map<number, PendingAnswer>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(entry, {
      name: 'detection',
      workerData: { ...data, compileCache: compileCacheFolder() } satisfies StartedDetectionThread,
      resourceLimits: { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: THREAD_HEAP_MB },
    });
    let reason: Error | null = null;
    started.on('message', receive);
    started.on('error', (error) => (reason = error as Error));
    started.on('exit', () => {
      if (worker !== started) return;
      worker = null;
      for (const { reject } of pending.values()) reject(reason ?? new Error('the detection thread ended'));
      pending.clear();
    });
    started.unref();
    return started;
  }

  function receive(messages: readonly FromDetectionThread[]): void {
    for (const message of messages) {
      const waiting = pending.get(message.id);
      pending.delete(message.id);
      if (message.type === 'answer') waiting?.resolve(message.answer);
      else waiting?.reject(message.error);
    }
    if (pending.size > 0) return;
    worker?.unref();
    idle = setTimeout(() => void end(), IDLE_MS).unref();
  }

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ended = worker;
    // An answer that is on its way must not let the process go while it waits for the end of the thread.
    worker = null;
    for (const { reject } of pending.values()) reject(new Error('the detection thread ended'));
    pending.clear();
    await ended?.terminate();
  }

  // A thread that ended in the meantime has rejected what was meant for it.
  const post = gathered<ToDetectionThread>((messages) => worker?.postMessage(messages, []));

  function send(question: DetectionQuestion, signal: AbortSignal): Promise<Answer<CommodityShare> | null> {
    if (pending.size >= MOST_WAITING)
      throw new Problem('queue_full', `${pending.size} measurements of commodities wait already`);
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        pending.delete(id);
        if (worker !== null) post({ type: 'abort', id });
        reject(signal.reason as Error);
      };
      const settled = (): void => signal.removeEventListener('abort', leave);
      pending.set(id, {
        resolve: (answer) => (settled(), resolve(answer)),
        reject: (error) => (settled(), reject(error)),
      });
      signal.addEventListener('abort', leave, { once: true });
      clearTimeout(idle);
      worker ??= start();
      // While somebody waits, the process must not end.
      worker.ref();
      post({ type: 'query', id, question });
    });
  }

  return { send, end };
}

interface PendingAnswer {
  readonly resolve: (answer: Answer<CommodityShare> | null) => void;
  readonly reject: (error: Error) => void;
}

/**
 * What a measured share of built-up ground says of density. Null where ground without data could decide it either way: that
 * is not known, and somebody else may know.
 */
function asDensity({ dataset, value: { share, covered = 1, detail } }: Answer<CommodityShare>): Answer<Density> | null {
  const { denseBuiltUpShare, denseRadiusM, leastCoveredShare } = THRESHOLDS;
  const least = covered >= leastCoveredShare ? share : share * covered;
  const most = covered >= leastCoveredShare ? share : least + 1 - covered;
  const dense = least > denseBuiltUpShare;
  if (!dense && most > denseBuiltUpShare) return null;
  const percent = (part: number): string => `${Math.round(part * 100)} %`;
  const words = `${percent(share)} of the ground within ${denseRadiusM} m is built up, ${dense ? 'more than' : 'not more than'} the ${percent(denseBuiltUpShare)} of dense ground.`;
  const params = {
    built_share: share,
    radius_m: denseRadiusM,
    dense: dense ? 'yes' : 'no',
    dense_share: denseBuiltUpShare,
  };
  const whole = `${words} ${detail}`;
  return { dataset, value: { dense, detail: whole, said: { code: 'built_up', params, message: whole } } };
}

/** The signal of a check that ends sooner, so that there is time left for another source. */
function soonerSignal(signal: AbortSignal, checkTimeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs * PATIENCE)]);
}
