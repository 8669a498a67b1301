import { workerData } from 'node:worker_threads';
import { runDetectionThread, type DetectionThreadData } from './service/run-detection-thread.ts';

runDetectionThread(workerData as DetectionThreadData);
