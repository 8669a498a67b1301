import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { compareVersions, isPreRelease, isVersion } from './semantic-version.ts';
import { writeVersion } from './write-versions.ts';

describe('the documentation of several versions', () => {
  let folder: string;
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-versions-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('keeps versions that are there, and lists them with the newest first', async () => {
    await writeVersion(folder, '1.10.0');
    const first = read('1.10.0/verdicts.html');
    const { versions } = await writeVersion(folder, '1.9.0');
    assert.deepEqual(versions, ['1.10.0', '1.9.0']);
    assert.equal(read('1.10.0/verdicts.html'), first);
    assert.deepEqual(JSON.parse(read('versions.json')), {
      newest: '1.10.0',
      versions: [
        { version: '1.10.0', path: '1.10.0/index.html' },
        { version: '1.9.0', path: '1.9.0/index.html' },
      ],
    });
    assert.match(read('index.html'), /content="0; url=1\.10\.0\/index\.html"/);
    assert.match(read('versions.js'), /"version":"1\.9\.0","pages":\[.*"decisions\/.*"verdicts"/);
    assert.deepEqual((await readdir(folder)).toSorted(), [
      '1.10.0',
      '1.9.0',
      'index.html',
      'versions.html',
      'versions.js',
      'versions.json',
    ]);
  });

  it('has no broken link in any of them', () => {
    const files = new Set(globSync('**/*', { cwd: folder }).map((file) => join(folder, file)));
    const pages = [...files].filter((file) => file.endsWith('.html'));
    assert.ok(pages.length > 200);
    const broken: string[] = [];
    for (const path of pages)
      for (const [, target] of readFileSync(path, 'utf8').matchAll(/(?:href|src|data-index|url)="?=?([^"#]+)"/g)) {
        if (/^https?:/.test(target!)) continue;
        if (target!.startsWith('/') || !files.has(resolve(dirname(path), target!)))
          broken.push(`${relative(folder, path)}: ${target}`);
      }
    assert.deepEqual(broken, []);
  });

  it('lists what is really there, leads to a release before a pre-release, and replaces a version', async () => {
    await mkdir(join(folder, '9.0.0'));
    await mkdir(join(folder, 'latest'));
    await rename(join(folder, '1.9.0'), join(folder, '2.0.0-rc.1'));
    await writeFile(join(folder, '1.10.0/gone.html'), '');
    const { versions } = await writeVersion(folder, '1.10.0');
    assert.deepEqual(versions, ['2.0.0-rc.1', '1.10.0']);
    assert.equal(JSON.parse(read('versions.json')).newest, '1.10.0');
    assert.ok(!read('versions.js').includes('"gone"'));
    assert.match(read('versions.html'), /2\.0\.0-rc\.1<\/a> \(pre-release\)/);
  });

  it('is whole after a run that was cut', async () => {
    await mkdir(join(folder, '.unfinished-1.10.0'));
    await writeFile(join(folder, '.unfinished-1.10.0/half.html'), '');
    await rename(join(folder, '2.0.0-rc.1'), join(folder, '.replaced-2.0.0-rc.1'));
    const { versions } = await writeVersion(folder, '1.10.0');
    assert.deepEqual(versions, ['2.0.0-rc.1', '1.10.0']);
    assert.ok(!read('versions.js').includes('half'));
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('.')),
      [],
    );
  });

  it('refuses what is no version', async () => {
    for (const version of ['', '1.2', '../1.2.3', '01.2.3', '1.2.3/x'])
      await assert.rejects(writeVersion(folder, version), /no semantic version/);
  });
});

describe('semantic versions', () => {
  it('are in the order of semver.org', () => {
    const order =
      '0.9.0 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0';
    const versions = [...order.split(' '), '1.0.1', '1.2.0', '1.10.0', '2.0.0', '99999999999999999999.0.0'];
    assert.ok(versions.every(isVersion));
    assert.deepEqual(versions.toReversed().toSorted(compareVersions), versions);
    assert.deepEqual(versions.filter(isPreRelease), versions.slice(1, 8));
    assert.equal(isPreRelease('1.0.0+build-1'), false);
    assert.equal(compareVersions('1.0.0', '1.0.0'), 0);
  });
});
