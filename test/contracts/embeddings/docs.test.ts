import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { parseDataset } from '../../../src/readers/catalogue/entry.ts';
import { openEmbeddings } from '../../../src/readers/embeddings/open-embeddings.ts';
import { PUBLIC_EMBEDDINGS } from '../../../src/readers/embeddings/public-datasets.ts';
import { openDeps } from './deps.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/embeddings.md'), 'utf8');

test('every catalogue entry of the page can be opened', async () => {
  await using deps = await openDeps();
  const entries = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text]) => JSON.parse(text) as unknown);
  assert.equal(entries.length, 2);
  for (const entry of entries) {
    const { faults, dataset } = parseDataset(entry, '/catalogue');
    assert.deepEqual(faults, []);
    assert.ok(dataset !== null);
    const [source] = openEmbeddings([dataset], deps);
    await source.close();
  }
});

test('the page names every public address and its credit', () => {
  for (const { id, kind, url, attribution } of PUBLIC_EMBEDDINGS) {
    assert.ok(page.includes(`| \`${id}\` | \`${kind}\` | \`${url}\` |`), id);
    assert.ok(page.includes(`> ${attribution}\n`));
  }
});
