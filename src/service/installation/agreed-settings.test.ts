import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../config/settings.ts';
import { describeSettings, disagreements, type AgreedSettings } from './agreed-settings.ts';

const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

describe('settings that all processes on a database need to have in common', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'firstmile-agreed-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  async function of(env: Readonly<Record<string, string>>, host = 'a'): Promise<AgreedSettings> {
    const dataDir = join(root, `data-${host}`);
    await mkdir(dataDir, { recursive: true });
    return describeSettings(readConfig({ DATABASE_URL: 'postgres://unused', DATA_DIR: dataDir, ...env }));
  }
  const namesOf = (one: AgreedSettings, other: AgreedSettings): readonly string[] =>
    disagreements(one, other, 'the other').map((fault) => fault.slice(0, fault.indexOf(':')));

  it('are the same on two hosts with the same settings, wherever their folders are', async () => {
    const files = await Promise.all(
      ['a', 'b'].map(async (host) => {
        const folder = join(root, `catalogue-${host}`);
        await mkdir(folder);
        await writeFile(join(folder, 'mask.tif'), 'x'.repeat(200_000));
        const entry = {
          id: 'mask',
          role: 'forest-mask',
          kind: 'cog',
          path: 'mask.tif',
          coverage: [0, 0, 1, 1],
          version: '1',
          date: '2020',
          licence: 'CC0-1.0',
          attribution: 'made up',
        };
        await writeFile(join(folder, 'catalogue.json'), JSON.stringify([entry]));
        return { folder, env: { AUTO_DATA: 'off', CATALOGUE: join(folder, 'catalogue.json') } };
      }),
    );
    const [a, b] = files;
    const one = await of(a.env, 'a');
    assert.deepEqual(namesOf(one, await of(b.env, 'b')), []);
    // The same list, and another file under the same name.
    await writeFile(join(b.folder, 'mask.tif'), `${'x'.repeat(199_999)}y`);
    assert.deepEqual(namesOf(one, await of(b.env, 'b')), ['CATALOGUE']);
    await rm(join(b.folder, 'mask.tif'));
    assert.deepEqual(namesOf(one, await of(b.env, 'b')), ['CATALOGUE']);
    await writeFile(join(b.folder, 'mask.tif'), 'x'.repeat(200_000));
    assert.deepEqual(namesOf(one, await of(b.env, 'b')), []);
    await appendFile(join(b.folder, 'catalogue.json'), ' ');
    assert.deepEqual(namesOf(one, await of(b.env, 'b')), ['CATALOGUE']);
    assert.deepEqual(namesOf(one, await of({ AUTO_DATA: 'off' }, 'b')), ['CATALOGUE']);
  });

  it('let a sealing key be replaced in two steps, and nothing else', async () => {
    const [first, both, turned, second] = await Promise.all(
      [`one:${key(1)}`, `one:${key(1)},two:${key(2)}`, `two:${key(2)},one:${key(1)}`, `two:${key(2)}`].map((keys) =>
        of({ AUTO_DATA: 'off', SECRETS_KEY: keys }),
      ),
    );
    assert.deepEqual(namesOf(both, first), []);
    assert.deepEqual(namesOf(turned, both), []);
    assert.deepEqual(namesOf(turned, first), ['SECRETS_KEY']);
    assert.deepEqual(namesOf(second, both), ['SECRETS_KEY'], 'the other one still seals with the first');
    assert.deepEqual(namesOf(second, turned), []);
    const none = await of({ AUTO_DATA: 'off' });
    assert.deepEqual(namesOf(none, first), ['SECRETS_KEY']);
    assert.deepEqual(namesOf(first, none), ['SECRETS_KEY']);
    assert.doesNotMatch(JSON.stringify(first), new RegExp(key(1).slice(0, 20)));
    // The same name for another key.
    const other = await of({ AUTO_DATA: 'off', SECRETS_KEY: `one:${key(9)}` });
    assert.deepEqual(namesOf(other, first), ['SECRETS_KEY', 'SECRETS_KEY']);
  });

  it('want one place for what is fetched: a bucket, one folder, or nothing fetched', async () => {
    const bucket = {
      OBJECT_STORE_URL: 'https://s3.example.org/files',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
    };
    for (const [env, expected] of [
      [{}, ['AUTO_DATA']],
      [bucket, []],
      [{ DATA_DIR_SHARED: 'on' }, []],
      [{ AUTO_DATA: 'off' }, []],
    ] as const)
      assert.deepEqual(namesOf(await of(env, 'a'), await of(env, 'b')), expected, JSON.stringify(env));
    assert.deepEqual(namesOf(await of({}, 'a'), await of({}, 'a')), []);
  });

  it('ignore a setting that the other release does not know', async () => {
    const own = await of({ AUTO_DATA: 'off' });
    const { CATALOGUE: _, ...values } = own.values;
    assert.deepEqual(namesOf(own, { ...own, values }), []);
    assert.deepEqual(namesOf(own, { ...own, values: { ...values, SAMPLE_DISTRICT: 'off' } }), ['SAMPLE_DISTRICT']);
  });
});
