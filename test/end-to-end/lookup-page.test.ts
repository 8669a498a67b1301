import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';
import { runCommand, type CommandResult } from './run-command.ts';
import { ROOT, runService, shareSampleDistrict } from './run-service.ts';

const PAGE = join(ROOT, 'docs/how-a-lookup-works.md');
const PICTURES = ['embeddings', 'edge-strength', 'labels', 'outline'];

describe('the page that follows one lookup', () => {
  let folder: string;
  let debug: string;
  let result: CommandResult;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-page-'));
    await shareSampleDistrict(join(folder, 'data'));
    debug = join(folder, 'debug');
    const words = ['forest', 'lookup', '102.61', '4.6', '--debug', debug];
    result = await runCommand(words, { DATA_DIR: join(folder, 'data') });
  });
  after(() => rm(folder, { recursive: true }));

  it('states the answer that its command gives', async () => {
    assert.equal(result.code, 0, result.err);
    const { features } = JSON.parse(result.out) as {
      features: [{ properties: { area_ha: number; segment_id: string; synthetic: boolean } }];
    };
    const { area_ha: area, segment_id: id, synthetic } = features[0].properties;
    const page = await readFile(PAGE, 'utf8');
    assert.ok(page.includes(`a polygon of ${area} ha with the id \`${id}\``), `the answer is now ${area} ha, ${id}`);
    assert.equal(synthetic, true);
  });

  it('names files that the service loads for a lookup', async () => {
    const noted = join(folder, 'loaded');
    const hook = pathToFileURL(join(import.meta.dirname, 'note-loaded.fixture.ts')).href;
    await using service = await runService({
      ownProcess: true,
      dataDir: join(folder, 'data'),
      env: {
        LOADED_MODULES: noted,
        NODE_OPTIONS: `--import=${hook}`,
        RUN_SOURCES: 'on',
        // Where tests keep the sources that they have stripped of types.
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/tests'),
      },
    });
    const answer = await service.fetch('/forest_polygon/lookup', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'FeatureCollection',
        features: [{ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [102.61, 4.6] } }],
      }),
    });
    assert.equal(answer.status, 200, await answer.text());
    const loaded = new Set((await readFile(noted, 'utf8')).split('\n'));
    const page = await readFile(PAGE, 'utf8');
    const named = new Set([...page.matchAll(/\]\(\.\.\/(src\/[^)]+\.ts)\)/g)].map(([, path]) => path));
    assert.ok(named.size > 20);
    const idle = [...named].filter((path) => !loaded.has(pathToFileURL(join(ROOT, path)).href));
    assert.deepEqual(idle, []);
  });

  for (const name of PICTURES) {
    it(`shows the ${name} that its command writes (else copy ${name}.png from --debug to docs/pictures)`, async () => {
      const shown = await readFile(join(ROOT, `docs/pictures/lookup-${name}.png`));
      const made = await readFile(join(debug, `${name}.png`));
      assert.ok(pixelsOf(made).equals(pixelsOf(shown)));
    });
  }
});

/** Header and rows of a PNG with one IDAT chunk; two releases of zlib may pack the same rows differently. */
function pixelsOf(png: Buffer): Buffer {
  const header = png.subarray(16, 29);
  const idat = png.indexOf('IDAT');
  return Buffer.concat([header, inflateSync(png.subarray(idat + 4, idat + 4 + png.readUInt32BE(idat - 4)))]);
}
