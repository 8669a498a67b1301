import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../end-to-end/run-service.ts';
import { openBrowser, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { prepareViews, runTourService, showView, signInAnyhow, type View } from './tour.ts';

/*
 * Pictures of every view of the console, to be looked at: `node test/console/look.ts WIDTH[xHEIGHT]-THEME[-LOCALE],... [VIEWS]`, such as
 * `1440-dark,390-light-de-DE '^facility'`; 640x400 is a window of 1280 at 200 %. In place of a theme: `print` makes what is printed as
 * PDF, `loading` shows what stands there while nothing was answered yet, `failed` what stands there when every question failed. They
 * lie in `.tmp/views`.
 */

const USUAL = '1440-light,1440-dark,1280-light,1280-dark,390-light,390-dark';
/** Pixels of the highest picture of a page that scrolls. */
const MOST_HIGH = 6_000;
/** Until a view that waits shows that it does. */
const STATE_MS = 1_500;
const MEASURE = `(() => {
  const main = document.querySelector('main');
  const fills = main.querySelector('.results, .split, .collection[data-tab=plots], .collection[data-tab=sheds]');
  return fills === null ? main.scrollHeight + main.getBoundingClientRect().top : 0;
})()`;

const [combinations = USUAL, wanted = ''] = process.argv.slice(2);
await using service = await runTourService();
await using browser = await openBrowser(service.url, { maps: true });
const views = (await prepareViews(service)).filter(({ name }) => new RegExp(wanted).test(name));
for (const combination of combinations.split(',')) await look(browser, combination, service.token, views);

async function look(from: ConsoleBrowser, combination: string, token: string, among: readonly View[]): Promise<void> {
  const [sizes = '', theme = '', ...locale] = combination.split('-');
  const [width = 0, given] = sizes.split('x').map(Number);
  const size = { width, height: given ?? (width < 500 ? 844 : 900) };
  const folder = join(ROOT, '.tmp/views', combination);
  await mkdir(folder, { recursive: true });
  await using window = await from.open({
    ...size,
    theme: theme === 'dark' ? 'dark' : 'light',
    ...(locale.length > 0 && { locale: locale.join('-') }),
  });
  const { page } = window;
  await window.go('/console');
  await page.locator('form').waitFor();
  if (!isState(theme)) await page.screenshot({ path: join(folder, 'sign-in.png') });
  await signInAnyhow(window, token);
  for (const view of among) {
    if (isState(theme)) await showState(window, theme, view);
    else await showView(window, view);
    if (theme === 'print') {
      await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
      await page.pdf({ path: join(folder, `${view.name}.pdf`), preferCSSPageSize: true, printBackground: true });
      continue;
    }
    const high = given === undefined ? Number(await page.evaluate(MEASURE)) : 0;
    if (high > size.height) await page.setViewportSize({ ...size, height: Math.min(high, MOST_HIGH) });
    await page.screenshot({ path: join(folder, `${view.name}.png`), animations: 'disabled' });
    await page.setViewportSize(size);
    if (await window.overflows()) console.log(`${combination} ${view.name} is wider than the window`);
  }
  for (const fault of window.faults) console.log(`${combination} ${fault}`);
}

function isState(theme: string): theme is 'loading' | 'failed' {
  return theme === 'loading' || theme === 'failed';
}

/** Opens a view whose questions are not answered yet, or failed: all but those of who is signed in. */
async function showState({ page, go }: ConsoleWindow, state: 'loading' | 'failed', view: View): Promise<void> {
  await page.unrouteAll();
  await go('/console/nowhere');
  await page.locator('.who').waitFor();
  await page.route(
    (url) => !/^\/(console|me$|$)/.test(url.pathname),
    (route) => (state === 'failed' ? route.fulfill({ status: 500, body: '' }) : undefined),
  );
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(`/console/${view.path}`)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.waitForTimeout(STATE_MS);
}
