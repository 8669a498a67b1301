import { pbkdf2Sync } from 'node:crypto';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { readConfig } from '../../src/config/settings.ts';
import { pointShape } from '../../src/geo/shapes/shape.ts';
import { openDetection } from '../../src/service/detection/detection.ts';
import { OWN_HEADS } from '../../src/service/detection/heads.ts';

/*
 * A process whose detection is closed while an answer of its thread is on the way. The main thread sleeps until the answer was
 * posted, so that it always meets the closing. Prints `closed`.
 */
if (isMainThread) {
  const posted = new Int32Array(new SharedArrayBuffer(4));
  const [own] = OWN_HEADS;
  const palm = { ...own!, id: 'made-up-palm', about: { ...own!.about, commodity: 'palm' } };
  const data = { heads: [palm], maps: [], embeddings: [], config: readConfig({}), posted };
  const detection = openDetection(data, new URL(import.meta.url));
  const over = new AbortController();
  const answer = detection.sources.commodityShare('palm', pointShape(102, 4), 100, over.signal);
  Atomics.wait(posted, 0, 0, 60_000);
  over.abort();
  await Promise.resolve(answer).catch(() => {});
  await detection.close?.();
  console.log('closed');
} else {
  const { posted } = workerData as { posted: Int32Array };
  parentPort!.on('message', ({ type, id }: { type: string; id: number }) => {
    if (type !== 'query') return;
    parentPort!.postMessage({ type: 'answer', id, answer: null }, []);
    Atomics.store(posted, 0, 1);
    Atomics.notify(posted, 0);
    // Work that nothing interrupts, as reading and decoding are: the thread ends after it.
    pbkdf2Sync('', '', 1_000_000, 32, 'sha256');
  });
}
