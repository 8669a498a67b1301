import { workerData } from 'node:worker_threads';
import { openForestSources } from '../../service/forest/sources.ts';
import type { ForestThreadData } from '../../service/forest/forest.ts';
import { runForestThread } from '../../service/forest/run-forest-thread.ts';

const { config, datasets } = workerData as ForestThreadData;

runForestThread(
  async (reportFailure) => (await openForestSources(datasets, config, reportFailure)).current,
  config.forestPointTimeoutMs,
);
