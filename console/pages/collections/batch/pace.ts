/** How far work had come at a moment. */
export interface Sample {
  /** Milliseconds of any clock. */
  readonly atMs: number;
  readonly phase: string | null;
  readonly done: number;
}

interface Pace {
  /** Null until enough has been measured. */
  readonly perSecond: number | null;
  /** Seconds to the end of the phase at this pace; null where unknown. */
  readonly leftS: number | null;
}

/** Older samples say little of the pace of now. */
const WINDOW_MS = 30_000;
const MIN_SPAN_MS = 1_000;

/** Adds a sample; a new phase and a step back start again. */
export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last === undefined || last.phase !== sample.phase || sample.done < last.done) return [sample];
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= WINDOW_MS), sample];
}

export function paceOf(samples: readonly Sample[], total: number | null): Pace {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.atMs - first.atMs < MIN_SPAN_MS || last.done === first.done)
    return { perSecond: null, leftS: null };
  const perSecond = ((last.done - first.done) / (last.atMs - first.atMs)) * 1_000;
  return { perSecond, leftS: total === null ? null : Math.max(0, (total - last.done) / perSecond) };
}
