import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { samplePlots } from '../../src/readers/sample-district/sample-plots.ts';
import { runCommand } from './run-command.ts';
import { shareSampleDistrict } from './run-service.ts';

interface Line {
  readonly id: string;
  readonly properties: {
    readonly eudr_status: string;
    readonly eudr_comment: string;
    readonly crop_group: string | null;
    readonly convergence_verdict: string;
    readonly convergence: {
      readonly rules: readonly string[];
      readonly votes: readonly { readonly synthetic: boolean }[];
    };
  };
}

const folder = mkdtempSync(join(tmpdir(), 'firstmile-verdict-'));
const env = { DATA_DIR: join(folder, 'data'), PUBLIC_RASTERS: 'off', MODELS: 'manual' };
const file = join(folder, 'plots.geojson');

before(async () => {
  await shareSampleDistrict(env.DATA_DIR);
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features: samplePlots().slice(0, 17) }));
});
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

describe('firstmile verdict', () => {
  it('gives each plot of a file its verdict by all layers, with every vote in the output', async () => {
    const output = join(folder, 'verdicts.ndjson');
    const { code, out, err } = await runCommand(['verdict', file, '--until', '2024-12-31', '-o', output], env);
    assert.equal(code, 1, err);
    assert.match(
      out,
      /^S-003 +deforestation_found +high +by perennial-5 \(forest\n +2020 yes, commodities\n +2020 no/m,
    );
    assert.match(out, /17 plots: .*4 high/);
    const lines = readFileSync(output, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    assert.equal(lines.length, 17);
    const of = (id: string) => lines.find((line) => line.id === id)?.properties;
    assert.deepEqual([of('S-001')?.convergence_verdict, of('S-001')?.convergence.rules], ['low', ['perennial-1']]);
    const timber = of('S-016');
    assert.deepEqual(
      [timber?.crop_group, timber?.eudr_status, timber?.convergence_verdict],
      ['timber', 'deforestation_found', 'more_information_needed'],
    );
    // One map and all layers differ, and the comment of the one says so.
    assert.match(timber?.eudr_comment ?? '', /Convergence of evidence: more information needed/);
    assert.ok(lines.every(({ properties }) => properties.convergence.votes.every(({ synthetic }) => synthetic)));
  });

  it('clears nothing where no layer covers the ground', async () => {
    const away = join(folder, 'away.csv');
    writeFileSync(away, 'name,latitude,longitude\nfar,6.5,-1.5\n');
    const { code, out } = await runCommand(['verdict', away, '-c', 'cocoa'], env);
    assert.equal(code, 1);
    assert.match(out, /unknown +more_information_needed/);
    assert.match(out, /1 plot: 1 more information needed\./);
  });

  it('refuses a day that is none', async () => {
    const { code, err } = await runCommand(['verdict', file, '--until', 'soon'], env);
    assert.equal(code, 2);
    assert.match(err, /--until: wanted a day such as 2026-12-31, got soon/);
  });
});
