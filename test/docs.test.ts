import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { PAGES } from '../docs/generate.ts';
import { builtInDatasets } from '../src/readers/built-in/built-in-datasets.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DOCS = join(ROOT, 'docs');

describe('the documentation', () => {
  for (const [name, render] of Object.entries(PAGES)) {
    it(`has ${name} as the code says it now (npm run docs)`, () => {
      assert.equal(readFileSync(join(DOCS, name), 'utf8'), render());
    });
  }

  it('links only to files that exist', () => {
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'SECURITY.md',
      ...readdirSync(DOCS, { recursive: true }).map((name) => join('docs', String(name))),
    ];
    const broken = pages
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) =>
        linksOf(join(ROOT, name))
          .filter((link) => !existsSync(link))
          .map((link) => `${name}: ${link}`),
      );
    assert.deepEqual(broken, []);
  });

  it('has a line for every runtime dependency', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const text = readFileSync(join(DOCS, 'dependencies.md'), 'utf8');
    const absent = Object.entries({ ...manifest['dependencies'], ...manifest['optionalDependencies'] }).filter(
      ([name, version]) => !text.includes(`| \`${name}\` | ${version} |`),
    );
    assert.deepEqual(absent, []);
  });

  it('names in NOTICE every package whose licence requires more than its text, and no other licence of it', () => {
    const notice = readFileSync(join(ROOT, 'NOTICE'), 'utf8');
    const plain = /^(MIT|MIT-0|Unlicense|ISC|Apache-2\.0|BSD-[23]-Clause)$/;
    const rows = [
      ...readFileSync(join(DOCS, 'dependencies.md'), 'utf8').matchAll(/^\| `([^`]+)` \|.*\| ([^|]+) \|$/gm),
    ];
    assert.ok(rows.length > 40);
    const wanted = rows.flatMap(([, name, licence]) => (plain.test(licence!) ? [] : [[name!, licence!] as const]));
    assert.ok(wanted.length > 8);
    const absent = wanted.filter(([name, licence]) => {
      const data = /data (ODbL 1\.0|CC BY 4\.0|public domain)/.exec(licence)?.[1] ?? licence;
      return !(data === 'public domain' ? notice.includes(`${name}: `) : notice.includes(`${name} (${data})\n`));
    });
    assert.deepEqual(absent, []);
    const known = new Set(rows.map(([, name]) => name));
    const gone = [...notice.matchAll(/^(\S+) \([A-Z]/gm)].map(([, name]) => name!).filter((name) => !known.has(name));
    assert.deepEqual(gone, [], 'named, and not a dependency any more');
    for (const { attribution } of Object.values(builtInDatasets())) {
      const holder = /GeoNames|OpenStreetMap contributors|Natural Earth|marchah|country-coder contributors/.exec(
        attribution,
      );
      assert.ok(holder !== null && notice.includes(holder[0]), attribution);
    }
  });

  it('names exact versions in package.json', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const loose = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((group) =>
      Object.entries(manifest[group] ?? {}).filter(([, version]) => !/^\d+\.\d+\.\d+/.test(version)),
    );
    assert.deepEqual(loose, []);
  });
});

/** Relative links of a page as absolute paths, anchors removed. */
function linksOf(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map((match) =>
    resolve(dirname(page), match[1] ?? ''),
  );
}
