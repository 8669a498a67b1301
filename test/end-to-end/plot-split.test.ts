import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { samplePlots } from '../../src/readers/sample-district/sample-plots.ts';
import type { SplitFeature } from '../../src/service/plots/split/split-feature.ts';
import { openLiveSite } from '../live-site.ts';
import { entryOf, writeForestDistrict, type ForestDistrict } from './forest-district.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

/** Half of a box lies in a stand of the generated district, half in the next one. */
const HALF = 0.0012;

type Collection = { readonly type: string; readonly features: readonly SplitFeature[] };

describe('splits of plots', () => {
  let folder: string;
  let district: ForestDistrict;
  let service: RunningProcess;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-plot-split-'));
    district = await writeForestDistrict(folder);
    service = await runService({ env: { CATALOGUE: district.catalogue } });
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** A box around the place halfway between the middles of two stands next to each other, or around the middle of one. */
  function plot(id: string, columns: readonly [number, number], half = HALF) {
    const [[west, lat], [east]] = [district.stand(columns[0], 4), district.stand(columns[1], 4)];
    const lon = (west + east) / 2;
    const ring = [
      [lon - half, lat - half],
      [lon + half, lat - half],
      [lon + half, lat + half],
      [lon - half, lat + half],
      [lon - half, lat - half],
    ];
    return { type: 'Feature', id, properties: { supplier: 'A' }, geometry: { type: 'Polygon', coordinates: [ring] } };
  }

  const post = (body: unknown, query = '', init: RequestInit = {}): Promise<Response> =>
    service.fetch(`/plots/split${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.token}` },
      body: JSON.stringify(body),
      ...init,
    });

  it('are proposed for a plot across two stands, and not for one inside a stand', async () => {
    const features = [plot('across', [3, 4]), plot('inside', [3, 3], 0.0005)];
    const response = await post({ type: 'FeatureCollection', features });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^application\/geo\+json/);
    const { features: found } = (await response.json()) as Collection;
    assert.deepEqual(
      found.map(({ id, geometry }) => ({ id, geometry })),
      features.map(({ id, geometry }) => ({ id, geometry })),
    );
    const [across, inside] = found.map(({ properties }) => properties);
    assert.equal(across!['supplier'], 'A');
    assert.equal(across!.split_proposed, true);
    assert.deepEqual(
      across!.parts?.features.map(({ properties }) => properties.part),
      ['A1', 'B1'],
    );
    assert.equal(inside!.split_proposed, false);
    assert.equal(inside!.split_result, 'one_kind');
    assert.equal(inside!.parts, null);
    for (const { land_cover: covers } of [across!, inside!])
      assert.ok(covers.length > 0 && covers.every(({ status }) => status === 'unknown'));
  });

  it('come as parts alone on request, and for one feature as body', async () => {
    const { features } = (await (await post(plot('across', [3, 4]), '?output=parts')).json()) as Collection;
    assert.deepEqual(
      features.map(({ properties }) => [properties['plot_id'], properties['part'], properties['supplier']]),
      [
        ['across', 'A1', 'A'],
        ['across', 'B1', 'A'],
      ],
    );
  });

  it('are unknown, with the reason, where nothing can be looked at', async () => {
    const point = { type: 'Feature', properties: null, geometry: { type: 'Point', coordinates: [102.6, 4.6] } };
    const open = {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 1],
          [1, 0],
        ],
      ],
    };
    const { features } = (await (
      await post({
        features: [point, { type: 'Feature', geometry: null }, { type: 'Feature', properties: {}, geometry: open }],
      })
    ).json()) as Collection;
    assert.deepEqual(
      features.map(({ properties }) => [properties.split_proposed, properties.split_result]),
      [
        [null, 'no_polygon'],
        [null, 'invalid_geometry'],
        [null, 'invalid_geometry'],
      ],
    );
    assert.match(features[0]!.properties.split_reason, /wanted the outline of the plot as a polygon/);
  });

  it('are refused for too many plots, plots that are too large, and what is no GeoJSON', async () => {
    const many = await post({ features: Array.from({ length: 21 }, () => plot('a', [3, 3])) });
    assert.equal(many.status, 422);
    assert.match(((await many.json()) as { detail: string }).detail, /features.*20/);
    const large = await post({ features: [plot('large', [3, 4], 0.05)] });
    assert.equal(large.status, 422);
    const { errors } = (await large.json()) as { errors: readonly { pointer: string; detail: string }[] };
    assert.equal(errors[0]!.pointer, '/features/0/geometry');
    assert.match(errors[0]!.detail, /at most 5000 ha \(split_plot_ha in \/limits\)/);
    assert.equal((await post({ polygons: [] })).status, 422);
    assert.equal((await post('x', '', { body: '{' })).status, 400);
    assert.equal((await post({ features: [] }, '?output=all')).status, 422);
  });

  it('need a token', async () => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer nobody' };
    const response = await service.fetch('/plots/split', { method: 'POST', headers, body: '{}' });
    assert.equal(response.status, 401);
  });

  it('are in the limits', async () => {
    const { limits, thresholds } = (await (await service.fetch('/limits')).json()) as Record<
      string,
      readonly { name: string; value: unknown }[]
    >;
    const valueOf = (list: typeof limits, name: string): unknown => list!.find((one) => one.name === name)?.value;
    assert.equal(valueOf(limits, 'split_plots'), 20);
    assert.equal(valueOf(thresholds, 'split_part_ha'), 0.5);
  });
});

