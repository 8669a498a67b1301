import { Worker } from 'node:worker_threads';
import { Problem } from '../../errors.ts';
import { asDatabaseProblem, type SqlClient, type SqlPool, type SqlResult } from '../sql-pool.ts';

type Call = EngineRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never;
type Answer = Extract<EngineReply, { ok: true }>;

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** The thread keeps no state in JavaScript; a small young generation keeps its garbage from growing to 100 MB. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 };

/** A pool of the one session the embedded engine has; whoever calls while it is lent out waits in order. */
export interface EngineClient extends SqlPool {
  /** Opens the cluster in `folder`; queries before that fail. */
  open(folder: string): Promise<void>;
}

/** Starts the thread of the embedded engine, which compiles the engine at once. `onCrash` hears of a thread that ended by itself. */
export function startEngine(onCrash: (error: Error) => void): EngineClient {
  const thread = new Worker(new URL('./engine-thread.ts', import.meta.url), {
    name: 'database',
    resourceLimits: HEAP_LIMITS,
  });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let gone: Error | null = null;
  let closing: Promise<void> | null = null;
  let session: Promise<void> = Promise.resolve();

  thread.on('message', (reply: EngineReply) => {
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.ok) call?.resolve(reply);
    else call?.reject(asDatabaseProblem(databaseError(reply.error)) as Error);
    if (waiting.size === 0) thread.unref();
  });
  thread.on('error', (error) => end(error as Error));
  thread.on('exit', (code) => end(new Error(`the thread of the embedded database ended with code ${code}`)));
  thread.unref();

  function end(error: Error): void {
    if (gone !== null) return;
    gone = error;
    for (const call of waiting.values()) call.reject(unavailable(error));
    waiting.clear();
    if (closing === null) onCrash(error);
  }

  function send(call: Call): Promise<Answer> {
    if (gone !== null) return Promise.reject(unavailable(gone));
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      thread.ref();
      thread.postMessage({ id, ...call }, call.type === 'query' ? buffersOf(call.parameters) : []);
    });
  }

  async function connect(): Promise<SqlClient> {
    if (closing !== null) throw new Problem('dependency_unavailable', 'the embedded database is closed');
    const before = session;
    const { promise, resolve } = Promise.withResolvers<void>();
    session = promise;
    await before;
    return lend(send, resolve);
  }

  async function close(): Promise<void> {
    await session;
    if (gone === null) await send({ type: 'close' }).catch(() => {});
    await thread.terminate();
  }

  return {
    open: async (folder) => void (await send({ type: 'open', folder })),
    connect,
    end: () => (closing ??= close()),
  };
}

/** One loan of the session. A transaction that the borrower left open, or broken, ends with the loan. */
function lend(send: (call: Call) => Promise<Answer>, giveBack: () => void): SqlClient {
  let inTransaction = false;
  let failed = false;
  let released = false;
  return {
    async query(sql, parameters = []): Promise<SqlResult> {
      const command = firstWord(sql);
      try {
        const { rows, rowCount } = await send({ type: 'query', sql, parameters: parameters.map(sendable) });
        if (command === 'BEGIN' || command === 'START') inTransaction = true;
        if (command === 'ROLLBACK') failed = false;
        if (command === 'COMMIT' || sql.trim().toUpperCase() === 'ROLLBACK') inTransaction = false;
        // PostgreSQL answers COMMIT of a broken transaction with ROLLBACK; the engine's messages do not carry that.
        return { command: command === 'COMMIT' && failed ? 'ROLLBACK' : command, rows, rowCount };
      } catch (error) {
        failed = true;
        throw error;
      }
    },
    release() {
      if (released) return;
      released = true;
      if (!inTransaction && !failed) return giveBack();
      send({ type: 'query', sql: 'ROLLBACK', parameters: [] })
        .catch(() => {})
        .finally(giveBack);
    },
  };
}

function firstWord(sql: string): string {
  return /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? '';
}

/** The caller keeps its bytes: a copy is what travels, without whatever larger buffer lies under the view. */
function sendable(value: unknown): unknown {
  return value instanceof Uint8Array ? new Uint8Array(value) : value;
}

function buffersOf(parameters: readonly unknown[]): ArrayBuffer[] {
  return parameters.filter((value) => value instanceof Uint8Array).map((value) => value.buffer as ArrayBuffer);
}

function databaseError(fields: Readonly<Record<string, string>>): Error {
  const { message, ...rest } = fields;
  return Object.assign(new Error(message ?? 'the embedded database failed'), rest);
}

function unavailable(cause: Error): Problem {
  return new Problem('dependency_unavailable', `the embedded database stopped: ${cause.message.replace(/\.$/, '')}`, {
    cause,
  });
}

/** What the service requests from the thread of the embedded database. */
export type EngineRequest =
  | { readonly id: number; readonly type: 'open'; readonly folder: string }
  | { readonly id: number; readonly type: 'query'; readonly sql: string; readonly parameters: unknown[] }
  | { readonly id: number; readonly type: 'close' };

export type EngineReply =
  | { readonly id: number; readonly ok: true; readonly rows: unknown[]; readonly rowCount: number }
  | { readonly id: number; readonly ok: false; readonly error: Readonly<Record<string, string>> };
