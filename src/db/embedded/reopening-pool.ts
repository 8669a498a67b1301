import { statfs } from 'node:fs/promises';
import { Problem } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { SqlPool } from '../sql-pool.ts';
import type { EngineClient } from './engine-client.ts';
import { DatabaseDamagedError } from './open-cluster.ts';

/** Free bytes from which the engine is started again: two files of its log and a checkpoint. */
const ROOM_BYTES = 16_000_000;
const RETRY_AFTER_S = 5;

interface ReopeningPoolOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** Opens the database; hears of a crash by `onCrash`. */
  readonly open: (onCrash: (error: Error) => void) => Promise<EngineClient>;
  /** Milliseconds between attempts to open it again. Default 2,000. */
  readonly retryEveryMs?: number;
}

/**
 * The embedded database under a pool that outlives it. PostgreSQL ends itself when it cannot write its log, as on a full
 * disk, and what it had committed is replayed when it is opened again. Until then every query is refused with
 * `Problem('dependency_unavailable')` and the reason; attempts to open it go on until one succeeds, and end where the
 * database turns out to be damaged.
 */
export async function reopeningPool(options: ReopeningPoolOptions): Promise<SqlPool> {
  const { log, retryEveryMs = 2_000 } = options;
  let fault: Error | null = null;
  let timer: NodeJS.Timeout | null = null;
  let attempt: Promise<void> = Promise.resolve();
  let isEnding = false;
  let engine = await options.open(crashed);

  function crashed(error: Error): void {
    if (isEnding) return;
    log.error({ err: error }, 'the embedded database stopped; it is opened again as soon as it can be');
    fault = error;
    later();
  }

  function later(): void {
    timer = setTimeout(() => void (attempt = reopen()), retryEveryMs);
    timer.unref();
  }

  async function reopen(): Promise<void> {
    if (isEnding) return;
    const before = engine;
    try {
      await before.end();
      await assertRoom(options.dataDir);
      engine = await options.open(crashed);
      fault = null;
      log.info('the embedded database is open again');
    } catch (error) {
      fault = error as Error;
      if (error instanceof DatabaseDamagedError) log.fatal({ err: error }, 'the embedded database stays closed');
      else later();
    }
  }

  return {
    connect: () => (fault === null ? engine.connect() : Promise.reject(unavailable(fault))),
    async end() {
      isEnding = true;
      if (timer !== null) clearTimeout(timer);
      await attempt;
      await engine.end();
    },
  };
}

async function assertRoom(dataDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < ROOM_BYTES)
    throw new Error(`No space left on the disk of the data folder: ${Math.round((bavail * bsize) / 1e6)} MB`);
}

function unavailable(cause: Error): Problem {
  const reason = cause.message.replace(/\.$/, '');
  const next = cause instanceof DatabaseDamagedError ? 'It stays closed.' : 'It opens again by itself.';
  return new Problem('dependency_unavailable', `The embedded database is closed: ${reason}. ${next}`, {
    cause,
    retryAfterS: RETRY_AFTER_S,
  });
}