describe('firstmile plots split', () => {
  it('writes the parts of the plots of a file, and says why of each', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-plots-split-'));
    const [input, output] = [join(folder, 'plots.geojson'), join(folder, 'parts.geojson')];
    const features = samplePlots().slice(0, 2);
    await writeFile(input, JSON.stringify({ type: 'FeatureCollection', features }));
    const env = { DATA_DIR: join(folder, 'data'), PUBLIC_RASTERS: 'off' };
    const { code, err } = await runCommand(['plots', 'split', input, '-o', output], env);
    assert.equal(code, 0, err);
    assert.match(err, /2 plots: a split is proposed for 0, none for 2, 0 unknown\./);
    const written = JSON.parse(await readFile(output, 'utf8')) as Collection;
    assert.deepEqual(
      written.features.map(({ properties }) => properties['part']),
      [null, null],
    );
    const printed = await runCommand(['plots', 'split', input, '--json', '-q'], env);
    assert.equal((JSON.parse(printed.out) as Collection).features.length, 2);
    assert.equal((await runCommand(['plots', 'split', input, '-o', input], env)).code, 2);
    await rm(folder, { recursive: true });
  });
});

describe('embeddings that answer 404 to everything', () => {
  const site = openLiveSite();

  it('leave the split unknown', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-plots-split-'));
    site.handler = (response) => response.writeHead(404).end('not here');
    const catalogue = join(folder, 'catalogue.json');
    const entry = { ...entryOf('gone', 'cog'), url: `${site.base}/gone.tif`, coverage: [9, 9, 11, 11], date: '2024' };
    await writeFile(catalogue, JSON.stringify([entry]));
    const ring = [
      [10, 10],
      [10.002, 10],
      [10.002, 10.002],
      [10, 10.002],
      [10, 10],
    ];
    const plot = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } };
    const input = join(folder, 'plot.geojson');
    await writeFile(input, JSON.stringify({ type: 'FeatureCollection', features: [plot] }));
    const env = { CATALOGUE: catalogue, DATA_DIR: join(folder, 'data'), PUBLIC_RASTERS: 'off' };
    const { code, out } = await runCommand(['plots', 'split', input, '--json', '-q'], env);
    assert.equal(code, 1);
    const [{ properties }] = (JSON.parse(out) as Collection).features as [SplitFeature];
    assert.equal(properties.split_proposed, null);
    assert.equal(properties.split_result, 'source_unavailable');
    assert.match(properties.split_reason, /gone: /);
    assert.equal(properties.unknown_ha, properties.area_ha);
    assert.ok(site.requests.length > 0);
    await rm(folder, { recursive: true });
  });
});
