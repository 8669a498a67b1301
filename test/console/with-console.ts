import { after, before } from 'node:test';
import { runService, type RunningProcess, type RunOptions } from '../end-to-end/run-service.ts';
import { openBrowser, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';

export interface OpenConsole {
  readonly service: RunningProcess;
  readonly browser: ConsoleBrowser;
  readonly window: ConsoleWindow;
}

interface ConsoleOptions extends RunOptions {
  readonly maps?: boolean;
  /** Starts the service; default `runService`. */
  readonly start?: (options: RunOptions) => Promise<RunningProcess>;
}

/** A service, a browser and a window for the tests of a `describe`; `take` is given them before the first of these. */
export function withConsole(
  take: (opened: OpenConsole) => void,
  { maps = false, start = runService, ...options }: ConsoleOptions = {},
): void {
  const stack = new AsyncDisposableStack();
  before(async () => {
    const service = stack.use(await start(options));
    const browser = stack.use(await openBrowser(service.url, { maps }));
    take({ service, browser, window: await browser.open() });
  });
  after(() => stack.disposeAsync());
}
