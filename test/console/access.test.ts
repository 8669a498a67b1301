import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCommand } from '../end-to-end/run-command.ts';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

describe('signing in, tokens and datasets', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, browser, window } = opened));

  it('refuses a wrong token, and leads where one wanted to go after a right one', async () => {
    const { page } = window;
    await window.go('/console/tokens');
    await page.getByLabel('Token', { exact: true }).fill('fm_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    assert.deepEqual(await window.axe(), []);
    await window.signIn(service.token);
    await page.getByRole('heading', { name: 'Tokens', exact: true }).waitFor();
    assert.match(page.url(), /\/console\/tokens$/);
  });

  it('makes a token that is shown once and can be signed in with', async () => {
    const { page } = window;
    await page.getByLabel('What it is for').fill('of the test');
    await page.getByLabel('Email of its user').fill('dev@localhost');
    await page.getByLabel('administration').check();
    await page.getByRole('button', { name: 'Make the token' }).click();
    const token = await page.locator('.secret code').innerText();
    assert.match(token, /^fm_/);
    assert.deepEqual(await window.axe(), []);
    await window.shot('tokens');
    await page.reload();
    await page.getByRole('rowheader', { name: 'of the test' }).waitFor();
    assert.ok(!(await page.content()).includes(token));
    await page.locator('.who summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await window.signIn(token);
    await page.getByText('dev@localhost').first().waitFor();
  });

  it('revokes a token after a confirmation, and shows who used it the way out', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Revoke the token of the test' }).click();
    await page.getByRole('button', { name: 'Revoke for good' }).click();
    // It was the token of this window, which is refused within a second.
    const refused = page.getByText('Your token was refused or has expired');
    while (!(await refused.isVisible()))
      await page
        .getByLabel('Show revoked')
        .click({ timeout: 1_000 })
        .catch(() => undefined);
  });

  it('signs in with email and password', async () => {
    const { page } = window;
    const added = await runCommand(
      ['user', 'add', 'ana@example.org', '--password-stdin'],
      service.settings,
      'a long enough password\n',
    );
    assert.equal(added.code, 0, added.err);
    await page.getByRole('button', { name: 'Password', exact: true }).click();
    await page.getByLabel('Email').fill('ana@example.org');
    await page.getByLabel('Password', { exact: true }).fill('a long enough password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.who', { hasText: 'ana@example.org' }).waitFor();
    await page.getByRole('heading', { name: 'Tokens are for administrators' }).waitFor();
  });

  it('says which right a token lacks in place of each page that needs it', async () => {
    const made = await service.fetch('/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'hooks', scopes: ['webhooks'], email: 'dev@localhost' }),
    });
    const { token } = (await made.json()) as { token: string };
    await using other = await browser.open();
    await other.go('/console/webhooks');
    await other.signIn(token);
    await other.page.getByRole('heading', { name: 'Webhook', exact: true }).waitFor();
    for (const [name, right] of [
      ['facilities', 'validate'],
      ['forest', 'forest'],
      ['collections', 'collections'],
      ['tokens', 'administration'],
    ]) {
      await other.go(`/console/${name}`);
      await other.page.getByText(`a token that has the right “${right}”`).waitFor();
      assert.deepEqual(await other.axe(), [], name);
    }
    assert.deepEqual(other.faults, []);
  });

  it('says that there is no page at an unknown address', async () => {
    const { page } = window;
    await window.go('/console/facilitys');
    await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor();
    assert.deepEqual(await window.axe(), []);
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByRole('heading', { name: 'Datasets', exact: true }).waitFor();
  });

  it('shows datasets with licences and coverage to anybody', async () => {
    await using other = await browser.open({ theme: 'dark' });
    const { page } = other;
    await other.go('/console/datasets');
    await page.locator('.dataset').nth(5).waitFor();
    await other.mapIdle();
    assert.deepEqual(await other.axe(), []);
    await page.getByLabel('Role').selectOption('roads');
    await page.getByRole('button', { name: /sample-district-roads/ }).click();
    assert.match(page.url(), /id=sample-district-roads/);
    assert.match(await page.locator('.dataset[data-chosen=true]').innerText(), /CC0-1\.0/);
    await page.reload();
    await page.locator('.dataset[data-chosen=true]').waitFor();
    await other.mapIdle();
    await other.shot('datasets');
    assert.deepEqual(other.faults, []);
  });

  it('speaks eight languages, keeps the choice, and works on a narrow screen', async () => {
    await using other = await browser.open({ width: 360, height: 740, locale: 'id-ID' });
    const { page } = other;
    await other.go('/console/datasets');
    await page.locator('html[lang=id]').waitFor({ state: 'attached' });
    for (const [code, title] of [
      ['fr', 'Jeux de données'],
      ['es', 'Conjuntos de datos'],
      ['de', 'Datensätze'],
      ['vi', 'Bộ dữ liệu'],
      ['th', 'ชุดข้อมูล'],
      ['pt', 'Conjuntos de dados'],
    ] as const) {
      await page.locator('.top-end select').first().selectOption(code);
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
      assert.equal(await other.overflows(), false, code);
    }
    const present = await page.locator('nav [aria-current]').boundingBox();
    assert.ok(present !== null && present.x >= 0 && present.x + present.width <= 360, 'the present page is in view');
    await page.reload();
    await page.getByRole('heading', { name: 'Conjuntos de dados' }).waitFor();
    assert.deepEqual(await other.axe(), []);
    assert.deepEqual(other.faults, []);
  });

  it('sent no request elsewhere, and broke no rule of its policy', () => {
    assert.deepEqual(window.faults, []);
  });
});
