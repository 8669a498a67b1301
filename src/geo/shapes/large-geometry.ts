import { threadId } from 'node:worker_threads';

/** Bytes of text or WKB from which a geometry takes the only turn: about 130,000 vertices. Its lists take about 10 times that. */
export const LARGE_GEOMETRY_BYTES = 2_000_000;

/** The turn that threads of one process share: 1 more than the id of the thread that has it, or 0. */
export type LargeGeometryTurn = Int32Array;

/** How this thread takes the turn. */
interface SharedTurn {
  readonly turn: LargeGeometryTurn;
  /** Called every `everyMs` while the thread waits and can do nothing else. */
  readonly whileWaiting: () => void;
  readonly everyMs: number;
}

let shared: SharedTurn | null = null;

/** A turn that nobody has, to be handed to threads. */
export function createLargeGeometryTurn(): LargeGeometryTurn {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** From now on this thread waits for its turn before it lays out a large geometry. Threads without a shared turn never wait. */
export function shareLargeGeometryTurn(options: SharedTurn): void {
  shared = options;
}

/**
 * Blocks this thread while another one works on a large geometry, so that the memory of the process does not grow with
 * the number of threads. The turn is kept until `leaveLargeGeometryTurn`.
 *
 * @param bytes of the geometry as it was read, before it is laid out in lists.
 */
export function takeLargeGeometryTurn(bytes: number): void {
  if (shared === null || bytes < LARGE_GEOMETRY_BYTES) return;
  const { turn, whileWaiting, everyMs } = shared;
  for (;;) {
    const holder = Atomics.compareExchange(turn, 0, 0, threadId + 1);
    if (holder === 0 || holder === threadId + 1) return;
    whileWaiting();
    Atomics.wait(turn, 0, holder, everyMs);
  }
}

/** Whether thread `id` has the turn. */
export function hasLargeGeometryTurn(turn: LargeGeometryTurn, id: number): boolean {
  return Atomics.load(turn, 0) === id + 1;
}

/** Gives the turn of thread `id` to the next; does nothing where it does not have it. */
export function leaveLargeGeometryTurn(turn: LargeGeometryTurn, id: number): void {
  if (Atomics.compareExchange(turn, 0, id + 1, 0) === id + 1) Atomics.notify(turn, 0, 1);
}
