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

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds: begin, duration, and processor time. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

const LONG = 100;
const THREAD = 'thread_name';
const TASK = 'ThreadControllerImpl::RunTask';
const WAIT = 'CommandBufferHelper::Finish';
/** Nothing else is kept: the drawing of maps in software makes millions of events. */
const KEPT: ReadonlySet<string> = new Set([THREAD, TASK, WAIT]);

/** Traces Chromium while something is done, and reads what the busiest page did. Tasks that wait do not count as the page's own work. */
export async function pageTasks(page: Page, work: () => Promise<void>): Promise<PageTasks> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as readonly TraceEvent[]) if (KEPT.has(event.name)) events.push(event);
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'gpu'] },
  });
  await work();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  session.once('Tracing.tracingComplete', resolve);
  await session.send('Tracing.end');
  await promise;
  await session.detach();
  const thread = ({ pid, tid }: TraceEvent): string => `${pid}:${tid}`;
  const mains = new Set(
    events.filter(({ name, args }) => name === THREAD && args.name === 'CrRendererMain').map(thread),
  );
  return [...mains]
    .map((main) => summed(events.filter((event) => event.ph === 'X' && thread(event) === main)))
    .reduce((busiest, each) => (each.own > busiest.own ? each : busiest));
}

/** Milliseconds of processor so far of all pages of a browser, and of its process that draws. */
export async function browserProcessor(page: Page): Promise<{ readonly pages: number; readonly drawing: number }> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const of = (kind: string): number =>
    processInfo.filter(({ type }) => type === kind).reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
  return { pages: of('renderer'), drawing: of('GPU') };
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
