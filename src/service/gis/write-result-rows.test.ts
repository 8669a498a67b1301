import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { featureText, type FeatureFormat } from '../../locations/formats/feature-text.ts';
import { openRows } from './row-file.ts';
import { resultRowsPath, writeResultRows } from './write-result-rows.ts';

const NAMES = ['Mill', 'a line\u2028break', 'a paragraph\u2029end', 'two\r\nlines'];

async function* features() {
  for (const name of NAMES) yield { type: 'Feature', geometry: null, properties: { name } };
}

for (const format of ['geojson', 'ndjson'] satisfies FeatureFormat[])
  it(`results in ${format} have a row for each feature, whatever its texts hold`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-rows-'));
    const { signal } = new AbortController();
    try {
      const path = join(folder, 'results');
      const results = { features: features(), aggregate: () => ({ count: NAMES.length }), columns: null };
      await writeFile(path, await Array.fromAsync(featureText(format, results)));
      await writeResultRows({ path, folder }, signal);
      const rows = await openRows(resultRowsPath(folder));
      const read = await rows.read([...NAMES.keys()].slice(0, rows.count), signal);
      assert.deepEqual(
        read.map(({ properties }) => properties['name']),
        NAMES,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
