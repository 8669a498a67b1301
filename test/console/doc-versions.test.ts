import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { writeVersion } from '../../src/http/pages/site/write-versions.ts';
import { browserSkip, type ConsoleBrowser, openBrowser } from './browser.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

describe('the menu of versions of the documentation', { skip: browserSkip() }, () => {
  let folder: string;
  let server: Server;
  let browser: ConsoleBrowser;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-versions-'));
    for (const version of ['0.1.0', '0.2.0', '0.3.0-rc.1']) await writeVersion(folder, version);
    // A page that the newest version has no longer; the lists are made of the folders.
    await rm(join(folder, '0.2.0/glossary.html'));
    await writeVersion(folder, '0.3.0-rc.1');
    server = createServer((request, response) => {
      const path = join(folder, new URL(request.url ?? '/', 'http://x').pathname.replace(/\/$/, '/index.html'));
      readFile(path).then(
        (bytes) => response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain').end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    browser = await openBrowser(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  after(async () => {
    await browser[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  for (const width of [1440, 390])
    it(`leads to the same page of another version at ${width} pixels`, async () => {
      await using window = await browser.open({ width, theme: width === 390 ? 'dark' : 'light' });
      const { page } = window;
      await window.go('/');
      await page.waitForURL('**/0.2.0/index.html');
      assert.equal(await page.locator('.banner').count(), 0);
      await window.go('/0.2.0/verdicts.html');
      const menu = page.locator('.versions');
      await menu.locator('summary').focus();
      await page.keyboard.press('Enter');
      assert.deepEqual(await menu.getByRole('link').allInnerTexts(), ['0.3.0-rc.1', '0.2.0 (newest)', '0.1.0']);
      assert.deepEqual(await window.axe(), []);
      assert.equal(await window.overflows(), false);
      await window.shot('doc-versions-menu');
      await page.keyboard.press('Escape');
      assert.equal(await menu.getByRole('link').first().isVisible(), false);
      await menu.locator('summary').click();
      await menu.getByRole('link', { name: '0.1.0' }).click();
      await page.waitForURL('**/0.1.0/verdicts.html');
      assert.equal(
        await page.locator('.banner').innerText(),
        'This is the documentation of version 0.1.0; the newest is 0.2.0.',
      );
      assert.deepEqual(await window.axe(), []);
      assert.equal(await window.overflows(), false);
      await window.shot('doc-versions-banner');
      await page.locator('.banner a').click();
      await page.waitForURL('**/0.2.0/verdicts.html');
      await window.go('/versions.html');
      assert.deepEqual(await window.axe(), []);
      await window.shot('doc-versions-list');
      assert.deepEqual(window.faults, []);
    });

  it('leads to the first page where the other version lacks the page, and up from a folder', async () => {
    await using window = await browser.open();
    const { page } = window;
    await window.go('/0.1.0/glossary.html');
    await page.locator('.banner a').click();
    await page.waitForURL('**/0.2.0/index.html');
    await window.go('/0.3.0-rc.1/decisions/2026-11-23-documentation-site.html');
    assert.equal(
      await page.locator('.banner').innerText(),
      'This is the documentation of version 0.3.0-rc.1, a pre-release; the newest release is 0.2.0.',
    );
    await page.locator('.banner a').click();
    await page.waitForURL('**/0.2.0/decisions/2026-11-23-documentation-site.html');
    assert.deepEqual(window.faults, []);
  });

  it('works from a disk, and is a link to the list without the script', async () => {
    await using window = await browser.open();
    const { page } = window;
    await page.goto(pathToFileURL(join(folder, '0.1.0/verdicts.html')).href);
    await page.locator('.versions summary').click();
    await page.locator('.versions').getByRole('link', { name: '0.2.0' }).click();
    await page.waitForURL('file://**/0.2.0/verdicts.html');
    await page.route('**/version-menu.js', (route) => route.abort());
    await window.go('/0.1.0/verdicts.html');
    await page.locator('a.version').click();
    await page.getByRole('link', { name: '0.2.0' }).click();
    await page.waitForURL('**/0.2.0/index.html');
  });
});
