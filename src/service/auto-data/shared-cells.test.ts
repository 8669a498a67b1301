import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startTestBucket, type TestBucket } from '../../../test/test-bucket.ts';
import { bucketPlace } from '../../config/bucket-place.ts';
import { readConfig } from '../../config/settings.ts';
import { MANIFEST_FILE, readManifest } from '../../readers/packs/manifest.ts';
import { autoFolder } from './auto-packs.ts';
import { cellAt } from './cells.ts';
import { openSharedCells } from './shared-cells.ts';

const CELL = cellAt([102.61, 4.58]);
const SIGNAL = new AbortController().signal;

describe('cells in a bucket', () => {
  let root: string;
  let bucket: TestBucket;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'shared-cells-'));
    bucket = await startTestBucket();
  });
  after(async () => {
    await bucket?.[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });

  /** A host with a data folder of its own. */
  async function host(name: string) {
    const config = { dataDir: join(root, name) };
    const place = bucketPlace(readConfig({ ...bucket.env, DATABASE_URL: 'postgres://unused' }))!;
    const shared = openSharedCells(config, place);
    const folder = join(autoFolder(config), CELL.name);
    return {
      ...shared,
      /** Writes a pack without themes, as if it had been fetched. */
      async fetch(version: string): Promise<void> {
        const manifest = {
          format: 'firstmile-pack',
          formatVersion: 1,
          id: CELL.name,
          version,
          date: '2026-11-18',
          licence: 'ODbL-1.0',
          attribution: 'Synthetic',
          synthetic: true,
          source: { kind: 'sample', name: 'made up', bytes: 0 },
          coverage: { type: 'MultiPolygon', coordinates: [] },
          themes: [],
          options: { cells: [CELL.name] },
        };
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, MANIFEST_FILE), JSON.stringify(manifest));
      },
      version: async () => (await readManifest(folder)).version,
      [Symbol.asyncDispose]: () => shared.close(),
    };
  }

  it('are the same on all hosts, however two of them replace one at the same time', async () => {
    await using one = await host('one');
    await using other = await host('other');
    await one.fetch('first');
    assert.equal(await one.give(CELL, SIGNAL), 'first');
    assert.equal(await other.take(CELL, SIGNAL), 'first');
    for (let i = 0; i < 20; i++) {
      await one.fetch(`one-${i}`);
      await other.fetch(`other-${i}`);
      await Promise.all([one.give(CELL, SIGNAL), other.give(CELL, SIGNAL)]);
      await one.take(CELL, SIGNAL);
      await other.take(CELL, SIGNAL);
      assert.equal(await one.version(), await other.version(), `round ${i}`);
    }
  });
});
