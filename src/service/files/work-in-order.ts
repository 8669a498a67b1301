/** Parts that a helper is given at the same time, so that it has work while the thread that cuts waits for a processor. */
export const PARTS_OF_HELPER = 2;

/** A thread that works on parts; the first one is the thread that cuts them. */
interface Lane<P, R> {
  /** Parts that it takes at the same time; 0 once it has ended. */
  room: number;
  atWork: number;
  work(part: P): Promise<R>;
}

/** A part on its way; parts leave in their order. */
interface Waiting<R> {
  readonly result: Promise<R>;
  isSettled: boolean;
}

interface OrderedWork<P, R> {
  readonly parts: AsyncIterable<P>;
  readonly lanes: readonly Lane<P, R>[];
  /** Parts that are cut and not handed on: where a helper waits for a processor, the other threads go on meanwhile. */
  readonly most: number;
  /** A part that is worked on in the thread that cuts alone, since that one is watched. */
  readonly isLarge: (part: P) => boolean;
  readonly signal: AbortSignal;
}

/** A thread that is gone: it crashed, ran out of memory, or was closed. */
export class HelperEnded extends Error {}

/** The thread that cuts, then `helpers`; what one of them was given when it ended is worked on here. */
export function lanesOf<P, R, H>(
  helpers: readonly H[],
  here: (part: P) => Promise<R>,
  there: (helper: H, part: P) => Promise<R>,
  signal: AbortSignal,
): readonly Lane<P, R>[] {
  return [
    { room: 1, atWork: 0, work: here },
    ...helpers.map((helper): Lane<P, R> => {
      const lane = {
        room: PARTS_OF_HELPER,
        atWork: 0,
        async work(part: P): Promise<R> {
          try {
            return await there(helper, part);
          } catch (error) {
            if (!(error instanceof HelperEnded) || signal.aborted) throw error;
            lane.room = 0;
            return await here(part);
          }
        },
      };
      return lane;
    }),
  ];
}

/** The results of the parts in the order of the parts, which are cut no faster than results are taken. */
export async function* workInOrder<P, R>({
  parts,
  lanes,
  most,
  isLarge,
  signal,
}: OrderedWork<P, R>): AsyncGenerator<R, void> {
  const waiting: Waiting<R>[] = [];
  let changed = Promise.withResolvers<void>();

  function start(part: P, lane: Lane<P, R>): void {
    lane.atWork++;
    const one: Waiting<R> = { result: lane.work(part), isSettled: false };
    const settle = (): void => {
      lane.atWork--;
      one.isSettled = true;
      changed.resolve();
    };
    one.result.then(settle, settle);
    waiting.push(one);
  }

  for await (const part of parts) {
    for (;;) {
      signal.throwIfAborted();
      while (isReady(waiting)) yield await waiting.shift()!.result;
      const lane = waiting.length < most ? laneFor(lanes, isLarge(part)) : null;
      if (lane !== null) {
        start(part, lane);
        break;
      }
      changed = Promise.withResolvers();
      if (!isReady(waiting)) await changed.promise;
    }
  }
  for (const { result } of waiting) yield await result;
}

function isReady(waiting: readonly Waiting<unknown>[]): boolean {
  return waiting.length > 0 && waiting[0].isSettled;
}

/** Helpers first, since the thread that cuts has the cutting and the writing to do as well. */
function laneFor<P, R>(lanes: readonly Lane<P, R>[], isLarge: boolean): Lane<P, R> | null {
  const able = isLarge ? lanes.slice(0, 1) : lanes.toReversed();
  return able.find(({ atWork, room }) => atWork < room) ?? null;
}
