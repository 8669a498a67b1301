import { workerData } from 'node:worker_threads';
import type { Config } from '../../config/settings.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { runTaskThread } from '../../jobs/run-task-thread.ts';
import { buildSources } from './embeddings.ts';
import { LABEL_TASK, labelTask } from './store-task.ts';

const { config, dataset } = workerData as { readonly config: Config; readonly dataset: Dataset };

runTaskThread({ [LABEL_TASK]: labelTask(buildSources([dataset], config)) });
