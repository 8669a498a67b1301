import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { PAGES } from '../docs/generate.ts';

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
