import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import de from '../../console/text/de.json' with { type: 'json' };
import { runService, type RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, openBrowser, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

/** The shape of a token and a right checksum, of no installation. */
const STRANGE = 'fm_0000000000000000000000000003Bhj67';

describe('the first minutes', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, browser, window } = opened));

  it('say what this is, and have the focus in the field', async () => {
    const { page } = window;
    await window.go('/console');
    await page.getByRole('heading', { name: 'Firstmile checks where commodities come from' }).waitFor();
    await page.keyboard.type('fm_short');
    assert.equal(await page.getByLabel('Token', { exact: true }).inputValue(), 'fm_short');
    assert.deepEqual(await window.axe(), []);
    await window.shot('sign-in');
  });

  it('name the true fault of a token', async () => {
    const { page } = window;
    const fault = async (token: string, text: string): Promise<void> => {
      await page.getByLabel('Token', { exact: true }).fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText(text).waitFor();
    };
    await fault('fm_short', 'The token is incomplete or mistyped');
    await fault(`fm_${'A'.repeat(33)}`, 'The token is incomplete or mistyped');
    await fault('ana@example.org', 'This is not a token of Firstmile');
    await fault(' Bearer ', 'No token was given');
    await fault(STRANGE, 'This token is not known here');
    assert.deepEqual(await window.axe(), []);
    await page.getByRole('button', { name: 'Password', exact: true }).click();
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.keyboard.type('nobody@example.org');
    await page.getByLabel('Password', { exact: true }).fill('wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Email or password wrong').waitFor();
    await page.getByRole('button', { name: 'Token', exact: true }).click();
  });

  it('name it in the language of the reader', async () => {
    await using german = await browser.open({ locale: 'de-DE' });
    const { page } = german;
    await german.go('/console');
    const fault = async (token: string, text: string): Promise<void> => {
      await page.getByLabel(de['signIn.token'], { exact: true }).fill(token);
      await page.getByRole('button', { name: de['signIn.submit'] }).click();
      await page.getByRole('alert').getByText(text).waitFor();
    };
    await fault(`fm_${'A'.repeat(33)}`, de['signIn.fault.cut']);
    await fault('ana@example.org', de['signIn.fault.other']);
    await fault(STRANGE, de['signIn.fault.ended']);
    assert.doesNotMatch(await page.getByRole('alert').innerText(), /\b(the|token is)\b/i);
  });

  it('take a pasted header', async () => {
    const { page } = window;
    const [front, end] = [service.token.slice(0, 12), service.token.slice(12)];
    await page.getByLabel('Token', { exact: true }).fill(`  Authorization: Bearer ${front} ${end}"`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: "Check your suppliers' locations" }).waitFor();
    await page.getByText('Nothing was checked yet').waitFor();
    await window.mapIdle();
    await page.getByText('The frames show the coverage of').waitFor();
    assert.deepEqual(await window.axe(), []);
    assert.equal(await window.overflows(), false);
  });

  it('share the session with a second tab, and its end', async () => {
    const second = await window.page.context().newPage();
    await second.goto(`${service.url}/console/collections`);
    await second.getByRole('heading', { name: 'No collections yet' }).waitFor();
    assert.equal(await second.evaluate('localStorage.length + document.cookie.length'), 0);
    await second.locator('.who summary').click();
    await second.getByRole('button', { name: 'Sign out' }).click();
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    await window.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // Whoever signs in in one tab is signed in in the other.
    await window.signIn(service.token);
    await second.locator('.who').waitFor();
    await second.close();
  });

  it('show a sample in one click, and then its name, commodity and result among the recent work', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Try it with a sample' }).click();
    await page.locator('.vtable-body [role=row]').nth(5).waitFor();
    await page.getByRole('link', { name: 'Firstmile' }).click();
    const item = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'sample.geojson' }) });
    await item.waitFor();
    assert.match(await item.innerText(), /(high|medium|low|unverified) \d/);
    assert.doesNotMatch(await item.innerText(), /not processed/);
    await window.mapIdle();
    await window.shot('home');
    assert.deepEqual(await window.axe(), []);
    await item.getByRole('link').click();
    await page.locator('.vtable-body [role=row]').nth(5).waitFor();
    assert.deepEqual(window.faults, []);
  });

  it('work in the dark and on a narrow screen', async () => {
    await using other = await browser.open({ theme: 'dark', width: 390, height: 844 });
    await other.go('/console');
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.shot('sign-in');
    assert.equal(await other.overflows(), false);
    assert.deepEqual(await other.axe(), []);
    await other.signIn(service.token);
    await other.page.getByRole('link', { name: 'sample.geojson' }).waitFor();
    await other.mapIdle();
    await other.shot('home');
    assert.equal(await other.overflows(), false);
    assert.deepEqual(await other.axe(), []);
    // The page that is shown is not in the faded end of the strip of pages.
    for (const path of ['collections', 'webhooks', 'tokens', 'datasets']) {
      await other.go(`/console/${path}`);
      await other.page.locator('main h1').waitFor();
      const room = await other.page.evaluate<number>(`(() => {
        const strip = document.querySelector('.top nav');
        const [link, whole] = [strip.querySelector('[aria-current]'), strip].map((each) => each.getBoundingClientRect());
        return whole.right - (strip.dataset.after === 'true' ? 56 : 0) - link.right;
      })()`);
      assert.ok(room >= 0, `${path} is hidden by ${-room} px`);
    }
  });
});

describe('a service that is away', { skip: browserSkip() }, () => {
  it('is waited for: signing in, and a page that was reloaded, go on by themselves when it is back', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-away-'));
    try {
      const first = await runService({ dataDir });
      const start = () => runService({ dataDir, env: { PORT: new URL(first.url).port } });
      await using browser = await openBrowser(first.url);
      await using window = await browser.open();
      const { page } = window;
      await window.go('/console');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await first.stop();
      await page.getByLabel('Token', { exact: true }).fill(first.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('Your token was not refused').waitFor();
      const second = await start();
      await page.getByRole('heading', { name: "Check your suppliers' locations" }).waitFor();
      await second.stop();
      await page.getByRole('link', { name: 'Collections' }).click();
      await page.getByRole('alert').first().waitFor();
      await using third = await start();
      assert.equal(third.url, first.url);
      await page.getByRole('heading', { name: 'No collections yet' }).waitFor();
    } finally {
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
    }
  });
});
