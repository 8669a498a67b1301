import { pbkdf2Sync } from 'node:crypto';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { readConfig } from '../../src/config/settings.ts';
import { pointShape } from '../../src/geo/shapes/shape.ts';
import { openDetection } from '../../src/service/detection/detection.ts';
import { OWN_HEADS } from '../../src/service/detection/heads.ts';
import type { FromDetectionThread, ToDetectionThread } from '../../src/service/detection/run-detection-thread.ts';

/*
 * A process whose detection is closed while an answer of its thread is on the way. Once the thread has the query, the main thread
 * sleeps until the answer was posted, so that it always meets the closing. Prints `closed`.
 */
/** How far they are, in `steps[0]`. */
const [QUERIED, ASLEEP, POSTED] = [1, 2, 3] as const;

if (isMainThread) {
  const steps = new Int32Array(new SharedArrayBuffer(4));
  const [own] = OWN_HEADS;
  const palm = { ...own!, id: 'made-up-palm', about: { ...own!.about, commodity: 'palm' } };
  const data = { heads: [palm], maps: [], embeddings: [], config: readConfig({}), steps };
  const detection = openDetection(data, new URL(import.meta.url));
  const over = new AbortController();
  const answer = detection.sources.commodityShare('palm', pointShape(102, 4), 100, over.signal);
  while (Atomics.load(steps, 0) !== QUERIED) await new Promise(setImmediate);
  Atomics.store(steps, 0, ASLEEP);
  Atomics.notify(steps, 0);
  if (Atomics.wait(steps, 0, ASLEEP, 60_000) === 'timed-out') throw new Error('no answer was posted');
  over.abort();
  await Promise.resolve(answer).catch(() => {});
  await detection.close?.();
  console.log('closed');
} else {
  const { steps } = workerData as { steps: Int32Array };
  parentPort!.on('message', ([first]: readonly ToDetectionThread[]) => {
    if (first?.type !== 'query') return;
    Atomics.store(steps, 0, QUERIED);
    Atomics.wait(steps, 0, QUERIED);
    const answers: readonly FromDetectionThread[] = [{ type: 'answer', id: first.id, answer: null }];
    parentPort!.postMessage(answers, []);
    Atomics.store(steps, 0, POSTED);
    Atomics.notify(steps, 0);
    // Work that nothing interrupts, as reading and decoding are: the thread ends after it.
    pbkdf2Sync('', '', 1_000_000, 32, 'sha256');
  });
}
