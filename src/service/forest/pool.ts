import { Problem } from '../../errors.ts';
import { writePatch, type WrittenPatch } from '../../forest/feature-text.ts';
import type { PointQuestion } from '../../forest/find-patches.ts';
import { noPatch } from '../../forest/patch.ts';
import { forestWarning } from '../../forest/warnings.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { createUserTurns } from '../../jobs/fair-slots.ts';
import type { Log } from '../../log.ts';
import { createForestJob, type ForestJob } from './job.ts';
import type { FromForestThread } from './messages.ts';
import { startForestThread, type ForestThread, type ForestThreadOptions } from './threads.ts';

export interface ForestPoolOptions extends ForestThreadOptions {
  /** Threads at the same time; they start when they are needed. */
  readonly threads: number;
  /** Lookups that may wait, over all requests. */
  readonly maxWaiting: number;
  /** Milliseconds one lookup may take. */
  readonly pointTimeoutMs: number;
  readonly log: Log;
  /** Called after each lookup of a thread with the time it took there. */
  readonly onLookup?: (patch: WrittenPatch, seconds: number) => void;
  /** Milliseconds after which a thread without work ends. Default 60,000. */
  readonly idleMs?: number;
  /** Milliseconds beyond its deadline after which a lookup is given up with its thread. Default 10,000. */
  readonly graceMs?: number;
}

/** How one batch is worked. */
interface RunOptions {
  /** Whose request it is: users take turns, then the requests of one user. */
  readonly userId: string;
  /** Name of the output CRS. */
  readonly crs: string;
  /** Also gives outlines before smoothing; default false. */
  readonly rawOutline?: boolean;
  /** Milliseconds all of it may take; points without an answer by then say so. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ForestPool {
  /**
   * The patches of the questions, in their order. Threads take lookups of the users in turn, and of one user's requests in
   * turn: neither a batch nor a hundred requests of another user hold up a single point. Throws `Problem('queue_full')` when
   * too many wait, `Problem('shutting_down')`, or the reason of the signal; a lookup that fails never rejects.
   */
  run(questions: readonly PointQuestion[], options: RunOptions): Promise<readonly WrittenPatch[]>;
  status(): { readonly threads: number; readonly waiting: number; readonly working: number };
  close(): Promise<void>;
}

/** Lookups one thread works on at the same time: while some wait for bytes, another computes. */
const PER_THREAD = 4;
/** Crashes of a thread after which the lookup it worked on is not tried again. */
const MAX_CRASHES = 3;
const RETRY_AFTER_S = 5;
const LOG_EVERY_MS = 10_000;

type Job = ForestJob<Thread>;
type Thread = ForestThread<Lookup>;
interface Lookup {
  readonly job: Job;
  readonly index: number;
  readonly point: LonLat;
  readonly crashes: number;
}

