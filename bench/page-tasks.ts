import type { Page } from 'playwright-core';

/** What a page did in tasks of its main thread, in milliseconds. */
export interface PageTasks {
  /** Processor time of the longest task and of all. */
  readonly longestOwn: number;
  readonly own: number;
  /** Tasks over 100 ms as they passed: how many, how long together, and how much of that they waited for the drawing of a canvas. */
  readonly long: number;
  readonly longTotal: number;
  readonly longDrawing: number;
}

/** Milliseconds of processor that a page and the process that draws took. */
export interface PageProcessor {
  readonly page: number;
  readonly drawing: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds: begin, duration, and processor time. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string; readonly data?: FrameData & { readonly frames?: readonly FrameData[] } };
}

interface FrameData {
  readonly isOutermostMainFrame?: boolean;
  readonly frame?: string;
  readonly processId?: number;
}

const LONG = 100;
const THREAD = 'thread_name';
const MAIN = 'CrRendererMain';
const TASK = 'ThreadControllerImpl::RunTask';
const WAIT = 'CommandBufferHelper::Finish';
/** The frames of the page when a trace begins, and those that a navigation puts into a process. */
const FRAMES: ReadonlySet<string> = new Set([
  'TracingStartedInBrowser',
  'FrameCommittedInBrowser',
  'ProcessReadyInBrowser',
]);
const FRAME_CATEGORY = 'disabled-by-default-devtools.timeline';
/** Nothing else is kept: the drawing of maps in software makes millions of events. */
const KEPT: ReadonlySet<string> = new Set([THREAD, TASK, WAIT, ...FRAMES]);

/**
 * Traces Chromium while something is done, and reads what the page did in the process that it is in at the end: not that of a page
 * before it, nor that of another window. Tasks that wait do not count as the page's own work.
 */
export async function pageTasks(page: Page, work: () => Promise<void>): Promise<PageTasks> {
  const events = await traced(page, [FRAME_CATEGORY, 'toplevel', 'gpu'], work);
  const pid = processOf(events);
  const main = events.find((event) => event.pid === pid && event.name === THREAD && event.args.name === MAIN);
  if (main === undefined) throw new Error(`the trace names no main thread of process ${pid}`);
  return summed(events.filter((event) => event.ph === 'X' && event.pid === pid && event.tid === main.tid));
}

/** What a page and the process that draws take while something is done; of the page what the process took that it is in at the end. */
export async function processorOf(page: Page, work: () => Promise<void>): Promise<PageProcessor> {
  const before = await processes(page);
  await work();
  const after = await processes(page);
  const pid = processOf(await traced(page, [FRAME_CATEGORY], () => Promise.resolve()));
  // A process that was not there before began at zero.
  const spent = ({ id, cpuTime }: Process): number =>
    (cpuTime - (before.find((each) => each.id === id)?.cpuTime ?? 0)) * 1_000;
  const of = (isMeant: (process: Process) => boolean): number =>
    after.filter(isMeant).reduce((sum, process) => sum + spent(process), 0);
  return { page: of(({ id }) => id === pid), drawing: of(({ type }) => type === 'GPU') };
}

interface Process {
  readonly id: number;
  readonly type: string;
  /** Seconds of processor so far. */
  readonly cpuTime: number;
}

async function processes(page: Page): Promise<readonly Process[]> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo;
}

/** The events of a trace that are kept. The session is the page's: that of the browser does not say which frame is where. */
async function traced(
  page: Page,
  includedCategories: string[],
  work: () => Promise<void>,
): Promise<readonly TraceEvent[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as readonly TraceEvent[]) if (KEPT.has(event.name)) events.push(event);
  });
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } });
  await work();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  session.once('Tracing.tracingComplete', resolve);
  await session.send('Tracing.end');
  await promise;
  await session.detach();
  return events;
}

/** The process that the page is in at the end of a trace. */
function processOf(events: readonly TraceEvent[]): number {
  const moves = events.filter(({ name }) => FRAMES.has(name)).toSorted((a, b) => a.ts - b.ts);
  const own = moves
    .flatMap(({ args: { data } }) => data?.frames ?? [])
    .find(({ isOutermostMainFrame }) => isOutermostMainFrame === true);
  const pid = moves
    .flatMap(({ args: { data } }) => data?.frames ?? data ?? [])
    .findLast(({ frame, processId }) => frame === own?.frame && processId !== undefined)?.processId;
  if (pid === undefined) throw new Error('the trace does not say which process the page is in');
  return pid;
}

function summed(events: readonly TraceEvent[]): PageTasks {
  const tasks = events.filter(({ name }) => name === TASK);
  const waits = events.filter(({ name }) => name === WAIT);
  const long = tasks.filter(({ dur = 0 }) => dur > LONG * 1_000);
  const inside = (task: TraceEvent): number =>
    waits
      .filter(({ ts, dur = 0 }) => ts >= task.ts && ts + dur <= task.ts + (task.dur ?? 0))
      .reduce((sum, { dur = 0 }) => sum + dur, 0);
  const own = tasks.map(({ tdur = 0 }) => tdur / 1_000);
  return {
    longestOwn: own.reduce((longest, each) => Math.max(longest, each), 0),
    own: own.reduce((sum, each) => sum + each, 0),
    long: long.length,
    longTotal: long.reduce((sum, { dur = 0 }) => sum + dur / 1_000, 0),
    longDrawing: long.reduce((sum, task) => sum + inside(task) / 1_000, 0),
  };
}
