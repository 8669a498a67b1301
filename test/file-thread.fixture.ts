import { setTimeout as sleep } from 'node:timers/promises';
import { threadId, workerData } from 'node:worker_threads';
import { Problem } from '../src/errors.ts';
import {
  LARGE_GEOMETRY_BYTES,
  shareLargeGeometryTurn,
  takeLargeGeometryTurn,
  type LargeGeometryTurn,
} from '../src/geo/shapes/large-geometry.ts';
import type { FileHandlers } from '../src/service/files/handlers.ts';
import { runTaskThread } from '../src/jobs/run-task-thread.ts';

/** What jobs on files may do to their thread; the real handlers do none of it. */
runTaskThread(
  {
    /** Computes without a pause. */
    async inspect_facilities() {
      for (;;);
    },
    /** Fills its memory. */
    async inspect_locations() {
      const kept: number[][] = [];
      for (;;) kept.push(Array.from({ length: 10_000 }, (_, i) => i + kept.length + 0.5));
    },
    /** Takes the turn of large geometries; says in which thread. */
    async preview_locations() {
      const { turn } = workerData as { turn: LargeGeometryTurn };
      shareLargeGeometryTurn({ turn, everyMs: 100, whileWaiting: () => {} });
      takeLargeGeometryTurn(LARGE_GEOMETRY_BYTES);
      return { resultType: 'application/json', summary: threadId };
    },
    async open_locations() {
      const detail = 'wanted a ring that closes, got one that does not';
      throw new Problem('malformed_file', detail, { errors: [{ pointer: '/form/file', code: 'open_ring', detail }] });
    },
    /** Writes numbered pieces until it is stopped. */
    async rate_facilities({ write, signal }) {
      for (let i = 0; ; i++) {
        signal.throwIfAborted();
        await write(new TextEncoder().encode(`piece ${i}\n`));
      }
    },
    /** Waits, alive, for longer than a thread may compute without a pause. */
    async answer_locations({ write }) {
      await sleep(5_000);
      await write(new TextEncoder().encode('late'));
      return { resultType: 'text/plain', summary: null };
    },
  } satisfies Partial<FileHandlers>,
  { isWatched: true },
);
