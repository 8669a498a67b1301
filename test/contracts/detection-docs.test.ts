import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { tileOfPlace } from '../../src/readers/rasters/tile-template.ts';
import { parseDataset } from '../../src/readers/catalogue/entry.ts';
import type { Dataset } from '../../src/readers/catalogue/dataset.ts';
import { anchorOf } from '../../src/http/pages/html-page.ts';
import { aboutHead, aboutMap, aboutPlantations, ANCHORS } from '../../src/service/detection/about.ts';
import { OWN_HEADS } from '../../src/service/detection/heads.ts';
import { commodityMaps } from '../../src/service/detection/maps.ts';
import { TRAINING_RULES } from '../../src/service/models/training-rules.ts';
import { PUBLISHED_MODELS } from '../../src/readers/models/published-models.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/detection-models.md'), 'utf8');

test('every catalogue entry of the page is one that can be read, and a map that can be used', () => {
  const documents = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text]) => JSON.parse(text) as unknown);
  const entries = documents.flatMap((document) => (document as { readonly datasets: readonly unknown[] }).datasets);
  const datasets = entries.map((entry): Dataset => {
    const { faults, dataset } = parseDataset(entry, '/catalogue');
    assert.deepEqual(faults, []);
    assert.ok(dataset !== null);
    return dataset;
  });
  assert.equal(new Set(datasets.map(({ id }) => id)).size, datasets.length);
  const maps = commodityMaps(datasets);
  const { scheme } = maps.find(({ subject }) => subject === 'built-up')!.place;
  assert.ok(scheme !== null);
  assert.match(tileOfPlace(scheme, 103.1, -3.5).address, /^https:.*_v200_S06E102_Map\.tif$/);
  const subjects = maps.map(({ subject }) => subject);
  assert.deepEqual(subjects, ['soy', 'soy', 'cattle', 'timber', 'built-up', 'palm', 'soy', 'plantation']);
});

test('what evidence points to is a heading of the page', () => {
  const anchors = new Set([...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading)));
  for (const anchor of ANCHORS) assert.ok(anchors.has(anchor), anchor);
  const published = PUBLISHED_MODELS.flatMap(({ heads }) => heads.map(({ commodity }) => commodity));
  const heads = [...published, ...OWN_HEADS.map(({ about }) => about.commodity)];
  const abouts = heads.map((commodity) => aboutHead({ id: '', path: '', about: { ...OWN_HEADS[0].about, commodity } }));
  for (const about of [...abouts, aboutMap(), aboutPlantations()]) {
    const [path, anchor] = about.split('#');
    assert.equal(path, '/docs/detection-models');
    assert.ok(
      ANCHORS.some((known) => known === anchor),
      about,
    );
  }
});

test('the page states the rules of training as they are', () => {
  const { mostLabels, leastOfClass, leastBlocks, folds, blockDegrees, refusedArea, poor, leastOfRegion, mostRegions } =
    TRAINING_RULES;
  for (const sentence of [
    `blocks of ${blockDegrees.default} degrees`,
    `dealt out to ${folds} folds`,
    `A region needs ${leastOfRegion} pixels of each class, and ${leastOfClass} outside; at most ${mostRegions} are held out.`,
    `fewer than ${leastOfClass} pixels of a class; a class in fewer than ${leastBlocks} blocks, or not in every fold; more than ${mostLabels.toLocaleString('en')} labels`,
    `an area under the curve below ${refusedArea}`,
    `an area below ${poor.area}, F1 below ${poor.f1}, precision below ${poor.precision}, a region with an area below ${poor.regionArea} or F1 below ${poor.regionF1}`,
  ])
    assert.ok(page.includes(sentence), sentence);
});
