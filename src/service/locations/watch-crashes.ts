import { CRASHES_OF_STEP } from '../../db/tasks/crash-limits.ts';
import { Problem } from '../../errors.ts';
import type { Checkpoints, TaskCrashes } from '../../jobs/checkpoints.ts';
import type { CrashWatch, FileStep, LocationWork } from '../../locations/crash-watch.ts';

/**
 * Rows that are set aside while the file is gone through as a whole. Each costs two passes in which nothing is kept; where
 * there are more, it is the file or the machine that crashes the thread.
 */
export const ROWS_SET_ASIDE = 100;

/** Rows that a reader may read ahead of those it has given: a stream holds 16. */
const READ_AHEAD = 24;

/** Passes over rows by what earlier runs of the task crashed on. */
export interface TaskWatch extends CrashWatch {
  /** From now on several locations are worked on at once, and none is blamed. */
  endOneByOne(): void;
}

/**
 * How to go through a file after what earlier runs of its task met: after a crash, locations before `oneByOneUntil` are processed one by
 * one.
 * @throws Problem `task_failed` when the file cannot be opened, or too many of its rows crash the thread.
 */
export function watchCrashes(
  store: Pick<Checkpoints, 'begin'>,
  { count, bySteps }: TaskCrashes,
  oneByOneUntil: number,
): TaskWatch {
  const aside = new Map<string, number>(Object.entries(bySteps).filter(([, crashes]) => crashes >= CRASHES_OF_STEP));
  const opening = aside.get('opening the file');
  if (opening !== undefined)
    throw failed(`opening the file ended its worker process ${opening} times; no row of it was read`);
  if (
    aside
      .keys()
      .filter((step) => !step.startsWith('processing '))
      .toArray().length > ROWS_SET_ASIDE
  )
    throw failed(
      `more than ${ROWS_SET_ASIDE} rows ended their worker process while the file was read and compared, and nothing was made of it`,
    );
  let until = count === 0 ? 0 : oneByOneUntil;
  let isAlone = true;
  const endOneByOne = (): void => {
    if (!isAlone) return;
    isAlone = false;
    until = 0;
    store.begin(null);
  };
  return {
    get isOneByOne() {
      return until > 0;
    },
    begin(step) {
      if (isAlone) store.begin(step);
    },
    beginLocation(work, number) {
      if (isAlone) store.begin(stepOf(work, number));
    },
    crashesOf: (work, number) => (aside.size === 0 ? 0 : (aside.get(stepOf(work, number)) ?? 0)),
    unreadFrom: (table) => unreadFrom(table, bySteps),
    process(number) {
      if (number < until) store.begin(stepOf('processing', number));
      else endOneByOne();
    },
    endOneByOne,
    forget() {
      endOneByOne();
      aside.clear();
    },
  };
}

function stepOf(work: LocationWork, number: number): FileStep {
  return `${work} location ${number + 1}`;
}

/**
 * Where to stop before what crashes a reader. Crashes of one reader count together, because one that reads ahead does not crash
 * at the same row each time, and may crash after it was stopped: each further crash stops it earlier.
 */
function unreadFrom(table: number, bySteps: TaskCrashes['bySteps']): ReturnType<CrashWatch['unreadFrom']> {
  const met = Object.entries(bySteps).flatMap(([step, crashes]) => {
    const [, row, of] = /^reading row (\d+) of table (\d+)$/.exec(step) ?? [];
    return Number(of) === table + 1 ? [{ row: Number(row) - 1, crashes }] : [];
  });
  const crashes = met.reduce((sum, one) => sum + one.crashes, 0);
  if (crashes < CRASHES_OF_STEP) return null;
  const last = Math.max(...met.map(({ row }) => row));
  const further = crashes - CRASHES_OF_STEP;
  if (further === 0) return { row: last, crashes };
  return { row: Math.max(0, Math.min(last - READ_AHEAD, Math.floor(last / 2 ** (further - 1)))), crashes };
}

function failed(detail: string): Problem {
  return new Problem('task_failed', `The task was not run again: ${detail}.`);
}
