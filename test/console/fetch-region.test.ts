import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { OVERTURE_TYPES } from '../../src/readers/overture/overture-types.ts';
import { runService, type RunningProcess } from '../end-to-end/run-service.ts';
import { writeOverture, type OvertureFeature } from '../overture-release.ts';
import { overtureSite, writeOvertureCatalogue } from '../overture-site.ts';
import { browserSkip, openBrowser } from './browser.ts';
import { chooseFile } from './choose-file.ts';

const MILL = [-73.1, 5.7] as const;
/** In a cell of its own, so that the size of a cell is known. */
const ELSEWHERE = [-1.6, 6.7] as const;
const file = (name: string, [lon, lat]: readonly [number, number]) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(`name,lat,lon,type,commodity\nFar mill,${lat},${lon},facility,palm\n`),
});

describe('map data of a region that could not be fetched during a check', { skip: browserSkip() }, () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'firstmile-region-'));
    await writeRelease(join(root, 'world'));
    await writeOvertureCatalogue(join(root, 'world'));
  });
  after(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));

  it('is fetched with one click once it is there, and another check of the same rows knows what was unknown', async () => {
    await using site = await overtureSite(join(root, 'world'), { faults: { status: 503 } });
    const env = { AUTO_DATA: 'on', PUBLIC_DATA: 'off', OVERTURE_URL: site.url, OVERTURE_INDEX_URL: site.catalogue };
    const dataDir = join(root, 'data');
    const first = await runService({ dataDir, env });
    await using browser = await openBrowser(first.url);
    await using window = await browser.open();
    const { page } = window;
    const rows = page.locator('.vtable-body [role=row]');
    await window.go('/console/facilities');
    await window.signIn(first.token);
    await chooseFile(page, file('far.csv', MILL));
    await page.locator('.actions .button.primary').click();
    await rows.first().waitFor();
    assert.match(await rows.first().innerText(), /unverified/);
    // A service that starts again has forgotten what it could not reach. The page looks for none meanwhile.
    const address = page.url();
    await page.goto('about:blank');
    await first.stop();
    site.faults = {};
    await using second = await runService({ dataDir, env: { ...env, PORT: new URL(first.url).port } });
    await fetchElsewhere(second);
    await page.goto(address);
    await rows.first().waitFor();
    const task = new URL(page.url()).searchParams.get('task');
    await page.getByText('1 place unverified: what would settle that').click();
    const part = page.locator('.missing-data');
    const roads = part.getByRole('row', { name: /^Roads/ });
    await roads.waitFor();
    assert.match(await roads.innerText(), /0 \/ 1\s+1\s+–/);
    await part.getByRole('button', { name: /^Fetch map data of 1 cell, about \d+ MB$/ }).click();
    await part.getByText('The map data is here now.').waitFor();
    assert.match(await roads.innerText(), /1 \/ 1\s+–\s+–/);
    assert.deepEqual(await window.axe(), []);
    await window.shot('fetched-region');
    await part.getByRole('button', { name: 'Check again' }).click();
    await page.waitForURL((url) => url.searchParams.get('task') !== task);
    await rows.first().click();
    const road = page.locator('.detail .evidence > li', { hasText: 'Roads' });
    await road.waitFor();
    assert.match(await road.innerText(), /present\s+.*overture-auto-roads/s);
    assert.deepEqual(window.faults, []);
  });
});

async function fetchElsewhere(service: RunningProcess): Promise<void> {
  const form = new FormData();
  form.set('dry_run', 'true');
  form.set('fetch_data', 'true');
  const { name, buffer } = file('elsewhere.csv', ELSEWHERE);
  form.set('file', new File([buffer], name));
  const answer = await service.fetch('/validate_locations', { method: 'POST', body: form });
  assert.equal(answer.status, 200);
  await answer.text();
}

/** A road and a hall at either place. */
async function writeRelease(world: string): Promise<void> {
  const rows: Readonly<Record<string, readonly OvertureFeature[]>> = {
    segment: [MILL, ELSEWHERE].map(([lon, lat], i) => ({
      id: `road-${i}`,
      line: [lon - 0.01, lat + 0.0005, lon + 0.01, lat + 0.0005],
      subtype: 'road',
      class: 'secondary',
    })),
    building: [MILL, ELSEWHERE].map(([lon, lat], i) => ({
      id: `hall-${i}`,
      ring: [lon, lat, lon + 6e-4, lat, lon + 6e-4, lat + 6e-4, lon, lat + 6e-4, lon, lat],
      subtype: 'industrial',
      class: 'factory',
    })),
    place: [{ id: 'mill', point: MILL, name: 'Far mill' }],
    water: [{ id: 'river', line: [-73.2, 5.71, -73, 5.71], subtype: 'river', class: 'river' }],
    infrastructure: [{ id: 'quay', line: [103.4, 3.5, 103.401, 3.5], subtype: 'pier', class: 'quay' }],
    land_use: [],
  };
  for (const { type, folder } of OVERTURE_TYPES)
    await writeOverture(world, '2026-09-23.1', folder, rows[type] ?? [], { edges: 'DOUBLE', without: ['categories'] });
}
