export interface ProgressBar {
  /** `total` null shows a count without a bar. */
  update(done: number, total: number | null): void;
  /** Clears the line. */
  finish(): void;
}

/** Shows nothing. */
export const NO_PROGRESS_BAR: ProgressBar = { update: () => {}, finish: () => {} };

/** Screen updates a second; more only costs time. */
const UPDATES_PER_S = 10;

/** A line that rewrites itself with share, rate and time left; silent when `stream` is not a terminal. */
export function createProgressBar(
  stream: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number },
  unit: string,
  now: () => number = () => performance.now(),
): ProgressBar {
  if (!stream.isTTY) return NO_PROGRESS_BAR;
  const begun = now();
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    update(done, total) {
      const time = now();
      if (time - shownAt < 1000 / UPDATES_PER_S && done !== total) return;
      shownAt = time;
      stream.write(`\r\u001B[2K${progressLine(done, total, (time - begun) / 1000, unit, stream.columns ?? 80)}`);
    },
    finish() {
      stream.write('\r\u001B[2K');
    },
  };
}

/** The same items, counted on a bar as they pass. */
export async function* withProgress<T>(
  items: AsyncIterable<T>,
  bar: ProgressBar,
  total: number | null,
): AsyncGenerator<T> {
  let done = 0;
  for await (const item of items) {
    bar.update(++done, total);
    yield item;
  }
}

/** One line of at most `columns` characters, such as `[######......]  50 %  5,000/10,000 facilities  2,100/s  2 s left`. */
export function progressLine(
  done: number,
  total: number | null,
  seconds: number,
  unit: string,
  columns: number,
): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const speed = `${Math.round(rate).toLocaleString('en')}/s`;
  if (total === null || total === 0) return `${done.toLocaleString('en')} ${unit}  ${speed}`.slice(0, columns);
  const share = Math.min(1, done / total);
  const left = rate > 0 ? `${Math.ceil((total - done) / rate)} s left` : '';
  const text = `${String(Math.floor(share * 100)).padStart(3)} %  ${done.toLocaleString('en')}/${total.toLocaleString('en')} ${unit}  ${speed}  ${left}`;
  const width = Math.min(30, columns - text.length - 4);
  if (width < 5) return text.slice(0, columns);
  const filled = Math.round(share * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${text}`;
}
