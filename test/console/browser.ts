import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after } from 'node:test';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { ROOT } from '../end-to-end/run-service.ts';

// First the one without windows of its own, which starts in half of the processor time.
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
/** Longer than the slowest answer of a busy machine; whoever works on a test learns sooner what it waits for. */
const PATIENCE_MS = process.env['CI'] === 'true' ? 240_000 : 40_000;
const SHOTS = join(ROOT, '.tmp/console');

/** Where Chromium is: `CHROMIUM`, or where Debian and Chrome put it; null when it is nowhere. */
export function findChromium(): string | null {
  return [process.env['CHROMIUM'] ?? '', ...PLACES].find((path) => path !== '' && existsSync(path)) ?? null;
}

/** False, or why tests in the browser are skipped. With REQUIRE_CHROMIUM=1 it throws in place of skipping. */
export function browserSkip(): string | false {
  const missing =
    findChromium() === null
      ? 'no Chromium was found; install it (Debian: apt-get install chromium-headless-shell) or name it in CHROMIUM'
      : existsSync(join(ROOT, 'dist/console/index.html'))
        ? null
        : 'the console is not built; npm run build:console builds it';
  if (missing === null) return false;
  if (process.env['REQUIRE_CHROMIUM'] === '1') throw new Error(`REQUIRE_CHROMIUM=1 and ${missing}`);
  console.error(`SKIPPED: the console was not tried in a browser: ${missing}`);
  return missing;
}

export interface ConsoleBrowser extends AsyncDisposable {
  /** A window of its own, with nothing kept from another. */
  open(options?: WindowOptions): Promise<ConsoleWindow>;
}

export interface WindowOptions {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly locale?: string;
  /**
   * Default: what the browser was opened with. Without them a page is as in a browser that has no WebGL: drawing maps in software
   * takes as much processor time as everything else.
   */
  readonly maps?: boolean;
}

export interface ConsoleWindow extends AsyncDisposable {
  readonly page: Page;
  /** What went wrong since the window was opened: requests to elsewhere, violations of the policy, errors of the page. */
  readonly faults: readonly string[];
  /** Goes to an address of the console. */
  go(path: string): Promise<void>;
  /** Signs in with a token and waits until the page knows who that is. */
  signIn(token: string): Promise<void>;
  /** Every violation of the accessibility rules A and AA, with the elements. */
  axe(): Promise<readonly string[]>;
  /** Whether something is wider than the window. */
  overflows(): Promise<boolean>;
  /** Keeps a picture to be looked at; none where nobody is, under CI=true. */
  shot(name: string): Promise<void>;
  /** Waits until the map stands still with all of its data drawn, where there are maps. */
  mapIdle(): Promise<void>;
}

let kept: Promise<Browser> | undefined;
let isKept = false;

/** Lets all test files of this process use one Chromium, which ends after the tests around the call. */
export function keepBrowser(): void {
  isKept = true;
  after(async () => (await kept)?.close());
}

const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });

/** Starts Chromium for the console at an address. */
export async function openBrowser(base: string, { maps = false } = {}): Promise<ConsoleBrowser> {
  const browser = await (isKept ? (kept ??= launch()) : launch());
  const windows: ConsoleWindow[] = [];
  return {
    async open(options = {}) {
      const window = await openWindow(browser, base, { maps, ...options });
      windows.push(window);
      return window;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(windows.map((window) => window[Symbol.asyncDispose]()));
      if (!isKept) await browser.close();
    },
  };
}

async function openWindow(browser: Browser, base: string, options: WindowOptions): Promise<ConsoleWindow> {
  const { theme = 'light', width = 1280, height = 800, locale = 'en-GB', maps = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    // Every frame of a motion is drawn in software.
    reducedMotion: 'reduce',
    locale,
    acceptDownloads: true,
  });
  if (!maps) await context.addInitScript({ content: NO_WEBGL });
  else if (process.env['CI'] === 'true') await context.addInitScript({ content: COARSE_MAPS });
  const faults: string[] = [];
  const page = await watched(context, base, faults);
  return {
    page,
    faults,
    async go(path) {
      await page.goto(`${base}${path}`);
    },
    async signIn(token) {
      await page.getByLabel('Token', { exact: true }).fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('.who').waitFor();
    },
    axe: () => axeViolations(page),
    overflows: () => page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth'),
    async shot(name) {
      if (process.env['CI'] === 'true') return;
      await mkdir(SHOTS, { recursive: true });
      await page.screenshot({ path: join(SHOTS, `${name}-${theme}-${width}.png`) });
    },
    async mapIdle() {
      if (maps) await page.locator('.map-canvas[data-idle]').waitFor();
    },
    async [Symbol.asyncDispose]() {
      await context.close();
    },
  };
}

const NO_WEBGL = `{
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest);
  };
}`;
// Maps of a quarter of the pixels, in half of the processor time, where nobody looks at pictures; the layout of the page stays.
const COARSE_MAPS = `Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.5 })`;
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('Content Security Policy: ' + event.violatedDirective + ' ' + event.blockedURI))`;

async function watched(context: BrowserContext, base: string, faults: string[]): Promise<Page> {
  await context.addInitScript({ content: REPORT_VIOLATIONS });
  const page = await context.newPage();
  // For all that is waited for: a busy machine must not be taken for a fault.
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${base}/`) && !/^(blob|data):/.test(url)) faults.push(`request to ${url}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) faults.push(message.text());
  });
  return page;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// What is right is neither described nor sent from the page: it is a thousand times as much as what is wrong.
const FIND_VIOLATIONS = `axe
  .run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    resultTypes: ['violations'],
  })
  .then(({ violations }) => ({ violations }))`;

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
  }[];
}

async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>(FIND_VIOLATIONS);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary = '' }) =>
        `${id}: ${help}: ${target.join(' ')} ${failureSummary.replaceAll('\n', ' ')}`,
    ),
  );
}
