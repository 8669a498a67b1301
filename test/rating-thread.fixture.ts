import { parentPort } from 'node:worker_threads';
import type { FromRatingThread, ToRatingThread } from '../src/service/facilities/rating-helper.ts';

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread only');

/** What a thread that rates parts may do; it answers the text of a part in capitals. */
port.on('message', ({ id, kind, part }: ToRatingThread) => {
  if (kind !== 'rate') return;
  const word = Buffer.from(part.bytes).toString();
  if (word === 'wait') return;
  if (word === 'crash') throw new Error('made to crash');
  if (word === 'fill') {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, i) => i + kept.length + 0.5));
  }
  const text = new TextEncoder().encode(word.toUpperCase());
  const answer = word === 'fail' ? { id, failed: 'Error: a fault' } : { id, done: { text, tally: {} as never } };
  port.postMessage(answer satisfies FromRatingThread);
});
