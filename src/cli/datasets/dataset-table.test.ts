import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListedDataset } from '../../service/datasets/list-datasets.ts';
import { datasetTable } from './dataset-table.ts';

const ONE: ListedDataset = {
  id: 'own-roads',
  role: 'roads',
  kind: 'flatgeobuf',
  version: '1',
  date: '2026-05',
  licence: 'ODbL-1.0',
  attribution: '© OpenStreetMap contributors',
  coverage: [-123.714, -12.991, -123.6, 13.2],
  synthetic: false,
  pack: null,
  features: null,
  bytes: null,
  mapped: null,
  fetched_cells: null,
};
const THEMES = ['roads', 'water', 'buildings', 'industrial', 'businesses', 'ports', 'settlements'];
const PACK: readonly ListedDataset[] = THEMES.map((theme, i) => ({
  ...ONE,
  id: `ghana-${theme}`,
  pack: 'ghana',
  features: 1_234_567 * (i + 1),
  bytes: 100_000_000 * (i + 1),
  coverage: {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [-3.2601, 4.7],
          [1.2, 4.7],
          [1.2, 11.1666],
          [-3.2601, 4.7],
        ],
      ],
    ],
  },
}));

describe('the table of datasets', () => {
  it('has a row for each pack, its themes and their features below, within 100 columns', () => {
    const lines = datasetTable([...PACK, ONE]).split('\n');
    assert.equal(lines.filter((line) => line.startsWith('ghana')).length, 1);
    assert.match(lines[2], /^ghana +2026-05 +-3\.27,4\.7,1\.2,11\.17 +2\.8 GB$/);
    assert.match(lines.slice(3, 5).join(' '), /roads 1,234,567, water 2,469,134, .*settlements 8,641,969$/);
    assert.ok(lines.every((line) => line.length <= 100));
  });

  it('shows date, ground outwards to a hundredth of a degree, and role of a dataset', () => {
    assert.match(datasetTable([ONE]), /^own-roads +2026-05 +-123\.72,-13,-123\.6,13\.2 +- +roads$/m);
  });

  it('names the world, made-up data, and what has no date', () => {
    const world = { ...ONE, coverage: [-180, -90, 180, 90], date: null, synthetic: true };
    assert.match(datasetTable([world]), /^own-roads +- +the world +- +synthetic, roads$/m);
  });

  it('gives a long id a line of its own', () => {
    const id = 'a-pack-with-a-name-that-is-far-too-long-for-any-column';
    const lines = datasetTable([{ ...ONE, id }, ONE]).split('\n');
    assert.equal(lines[2], id);
    assert.match(lines[3], /^ +2026-05 .* roads$/);
  });

  it('keeps a pack and a dataset of the same name apart', () => {
    const table = datasetTable([...PACK, { ...ONE, id: 'ghana' }]);
    assert.equal(table.match(/^ghana /gm)?.length, 2);
  });
});
