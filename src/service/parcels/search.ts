import type { Config } from '../../config/settings.ts';
import type { WrittenAnswer } from '../../forest/feature-text.ts';
import { readPoint } from '../../forest/read-point.ts';
import type { Log } from '../../log.ts';
import { findParcel, noParcel, type ParcelAnswer } from '../../parcels/find-parcel.ts';
import type { ParcelSource } from '../../parcels/parcel.ts';
import { parcelWarning } from '../../parcels/warnings.ts';
import { createGate } from '../../readers/io/concurrency.ts';
import type { Tasks } from '../../jobs/task.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { forestFallback } from './fallback.ts';
import { openParcelSources, type ParcelSourceConfig } from './sources.ts';
import type { ParcelService } from './parcel-service.ts';

const LOG_EVERY_MS = 10_000;
/** Points of one request that are looked up at the same time. */
const PARCELS_IN_FLIGHT = 8;

/** Opens parcel datasets for searches. Throws a `ConfigError` for an entry that cannot be used. */
export function openParcelSearch(
  datasets: readonly Dataset[],
  config: ParcelSourceConfig & ParcelServiceParts['config'],
  tasks: Tasks,
  log: Log,
): ParcelService {
  const { sources, close } = openParcelSources(datasets, config);
  return createParcelService({ sources, tasks, config, report: throttledReport(log), close });
}

interface ParcelServiceParts {
  readonly sources: readonly ParcelSource[];
  readonly tasks: Tasks;
  readonly config: Pick<Config, 'parcelTimeoutMs' | 'forestBatchTimeoutMs'>;
  /** Called with every source that failed. */
  readonly report?: (dataset: string, error: unknown) => void;
  readonly close?: () => Promise<void>;
}

/** Searches sources that are open already. */
export function createParcelService(parts: ParcelServiceParts): ParcelService {
  const { sources, tasks, config, report = () => {}, close = () => Promise.resolve() } = parts;
  return {
    async search(features, { crs, forestFallback: isWanted, userId, signal }) {
      const gate = createGate(PARCELS_IN_FLIGHT);
      const options = { crs, timeoutMs: config.parcelTimeoutMs, signal, reportFailure: report };
      const found = await Promise.allSettled(
        features.map((feature) => gate.run(signal, () => answerFor(feature, sources, options))),
      );
      signal.throwIfAborted();
      const answers = found.map((result) => {
        if (result.status === 'rejected') throw result.reason;
        return result.value;
      });
      const written: WrittenAnswer[] = answers.map(write);
      const outside = [...answers.keys()].filter((i) => answers[i].isOutside);
      if (!isWanted || outside.length === 0) return written;
      const patches = await forestFallback(tasks, {
        features: outside.map((i) => features[i]),
        nothing: outside.map((i) => answers[i].properties),
        crs,
        userId,
        waitMs: config.forestBatchTimeoutMs,
        signal,
      });
      for (const [k, i] of outside.entries()) written[i] = patches[k];
      return written;
    },
    close,
  };
}

/** The answer to an input feature; one without a usable point says so. */
async function answerFor(
  feature: unknown,
  sources: readonly ParcelSource[],
  options: Parameters<typeof findParcel>[2],
): Promise<ParcelAnswer> {
  const read = readPoint(feature);
  if (read.point !== null) return await findParcel(read.point, sources, options);
  return noParcel(read.input, parcelWarning('invalid_point', { reason: read.fault }), null);
}

function write({ geometry, properties }: ParcelAnswer): WrittenAnswer {
  return { geometry: geometry === null ? null : JSON.stringify(geometry), properties };
}

/** A dataset that is down fails for every point; one line in ten seconds is enough. */
function throttledReport(log: Log): (dataset: string, error: unknown) => void {
  const logged = new Map<string, number>();
  return (dataset, error) => {
    const now = performance.now();
    if (now - (logged.get(dataset) ?? -Infinity) < LOG_EVERY_MS) return;
    logged.set(dataset, now);
    log.warn({ dataset, err: error }, 'a parcel dataset failed');
  };
}
