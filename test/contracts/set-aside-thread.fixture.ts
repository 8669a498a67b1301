import { workerData } from 'node:worker_threads';
import { readConfig } from '../../src/config/settings.ts';
import type { LocationWork } from '../../src/locations/crash-watch.ts';
import type { Places } from '../../src/readers/built-in/places.ts';
import { batchTask, type BatchParts } from '../../src/service/collections/batch.ts';
import { BATCH_TASK } from '../../src/service/collections/collection-task.ts';
import { FEATURE_BYTES } from '../../src/service/facilities/facilities.ts';
import { locationTask, NORMALIZE_TASK, VALIDATE_TASK } from '../../src/service/locations/location-task.ts';
import { createLocationService } from '../../src/service/locations/locations.ts';
import { unmeasured } from '../../src/service/plots/unmeasured.ts';
import type { World } from '../../src/service/world/world.ts';
import { runTaskThread } from '../../src/jobs/run-task-thread.ts';
import { noData } from '../facility-sources.ts';

/** How the thread crashes, and on which locations: those at these latitudes. */
export interface CrashingData {
  readonly crash: 'exit' | 'heap';
  readonly latitudes: readonly number[];
  /** Default: when it measures a plot or rates a facility. */
  readonly during?: LocationWork;
  /** Text on which the reader of the file crashes. */
  readonly text?: string;
}

/** The batch of the service in its thread, which crashes as it is told. */
const { crash, latitudes, during = 'processing', text: crashingText } = workerData as CrashingData;

function crashAt(lat: number, now: LocationWork): void {
  if (now === during && latitudes.includes(lat)) crashNow();
}

function crashNow(): void {
  if (crash === 'exit') process.exit(7);
  const held: number[][] = [];
  for (;;) held.push(Array.from({ length: 500_000 }, () => held.length + 0.5));
}

// What compares geometries has no source that a test could give: it is met at what it alone calls, the millionths of degrees of
// its keys. In the same way the reader is met where it looks for characters that could not be decoded.
const { round } = Math;
Math.round = (value) => {
  crashAt(round(value) / 1e6, 'comparing');
  return round(value);
};
const texts = String.prototype;
const { includes } = texts;
function crashingIncludes(this: string, ...given: Parameters<typeof includes>): boolean {
  if (given[0] === '\uFFFD' && String(this) === crashingText) crashNow();
  return includes.apply(this, given);
}
Object.defineProperty(texts, 'includes', { value: crashingIncludes });

const config = readConfig({});
const data = {
  sources: noData({
    nearestRoad(shape) {
      crashAt(shape.inside[1], 'processing');
      return null;
    },
    whereabouts([, lat]) {
      crashAt(lat, 'normalizing');
      return null;
    },
  }),
  citation: () => null,
  datasets: [],
};
const places = {
  use: <R>(ask: (reader: Places) => R) => ask({ named: () => [], coded: () => [], similar: () => [] }),
  ready: Promise.resolve(),
};
const parts: BatchParts = {
  locations: createLocationService({ ...data, places, geocoders: [] }, config, FEATURE_BYTES.asTask),
  data,
  config,
  async measure(plots) {
    for (const { geometry } of plots)
      crashAt((geometry as { coordinates: [number, number] }).coordinates[1], 'processing');
    return plots.map(() => ({ ...unmeasured('no dataset covers the plot'), areaHa: 1 }));
  },
  writeReport() {
    throw new Error('no report was asked for');
  },
};
const locations = locationTask(parts.locations, data as unknown as World, config);
runTaskThread({ [BATCH_TASK]: batchTask(parts), [NORMALIZE_TASK]: locations, [VALIDATE_TASK]: locations });
