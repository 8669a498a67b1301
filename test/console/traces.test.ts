import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FAKE_CREDENTIALS, startFakeTraces } from '../traces/fake-traces.ts';
import { madeUpPlots } from '../end-to-end/made-up-plots.ts';
import { runService, type RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleWindow } from './browser.ts';
import { chooseFile } from './choose-file.ts';
import { withConsole } from './with-console.ts';

const BATCH_MS = 240_000;

describe('filing from the page of a collection', { skip: browserSkip() }, () => {
  let fake: Awaited<ReturnType<typeof startFakeTraces>>;
  let service: RunningProcess;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, window } = opened), {
    async start(options) {
      fake = await startFakeTraces();
      return await runService({ ...options, env: { TRACES_TEST_URL: fake.base.replace(/\/$/, '') } });
    },
  });
  after(() => fake.close());

  const card = () => window.page.getByRole('region', { name: 'File with the EU information system' });

  it('keeps credentials, and says in plain words where it files', async () => {
    const { page } = window;
    await window.go('/console/collections');
    await window.signIn(service.token);
    const buffer = Buffer.from(await madeUpPlots(3).arrayBuffer());
    await chooseFile(page, { name: 'lot-7.geojson', mimeType: 'application/geo+json', buffer });
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await card().waitFor({ timeout: BATCH_MS });
    await card().getByText('A server on this machine; nothing leaves it.').waitFor();
    await card().getByLabel('User name').fill(FAKE_CREDENTIALS.username);
    await card().getByLabel('Authentication key').fill(FAKE_CREDENTIALS.authenticationKey);
    await card().getByLabel('Client id').fill(FAKE_CREDENTIALS.clientId);
    assert.deepEqual(await window.axe(), []);
    await window.shot('traces-credentials');
    await card().getByRole('button', { name: 'Keep sealed' }).click();
    await card().getByLabel('User name').waitFor({ state: 'detached' });
  });

  it('shows what is missing, with how each is given', async () => {
    await card().getByRole('button', { name: 'See what is missing' }).click();
    await card().getByText('Not ready: nothing was sent.').waitFor();
    await card().getByText('statement.commodities[0].hsHeading').waitFor();
    assert.equal(await card().getByRole('button', { name: 'Submit' }).isDisabled(), true);
    assert.deepEqual(await window.axe(), []);
    await window.shot('traces-missing');
    assert.equal(fake.calls.length, 0);
  });

  it('submits, follows it to reference and verification number, amends and retracts', async () => {
    await card().getByLabel('Role').selectOption('OPERATOR');
    await card().getByLabel('Activity', { exact: true }).selectOption('DOMESTIC');
    await card().getByLabel('Country of activity (such as DE)').fill('DE');
    await card().getByLabel('Hide the places from others').selectOption('no');
    await card().getByLabel('Heading (2 to 6 digits)').fill('1511');
    await card().getByLabel('Description with trade name').fill('Palm oil');
    await card().getByLabel('Net weight (kg)').fill('1000');
    await card().getByLabel('Percentage of estimation').fill('5');
    await card().getByRole('button', { name: 'See what is missing' }).click();
    await card().getByText('Nothing is missing.').waitFor();
    await card().getByRole('button', { name: 'Submit' }).click();
    await card().getByText('available', { exact: true }).waitFor({ timeout: 60_000 });
    const [kept] = fake.statements.values();
    await card().getByText(kept!.reference!).waitFor();
    await card().getByText(kept!.verification!).waitFor();
    assert.deepEqual(await window.axe(), []);
    await window.shot('traces-available');

    await card().getByRole('button', { name: 'Amend' }).click();
    await card().getByRole('heading', { name: 'Amend the statement: give everything again' }).waitFor();
    await window.shot('traces-amend');
    await card().getByRole('button', { name: 'Cancel' }).click();
    await card()
      .getByRole('button', { name: `Retract ${kept!.internalReference}` })
      .click();
    await card().getByRole('button', { name: 'Retract it' }).click();
    await card().getByText('retracted', { exact: true }).waitFor({ timeout: 60_000 });
    assert.equal(kept!.status, 'WITHDRAWN');
    assert.equal(fake.statements.size, 1);
    await window.shot('traces-retracted');
  });
});
