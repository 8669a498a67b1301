import { appendFileSync } from 'node:fs';
import { threadId, threadName } from 'node:worker_threads';
import { getHeapStatistics } from 'node:v8';

// Preloaded by bench/soak.ts into a service and its threads: each writes what its heap holds into the file HEAP_NOTES every second.
const thread = `${threadName || 'main'} ${threadId}`;
setInterval(() => {
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  appendFileSync(String(process.env['HEAP_NOTES']), `${JSON.stringify({ thread, at: Date.now(), used, external })}\n`);
}, 1_000).unref();