/** Looks up patches in worker threads, so that the thread that calls stays free. */
export function openForestPool(options: ForestPoolOptions): ForestPool {
  const { log, idleMs = 60_000, graceMs = 10_000, onLookup = () => {} } = options;
  const threads = new Set<Thread>();
  /** Every job without all of its answers; `lines` has those with work to give out. */
  const open = new Set<Job>();
  const turns = createUserTurns();
  const lines = createLines(turns);
  /** Lookups whose thread died: each is tried again alone, so that it takes no other down with it. */
  const retries: Lookup[] = [];
  const idle = new Map<Thread, NodeJS.Timeout>();
  const watches = new Map<number, NodeJS.Timeout>();
  const begun = new Map<number, number>();
  const logFault = faultLog(log);
  let lastId = 0;
  let isClosed = false;

  function startThread(): Thread {
    const thread: Thread = startForestThread<Lookup>(
      options,
      (message) => receive(thread, message),
      (reason) => remove(thread, reason),
    );
    threads.add(thread);
    return thread;
  }

  /** Gives out work until every thread has enough or none is left. */
  function schedule(): void {
    if (isClosed) return;
    while (retries.length > 0 || !lines.isEmpty()) {
      const thread = freeThread();
      if (thread === null) return;
      const next = retries.shift() ?? lines.next(thread);
      if (next !== null && next.job.isOpen) begin(thread, next);
    }
  }

  /** The thread with the least to do; a new one while there may be more. A retry wants a thread of its own. */
  function freeThread(): Thread | null {
    let best: Thread | null = null;
    for (const thread of threads) {
      if (isAlone(thread)) continue;
      if (best === null || thread.lookups.size < best.lookups.size) best = thread;
    }
    if ((best === null || best.lookups.size > 0) && threads.size < options.threads) return startThread();
    const room = retries.length > 0 ? 1 : PER_THREAD;
    return best !== null && best.lookups.size < room ? best : null;
  }

  function begin(thread: Thread, lookup: Lookup): void {
    const id = ++lastId;
    clearTimeout(idle.get(thread));
    idle.delete(thread);
    thread.lookups.set(id, lookup);
    turns.begin(lookup.job.userId);
    begun.set(id, performance.now());
    const giveUp = (): void => {
      log.error({ lookups: thread.lookups.size }, 'a forest thread missed a deadline; it is ended');
      // Next to others it may not be the one to blame; then each is tried again alone.
      if (thread.lookups.size === 1)
        lookup.job.answer(lookup.index, unavailable(lookup.point, 'it did not end in time'));
      void thread.terminate();
    };
    watches.set(id, setTimeout(giveUp, options.pointTimeoutMs + graceMs));
    const { job, point } = lookup;
    thread.post({ type: 'look', id, job: job.id, point, crs: job.crs, rawOutline: job.rawOutline });
  }

  function end(thread: Thread, id: number): { readonly lookup: Lookup; readonly seconds: number } | null {
    const lookup = thread.lookups.get(id);
    if (lookup === undefined) return null;
    const seconds = (performance.now() - (begun.get(id) ?? 0)) / 1000;
    thread.lookups.delete(id);
    turns.end(lookup.job.userId, lines.has(lookup.job.userId));
    begun.delete(id);
    clearTimeout(watches.get(id));
    watches.delete(id);
    return { lookup, seconds };
  }

  function receive(thread: Thread, message: FromForestThread): void {
    if (message.type === 'fault') return logFault(message.dataset, message.detail);
    const ended = end(thread, message.id);
    if (ended === null) return;
    if (message.type === 'found') {
      onLookup(message.patch, ended.seconds);
      ended.lookup.job.answer(ended.lookup.index, message.patch);
    }
    schedule();
    if (thread.lookups.size > 0 || isClosed) return;
    const retire = (): void => void thread.terminate();
    idle.set(thread, setTimeout(retire, idleMs).unref());
  }

  function remove(thread: Thread, reason: string): void {
    threads.delete(thread);
    clearTimeout(idle.get(thread));
    idle.delete(thread);
    if (thread.lookups.size > 0 && !isClosed)
      log.error({ reason, lookups: thread.lookups.size }, 'a forest thread crashed');
    for (const id of thread.lookups.keys()) {
      const { lookup } = end(thread, id)!;
      const crashes = lookup.crashes + 1;
      if (!lookup.job.isOpen) continue;
      if (crashes < MAX_CRASHES) retries.push({ ...lookup, crashes });
      else lookup.job.answer(lookup.index, unavailable(lookup.point, `its worker crashed ${crashes} times`));
    }
    schedule();
  }

  function drop(job: Job): void {
    lines.drop(job);
    for (const thread of threads) {
      for (const [id, lookup] of thread.lookups) if (lookup.job === job) thread.post({ type: 'abort', id });
      thread.post({ type: 'forget', job: job.id });
    }
  }

  const waiting = (): number => lines.waiting() + retries.length;

  return {
    async run(questions, { userId, crs, rawOutline, timeoutMs, signal }) {
      signal.throwIfAborted();
      if (isClosed) throw new Problem('shutting_down', 'The service is stopping.');
      const already = waiting();
      if (already > 0 && already + questions.length > options.maxWaiting)
        throw new Problem(
          'queue_full',
          `${already} lookups wait already and the service lets ${options.maxWaiting} wait; try again later.`,
          { retryAfterS: RETRY_AFTER_S },
        );
      const job: Job = createForestJob(questions, userId, crs, rawOutline);
      const leave = (): void => job.giveUp(signal.reason);
      const expire = (): void =>
        job.answerRest((point) => unavailable(point, `the batch took longer than ${timeoutMs / 1000} s`));
      const timer = setTimeout(expire, timeoutMs);
      signal.addEventListener('abort', leave, { once: true });
      if (job.waiting > 0) lines.add(job);
      open.add(job);
      schedule();
      try {
        return await job.answers;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        open.delete(job);
        drop(job);
      }
    },
    status: () => ({
      threads: threads.size,
      waiting: waiting(),
      working: [...threads].reduce((sum, { lookups }) => sum + lookups.size, 0),
    }),
    async close() {
      isClosed = true;
      for (const job of open) job.giveUp(new Problem('shutting_down', 'The service is stopping.'));
      await Promise.allSettled([...threads].map((thread) => thread.terminate()));
      for (const timer of [...watches.values(), ...idle.values()]) clearTimeout(timer);
    },
  };
}

/** Jobs with work to give out: users take turns, and so do the jobs of each of them. */
function createLines(turns: ReturnType<typeof createUserTurns>) {
  const lines = new Map<string, Job[]>();
  return {
    add(job: Job): void {
      const others = lines.get(job.userId);
      if (others === undefined) lines.set(job.userId, [job]);
      else others.push(job);
    },
    /** The next lookup of the user whose turn it is, from the job whose turn it is; null when there is none. */
    next(thread: Thread): Lookup | null {
      const user = turns.next(lines.keys());
      if (user === null) return null;
      const line = lines.get(user)!;
      const job = line.shift()!;
      const taken = job.take(thread);
      if (job.waiting > 0) line.push(job);
      if (line.length === 0) lines.delete(user);
      return taken && { job, ...taken, crashes: 0 };
    },
    drop(job: Job): void {
      const line = lines.get(job.userId) ?? [];
      const at = line.indexOf(job);
      if (at >= 0) line.splice(at, 1);
      if (line.length === 0) lines.delete(job.userId);
    },
    has: (userId: string): boolean => lines.has(userId),
    isEmpty: (): boolean => lines.size === 0,
    /** Lookups that nobody has begun. */
    waiting: (): number => [...lines.values()].flat().reduce((sum, job) => sum + job.waiting, 0),
  };
}

/** A dataset that is down fails for every point; one line in ten seconds is enough. */
function faultLog(log: Log): (dataset: string, detail: string) => void {
  const logged = new Map<string, number>();
  return (dataset, detail) => {
    const now = performance.now();
    if (now - (logged.get(dataset) ?? -Infinity) < LOG_EVERY_MS) return;
    logged.set(dataset, now);
    log.warn({ dataset, detail }, 'a forest source failed');
  };
}

/** A thread at work on a lookup that killed another one gets no other one. */
function isAlone({ lookups }: Thread): boolean {
  for (const { crashes } of lookups.values()) if (crashes > 0) return true;
  return false;
}

function unavailable(point: LonLat, reason: string): WrittenPatch {
  return writePatch(noPatch(point, forestWarning('source_unavailable', { reason })));
}
