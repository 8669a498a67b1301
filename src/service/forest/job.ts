import type { WrittenPatch } from '../../forest/feature-text.ts';
import { type PointQuestion, workOrder } from '../../forest/find-patches.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';

/** The lookups of one request, handed out one by one. `W` is who works on them. */
export interface ForestJob<W> {
  /** Of no other job of this process. */
  readonly id: number;
  readonly userId: string;
  /** Name of the output CRS. */
  readonly crs: string;
  /** Whether outlines before smoothing are wanted as well. */
  readonly rawOutline: boolean;
  /** Lookups that nobody has begun. */
  readonly waiting: number;
  /** False once all is answered or the job was given up. */
  readonly isOpen: boolean;
  readonly answers: Promise<readonly WrittenPatch[]>;
  /** Begins the next lookup for a worker: it goes on among the neighbours of its last one while there are any. */
  take(worker: W): { readonly index: number; readonly point: LonLat } | null;
  answer(index: number, patch: WrittenPatch): void;
  /** Answers everything that is still open with the same patch, made for each point. */
  answerRest(patchOf: (point: LonLat) => WrittenPatch): void;
  giveUp(reason: unknown): void;
}

let lastId = 0;

export function createForestJob<W>(
  questions: readonly PointQuestion[],
  userId: string,
  crs: string,
  rawOutline: boolean = false,
): ForestJob<W> {
  const answers: (WrittenPatch | null)[] = questions.map(({ refused }) => refused);
  const groups = workOrder(questions.map(({ point }) => point)).map((members) => [...members]);
  const held = new Map<W, number[]>();
  const { promise, resolve, reject } = Promise.withResolvers<readonly WrittenPatch[]>();
  let waiting = groups.reduce((sum, group) => sum + group.length, 0);
  let open = waiting;
  if (open === 0) resolve(answers as WrittenPatch[]);

  function nextGroup(worker: W): number[] | undefined {
    const own = held.get(worker);
    if (own !== undefined && own.length > 0) return own;
    const fresh = groups.shift() ?? longest(held.values());
    if (fresh !== undefined) held.set(worker, fresh);
    return fresh;
  }

  const job: ForestJob<W> = {
    id: ++lastId,
    userId,
    crs,
    rawOutline,
    get waiting() {
      return waiting;
    },
    get isOpen() {
      return open > 0;
    },
    answers: promise,
    take(worker) {
      if (waiting === 0) return null;
      const index = nextGroup(worker)?.shift();
      const point = index === undefined ? null : questions[index]?.point;
      if (index === undefined || !point) return null;
      waiting--;
      return { index, point };
    },
    answer(index, patch) {
      if (open === 0 || answers[index] !== null) return;
      answers[index] = patch;
      if (--open === 0) resolve(answers as WrittenPatch[]);
    },
    answerRest(patchOf) {
      waiting = 0;
      for (const [index, { point }] of questions.entries()) if (point !== null) job.answer(index, patchOf(point));
    },
    giveUp(reason) {
      waiting = 0;
      open = 0;
      reject(reason as Error);
    },
  };
  return job;
}

/** The group with the most lookups left, so that a worker without one of its own helps where it counts. */
function longest(groups: Iterable<number[]>): number[] | undefined {
  let best: number[] | undefined;
  for (const group of groups) if (group.length > (best?.length ?? 0)) best = group;
  return best;
}
