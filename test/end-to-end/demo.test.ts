import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import PostalMime from 'postal-mime';
import { samplePlots } from '../../src/readers/sample-district/sample-plots.ts';
import { copyFirstDatabase } from '../first-database.ts';
import { runCommand, type CommandResult } from './run-command.ts';
import { runService, shareSampleDistrict } from './run-service.ts';

const LOCATIONS = samplePlots().length;

describe('firstmile demo', () => {
  let folder = '';
  let output = '';
  let result: CommandResult;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-demo-test-'));
    output = join(folder, 'shown');
    const data = join(folder, 'data');
    await shareSampleDistrict(data);
    await copyFirstDatabase(data);
    result = await runCommand(['demo', '--output', output, '--data', data], {});
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  const read = (name: string): Promise<string> => readFile(join(output, name), 'utf8');

  it('ends well, and says what it shows and that nothing of it is real', () => {
    assert.equal(result.code, 0, result.err);
    assert.match(result.err, /Everything in this demo is made up/);
    assert.match(result.err, /its signature is right/);
    assert.match(result.err, /\d+ plots lost forest after 2020-12-31: [\d.]+ ha of the [\d.]+ ha there were/);
    assert.match(result.err, /3 plots not known, which is not the same as clear/);
  });

  it('leaves every file it lists, and no other', async () => {
    const listed = result.out
      .trim()
      .split('\n')
      .map((line) => /([\w.]+) {2}/.exec(line)?.[1]);
    assert.deepEqual((await readdir(output)).sort(), [...listed, 'README.txt'].sort());
    for (const name of listed) assert.match(await read('README.txt'), new RegExp(`${name} `));
  });

  it('leaves the answers of the five addresses whole', async () => {
    for (const name of ['deforestation_check', 'biomass_emissions', 'biodiversity']) {
      const lines = (await read(`${name}.ndjson`)).trim().split('\n');
      assert.equal(lines.length, LOCATIONS, name);
      assert.ok(lines.every((line) => (JSON.parse(line) as { type: string }).type === 'Feature'));
    }
    const map = JSON.parse(await read('deforestation_check_eudr.geojson')) as { features: unknown[] };
    assert.equal(map.features.length, LOCATIONS);
    assert.equal(
      (await readFile(join(output, 'due_diligence.zip'))).subarray(0, 4).toString('latin1'),
      'PK\u0003\u0004',
    );
    assert.equal((JSON.parse(await read('webhook.json')) as { type: string }).type, 'batch_zonal_stats_complete');
  });

  it('leaves the email as mail programs read it, with the report whose checksum it states', async () => {
    const email = await PostalMime.parse(await readFile(join(output, 'report.eml')));
    assert.match(email.subject ?? '', /EUDR due diligence/);
    const [attachment] = email.attachments;
    assert.equal(attachment?.mimeType, 'application/zip');
    const sha256 = createHash('sha256')
      .update(Buffer.from(attachment?.content as ArrayBuffer))
      .digest('hex');
    assert.ok(email.text?.includes(sha256) === true, `${email.text}`);
  });

  it('leaves no secret behind', async () => {
    for (const name of await readdir(output))
      assert.doesNotMatch(await readFile(join(output, name), 'latin1'), /whsec_|fm_\w{20}/, name);
  });

  it('shows the same on a service that runs, and leaves nothing registered there', async () => {
    await using service = await runService({ env: { WEBHOOK_ALLOW_LOCAL: 'on' } });
    const elsewhere = join(folder, 'elsewhere');
    const words = ['demo', '-o', elsewhere, '--service', service.url, '--token', service.token];
    const { code, err } = await runCommand(words, {});
    assert.equal(code, 0, err);
    assert.ok(!(await readdir(elsewhere)).includes('report.eml'));
    assert.equal((await service.fetch('/webhooks')).status, 404);
  });

  it('refuses what does not go together', async () => {
    const { code, err } = await runCommand(['demo', '--service', 'http://127.0.0.1:1'], {});
    assert.equal(code, 2);
    assert.match(err, /--service and --token go together/);
  });
});
