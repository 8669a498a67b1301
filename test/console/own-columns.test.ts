import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleWindow } from './browser.ts';
import { chooseFile } from './choose-file.ts';
import { withConsole } from './with-console.ts';

const CSV = `name,lat,lon,Lot no.,Note of the buyer
North,4.5821,102.6124,L-7,wet ground
South,4.5990,102.5853,L-9,
`;

describe('the columns of a file itself', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, window } = opened));

  it('can be shown in the table of results, and stay chosen', async () => {
    const { page } = window;
    await window.go('/console/facilities');
    await window.signIn(service.token);
    await chooseFile(page, { name: 'lots.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) });
    await page.getByLabel('Commodity', { exact: true }).selectOption('palm');
    await page.getByRole('button', { name: 'Check 2 rows', exact: true }).click();
    const row = page.locator('.vtable-body [role=row]').filter({ hasText: 'North' });
    await row.waitFor();
    assert.doesNotMatch(await row.innerText(), /L-7/);
    await page.locator('.columns-menu summary').click();
    const own = page.locator('.columns-list').getByRole('checkbox', { name: /^Lot no\./ });
    await own.check();
    await row.getByText('L-7', { exact: true }).waitFor();
    await page.locator('.vtable-head').getByText('Lot no.', { exact: true }).waitFor();
    assert.equal(await page.locator('.vtable-head').getByText('Note of the buyer').count(), 0);
    assert.deepEqual(await window.axe(), []);
    await window.shot('own-columns');
    await page.reload();
    await row.getByText('L-7', { exact: true }).waitFor();
    await page.locator('.columns-menu summary').click();
    await own.uncheck();
    await row.getByText('L-7', { exact: true }).waitFor({ state: 'detached' });
    assert.deepEqual(window.faults, []);
  });
});
