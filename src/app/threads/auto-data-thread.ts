import { workerData } from 'node:worker_threads';
import { runFetchThread, type FetchThreadData } from '../../service/auto-data/fetch-thread.ts';

runFetchThread(workerData as FetchThreadData);
