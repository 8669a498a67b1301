import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { seededRandom } from '../../src/geo/seeded-random.ts';
import { decodeBlock } from '../../src/readers/formats/osm/decode-block.ts';
import { readBlobs } from '../../src/readers/formats/osm/read-blobs.ts';
import { osmFile, type OsmNode, type OsmWay } from '../osm-file.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict, type RunningProcess } from './run-service.ts';

const FILE = 'osm/duitama_co.osm.pbf';
const { signal } = new AbortController();

interface Evidence {
  readonly indicator: string;
  readonly status: string;
  readonly value: number;
  readonly dataset: string | null;
  readonly detail: string;
}

/** Some of the 36,961 buildings of a town of 120,000 people, and all else. */
const EXTRACTS = [
  { id: 'whole', keep: () => true },
  { id: 'bare', keep: () => false },
  // As many as an extract of a city of 270,000 had, all over the town.
  { id: 'thin', keep: (random: () => number) => random() < 1_345 / 36_961 },
] as const;

describe('packs of a town whose buildings are drawn, not drawn, and hardly drawn', needsSharedData(FILE), () => {
  let dataDir: string;
  let service: RunningProcess;
  const reports: Record<string, string> = {};
  const places = Array.from({ length: 200 }, (_, i) => [-73.05 + (i % 20) * 0.002, 5.81 + Math.floor(i / 20) * 0.002]);

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'packs-mapped-'));
    await shareSampleDistrict(dataDir);
    for (const { id, keep } of EXTRACTS) {
      const path = join(dataDir, `${id}.osm.pbf`);
      await writeFile(path, await thinned(join(SHARED_DATA, FILE), keep));
      const { code, err } = await runCommand(['data', 'import', 'osm', path], { DATA_DIR: dataDir });
      assert.equal(code, 0, err);
      reports[id] = err;
      await runCommand(['data', 'remove', id], { DATA_DIR: `${dataDir}-none` });
    }
    service = await runService({ dataDir, env: { SAMPLE_DISTRICT: 'off' } });
  });
  after(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('say absent in the town only where the buildings are drawn', async () => {
    const statuses: Record<string, Record<string, number>> = {};
    for (const { id } of EXTRACTS.toReversed()) {
      // The packs answer in the order of their names; each is asked alone.
      for (const other of EXTRACTS) if (other.id !== id) await hide(other.id, true);
      statuses[id] = await absentsOf();
      for (const other of EXTRACTS) if (other.id !== id) await hide(other.id, false);
    }
    const { whole, bare, thin } = statuses;
    assert.ok(whole.building_presence > 0 && whole.poi_presence > 100, JSON.stringify(whole));
    for (const poor of [bare, thin]) {
      assert.equal(poor.building_presence, 0);
      assert.equal(poor.poi_presence, 0);
      // Settlements of other sources decide on density.
      assert.equal(poor.high_density_by_pack, 0);
    }
    assert.ok(whole.high_density_by_pack > 0);
  });

  it('are listed with where each theme is mapped, by the command and at /datasets', async () => {
    assert.match(reports['whole'], /buildings +36,\d+ .* mapped on \d\d %/);
    assert.match(reports['bare'], /^Warning: buildings came out empty\. The pack will never say that there are none/m);
    assert.match(reports['thin'], /^Warning: buildings: mapped (on \d+ % of the ground|nowhere)/m);
    const { out } = await runCommand(['data', 'list'], { DATA_DIR: dataDir });
    assert.match(out, /buildings 0 \(mapped nowhere\)/);
    const { datasets } = (await (await service.fetch('/datasets')).json()) as {
      datasets: {
        id: string;
        mapped: { cells: number; mapped_cells: number; cell_degrees: number; area: { type: string } | null } | null;
      }[];
    };
    const of = (id: string) => datasets.find((dataset) => dataset.id === id)?.mapped;
    const buildings = of('whole-buildings');
    assert.ok(buildings?.area?.type === 'MultiPolygon' && buildings.cell_degrees === 0.01, JSON.stringify(buildings));
    assert.ok(buildings.mapped_cells > buildings.cells / 3 && buildings.mapped_cells < buildings.cells);
    assert.deepEqual([of('bare-buildings')?.mapped_cells, of('bare-buildings')?.area], [0, null]);
    assert.equal(datasets.find(({ id }) => id === 'sea-ports')?.mapped, null);
  });

  it('made before this was measured never say absent, and are listed so', async () => {
    for (const id of ['bare', 'thin']) await hide(id, true);
    const path = join(dataDir, 'regional-packs', 'whole', 'pack.json');
    const manifest = await readFile(path, 'utf8');
    const old = JSON.parse(manifest) as { themes: { mapped?: unknown }[] };
    for (const theme of old.themes) delete theme.mapped;
    await writeFile(path, JSON.stringify(old));
    const absents = await absentsOf();
    assert.deepEqual([absents.building_presence, absents.poi_presence, absents.high_density_by_pack], [0, 0, 0]);
    const { out } = await runCommand(['data', 'list'], { DATA_DIR: dataDir });
    assert.match(out, /buildings 36,\d+ \(not measured where it is mapped\)/);
    await writeFile(path, manifest);
    for (const id of ['bare', 'thin']) await hide(id, false);
  });

  async function hide(id: string, isHidden: boolean): Promise<void> {
    const [from, to] = [join(dataDir, 'regional-packs', id), join(dataDir, `hidden-${id}`)];
    const { rename } = await import('node:fs/promises');
    await rename(isHidden ? from : to, isHidden ? to : from);
  }

  /** Places of which an answer says that there is nothing, by indicator. */
  async function absentsOf(): Promise<Record<string, number>> {
    const features = places.map((coordinates, id) => ({
      type: 'Feature',
      id,
      geometry: { type: 'Point', coordinates },
      properties: {},
    }));
    const form = new FormData();
    form.set('commodity_type', 'cocoa');
    form.set('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), 'places.geojson');
    const response = await service.fetch('/validate_facilities', { method: 'POST', body: form });
    const found = ((await response.json()) as { features: { properties: { evidence: Evidence[] } }[] }).features;
    const count = (test: (evidence: Evidence) => boolean): number =>
      found.filter(({ properties }) => properties.evidence.some(test)).length;
    return {
      building_presence: count(({ indicator, status }) => indicator === 'building_presence' && status === 'absent'),
      poi_presence: count(({ indicator, status }) => indicator === 'poi_presence' && status === 'absent'),
      high_density_by_pack: count(
        ({ indicator, dataset, status }) =>
          indicator === 'high_density' && status === 'absent' && (dataset ?? '').endsWith('-buildings'),
      ),
    };
  }
});

/** An extract again, with those buildings that are kept. */
async function thinned(path: string, keep: (random: () => number) => boolean): Promise<Buffer> {
  const random = seededRandom(3);
  const nodes: OsmNode[] = [];
  const ways: OsmWay[] = [];
  const used = new Set<number>();
  const tagsOf = (tags: { entries(): Iterable<readonly [string, string]> }) => Object.fromEntries(tags.entries());
  for await (const { type, bytes } of readBlobs(path, signal))
    if (type === 'OSMData')
      decodeBlock(bytes, {
        changed: () => {},
        node: (id, lon, lat, tags) =>
          void nodes.push({ id, lon, lat, ...(tags === null ? {} : { tags: tagsOf(tags) }) }),
        way(id, refs, tags) {
          if (tags.get('building') !== undefined && !keep(random)) return;
          for (const ref of refs) used.add(ref);
          ways.push({ id, nodes: [...refs], tags: tagsOf(tags) });
        },
      });
  return osmFile({ nodes: nodes.filter(({ id, tags }) => tags !== undefined || used.has(id)), ways });
}
