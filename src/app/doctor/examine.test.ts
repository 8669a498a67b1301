import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startTestBucket } from '../../../test/test-bucket.ts';
import { readConfig } from '../../config/settings.ts';
import { examine } from './examine.ts';

const HOST = {
  nodeVersion: '26.10.0',
  execPath: '/usr/bin/node',
  execArgv: ['--max-semi-space-size=8'],
  memoryBytes: 64e9,
  availableBytes: 32e9,
};

describe('the doctor', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-doctor-'));
  });
  after(() => rm(folder, { recursive: true }));

  const look = async (env: Readonly<Record<string, string>> = {}, host = HOST) => {
    const findings = await examine(async () => readConfig({ DATA_DIR: folder, PORT: '0', ...env }), host);
    assert.ok(findings.every(({ state, remedy }) => (state === 'ok') === (remedy === null)));
    const of = (state: string) => findings.filter((finding) => finding.state === state);
    return { findings, faults: of('fault'), notices: of('notice') };
  };

  it('looks at everything a start needs, and makes nothing', async () => {
    const { findings, faults } = await look();
    assert.deepEqual(faults, []);
    assert.deepEqual(
      [...new Set(findings.map(({ about }) => about))],
      ['settings', 'node', 'memory', 'disk', 'database', 'data', 'port', 'address'],
    );
    assert.match(findings.find(({ about }) => about === 'database')!.found, /none yet/);
  });

  it('reads the bucket, and says what is wrong with its settings', async () => {
    await using bucket = await startTestBucket();
    const about = async (env: Readonly<Record<string, string>>) =>
      (await look({ ...bucket.env, ...env })).findings.find((finding) => finding.about === 'bucket');
    assert.match((await about({}))?.found ?? '', /the first start takes it/);
    const refused = await about({ AWS_SECRET_ACCESS_KEY: 'wrong' });
    assert.equal(refused?.state, 'fault');
    assert.match(refused.found, /403 SignatureDoesNotMatch: check AWS_SECRET_ACCESS_KEY/);
  });

  it('names every setting that cannot be used, and still looks at Node', async () => {
    const { faults, findings } = await look({ PORT: 'eighty', RATE_LIMIT: 'fast' });
    assert.deepEqual(faults.map(({ found }) => found.split(':')[0]).toSorted(), ['PORT', 'RATE_LIMIT']);
    assert.equal(findings.at(-1)?.about, 'node');
  });

  it('finds a port that another program has, a folder that cannot be made, a catalogue that is not there', async () => {
    const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((done) => other.once('listening', done));
    const { port } = other.address() as AddressInfo;
    const file = join(folder, 'file');
    await writeFile(file, '');
    const { faults } = await look({ PORT: String(port), DATA_DIR: file, CATALOGUE: '/absent.json' }).finally(() =>
      other.close(),
    );
    assert.deepEqual(faults.map(({ about }) => about).toSorted(), ['data', 'data', 'disk', 'port']);
  });

  it('finds a database that does not answer, and shows no password of it', async () => {
    const { faults } = await look({ DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/none' });
    assert.deepEqual(
      faults.map(({ about }) => about),
      ['database'],
    );
    assert.doesNotMatch(JSON.stringify(faults), /hush/);
  });

  it('finds too little memory, and says that flags are missing', async () => {
    const { faults, notices } = await look({}, { ...HOST, memoryBytes: 256e6, execArgv: [] });
    assert.deepEqual(
      faults.map(({ about }) => about),
      ['memory'],
    );
    assert.ok(notices.some(({ about }) => about === 'node'));
  });
});
