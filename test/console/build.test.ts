import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ROOT } from '../end-to-end/run-service.ts';

const ASSETS = join(ROOT, 'dist/console/assets');

/** Most bytes of everything except MapLibre, with gzip. */
const MOST_BYTES = 400_000;
/** Of that, what is fetched before anything can be seen. */
const MOST_FIRST_BYTES = 60_000;

function builtFiles(): readonly string[] | null {
  try {
    return readdirSync(ASSETS);
  } catch {
    return null;
  }
}

const files = builtFiles();
const skip = files === null ? 'the console is not built; npm run build:console builds it' : false;

describe('the built console', { skip: process.env['REQUIRE_CHROMIUM'] === '1' ? false : skip }, () => {
  const names = files ?? [];
  const gzipped = (name: string): number => gzipSync(readFileSync(join(ASSETS, name))).length;
  const isMapLibre = (name: string): boolean => /^(open-map|maplibre)/.test(name);

  it('is under 400 kB gzipped without MapLibre', () => {
    const own = names.filter((name) => !/\.(br|gz)$/.test(name) && !isMapLibre(name));
    const bytes = own.reduce((sum, name) => sum + gzipped(name), 0);
    assert.ok(bytes > 20_000 && bytes < MOST_BYTES, `${bytes} bytes`);
    assert.ok(names.some(isMapLibre), 'MapLibre is in files of its own');
  });

  it('fetches little before anything can be seen, and MapLibre not at all', () => {
    const page = readFileSync(join(ROOT, 'dist/console/index.html'), 'utf8');
    const first = [...page.matchAll(/\/console\/assets\/([\w.-]+)"/g)].map(([, name = '']) => name);
    assert.ok(first.length > 1);
    assert.ok(!first.some(isMapLibre));
    const bytes = first.reduce((sum, name) => sum + gzipped(name), 0);
    assert.ok(bytes < MOST_FIRST_BYTES, `${bytes} bytes`);
  });

  it('names no address outside, runs nothing inline, and has compressed copies', () => {
    const page = readFileSync(join(ROOT, 'dist/console/index.html'), 'utf8');
    assert.doesNotMatch(page, /https?:|<style|<script(?![^>]* src=)| on\w+=/);
    for (const name of names.filter((file) => /\.(js|css)$/.test(file)))
      for (const suffix of ['.br', '.gz'])
        assert.ok(statSync(join(ASSETS, `${name}${suffix}`)).size > 0, `${name}${suffix}`);
  });
});
