import { workerData } from 'node:worker_threads';
import { readConfig } from '../../src/config/settings.ts';
import type { Places } from '../../src/readers/built-in/places.ts';
import { batchTask, type BatchParts } from '../../src/service/collections/batch.ts';
import { BATCH_TASK } from '../../src/service/collections/collection-task.ts';
import { FEATURE_BYTES } from '../../src/service/facilities/facilities.ts';
import { createLocationService } from '../../src/service/locations/locations.ts';
import { unmeasured } from '../../src/service/plots/unmeasured.ts';
import { runTaskThread } from '../../src/jobs/run-task-thread.ts';
import { noData } from '../facility-sources.ts';

/** How the thread crashes on the locations at these latitudes. */
export interface CrashingData {
  readonly crash: 'exit' | 'heap';
  readonly latitudes: readonly number[];
}

/** The batch of the service in its thread, which crashes when it measures a plot, or rates a facility, at a marked latitude. */
const { crash, latitudes } = workerData as CrashingData;

function crashAt(lat: number): void {
  if (!latitudes.includes(lat)) return;
  if (crash === 'exit') process.exit(7);
  const held: number[][] = [];
  for (;;) held.push(Array.from({ length: 500_000 }, () => held.length + 0.5));
}

const config = readConfig({});
const data = {
  sources: noData({
    nearestRoad(shape) {
      crashAt(shape.inside[1]);
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
    for (const { geometry } of plots) crashAt((geometry as { coordinates: [number, number] }).coordinates[1]);
    return plots.map(() => ({ ...unmeasured('no dataset covers the plot'), areaHa: 1 }));
  },
  writeReport() {
    throw new Error('no report was asked for');
  },
};
runTaskThread({ [BATCH_TASK]: batchTask(parts) });
