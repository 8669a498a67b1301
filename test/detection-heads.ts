import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Activation, DetectionHead } from '../src/geo/detection/head.ts';
import { BANDS } from '../src/geo/segmentation/grid.ts';
import type { HeadMeta } from '../src/readers/models/head-pack.ts';
import { PUBLISHED_MODELS, type PublishedHead } from '../src/readers/models/published-models.ts';
import { readModelArchive } from '../src/readers/models/read-head.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { SHARED_DATA } from './shared-data.ts';

/** The folder of the published archives and of their test vectors. */
export const MODEL_FOLDER = 'models/fdp-2025b';
export const PUBLISHED: readonly PublishedHead[] = PUBLISHED_MODELS[0].heads;

/** A published head, read from its archive. */
export function readPublished({ file }: PublishedHead): Promise<DetectionHead> {
  return readModelArchive(join(SHARED_DATA, MODEL_FOLDER, file));
}

export interface TestVector {
  readonly x: readonly number[];
  readonly raw: number;
  readonly calibrated: number;
}

/** Real pixels with what the original graph made of them. */
export function testVectors(): Readonly<Record<string, readonly TestVector[]>> {
  return JSON.parse(readFileSync(join(SHARED_DATA, MODEL_FOLDER, 'test_vectors.json'), 'utf8'));
}

/** The codes of values that were dequantised from codes. */
export function codesOf(values: Iterable<number>): Int8Array {
  return Int8Array.from(values, (value) => Math.round(Math.sign(value) * Math.sqrt(Math.abs(value)) * 127.5));
}

/** A real point: its place in degrees, its class of Dynamic World (6 is built), and its 64 values. */
export interface LabelledPoint {
  readonly lon: number;
  readonly lat: number;
  readonly cover: number;
  readonly values: readonly number[];
}

/** The points of a CSV of real embeddings. */
export function labelledPoints(name: string): LabelledPoint[] {
  const rows = parse(readFileSync(join(SHARED_DATA, 'aef', name)), { columns: true }) as Record<string, string>[];
  return rows.map((row) => ({
    lon: Number(row['longitude']),
    lat: Number(row['latitude']),
    cover: Number(row['dw_label']),
    values: Array.from({ length: BANDS }, (_, band) => Number(row[`A${String(band).padStart(2, '0')}`])),
  }));
}

/** The embeddings of a CSV of points, as codes. */
export function codesOfPoints(name: string): Int8Array {
  return codesOf(labelledPoints(name).flatMap(({ values }) => values));
}

/** What a made-up head says of itself. */
export const MADE_UP_HEAD: HeadMeta = {
  model: 'made-up',
  version: '7',
  commodity: 'palm',
  licence: 'CC0-1.0',
  attribution: 'nobody',
  threshold: 0.5,
  thresholdSource: 'made up',
  latitude: 24,
  sha256: '',
  from: '',
};

/** A head of random weights, the same for the same seed. */
export function randomHead(seed: number, activation: Activation, widths: readonly number[]): DetectionHead {
  const random = seededRandom(seed);
  const normal = (count: number, scale: number): Float32Array =>
    Float32Array.from({ length: count }, () => (random() + random() + random() - 1.5) * scale);
  const [width] = widths;
  const edges = Array.from({ length: BANDS }, () =>
    Float32Array.from({ length: 1 + Math.floor(random() * 10) }, () => random() * 0.4 - 0.2).sort(),
  );
  const bins = edges.reduce((sum, own) => sum + own.length + 1, 0);
  const layers = [...widths.slice(1), 1].map((outputs, i) => ({
    inputs: widths[i],
    outputs,
    weights: normal(widths[i] * outputs, 2 / Math.sqrt(widths[i])),
    bias: normal(outputs, 0.5),
  }));
  return {
    edges,
    width,
    binWeights: normal(bins * width, 0.3),
    slopes: normal(BANDS * width, 1),
    bias: normal(width, 0.5),
    activation,
    layers,
    calibration: {
      thresholds: Float64Array.of(0.25, 0.5),
      slopes: Float64Array.of(2, 1, 0.5),
      intercepts: Float64Array.of(0, 0.25, 0.5),
    },
  };
}
