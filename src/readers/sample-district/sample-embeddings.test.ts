import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { utmProjection } from '../../geo/crs/utm.ts';
import { windowOfGrid } from '../../geo/segmentation/code-window.ts';
import { detectBlockPhase, MIN_BLOCK_CONFIDENCE } from '../../geo/segmentation/detect-block-phase.ts';
import { findSegment } from '../../geo/segmentation/find-segment.ts';
import { forestGate } from '../../geo/segmentation/forest-gate.ts';
import { DISTRICT, type LandCover, standAt } from './district.ts';
import { sampleEmbeddings } from './sample-embeddings.ts';

const grid = sampleEmbeddings();

test('the district has the same bytes on every machine', () => {
  assert.equal(createHash('sha256').update(grid.codes).digest('hex').slice(0, 16), '6d9bfa9eff69a39d');
});

test('the box in degrees holds the raster', () => {
  const [west, south, east, north] = DISTRICT.bbox;
  const metres = DISTRICT.size * 10;
  const corner = new Float64Array(2);
  for (const [x, y] of [
    [0, 0],
    [metres, 0],
    [0, metres],
    [metres, metres],
  ]) {
    utmProjection(48, true).toLonLat(DISTRICT.west + x, DISTRICT.north - y, corner, 0);
    assert.ok(corner[0] > west && corner[0] < east && corner[1] > south && corner[1] < north, corner.join(' '));
  }
});

test('its blocks are found where they were laid', () => {
  const phase = detectBlockPhase(windowOfGrid(grid, 128, 128, 256, 256));
  assert.deepEqual([phase.x, phase.y], [DISTRICT.phase, DISTRICT.phase]);
  assert.ok(phase.confidence > MIN_BLOCK_CONFIDENCE, `confidence ${phase.confidence}`);
});

test('stands of forest come out as patches of forest, fields and houses do not', async () => {
  const forest = new Set<LandCover>(['primary', 'logged', 'swamp', 'rubber']);
  const source = {
    phase: { x: DISTRICT.phase, y: DISTRICT.phase },
    window: async (x: number, y: number, width: number, height: number) => windowOfGrid(grid, x, y, width, height),
  };
  let wrong = 0;
  for (let i = 0; i < 60; i++) {
    const x = 24 + ((i * 97) % 460);
    const y = 24 + ((i * 61) % 460);
    const { cover } = standAt((x + 1) >> 1, (y + 1) >> 1);
    const found = await findSegment(source, x, y);
    if (cover === 'river') continue;
    assert.ok(found !== null && found.proven, `pixel ${x}, ${y}`);
    if (forestGate(found).isForest !== forest.has(cover)) wrong++;
  }
  assert.ok(wrong <= 1, `${wrong} of 60 stands are taken for something else`);
});
