import gate from '../../geo/segmentation/forest-gate.json' with { type: 'json' };
import { BANDS, type Grid, NODATA } from '../../geo/segmentation/grid.ts';
import { DISTRICT, hashNoise, LAND_COVERS, type LandCover, smoothNoise, type Stand, standAt } from './district.ts';

/**
 * How strongly the forest gate takes each cover for forest, in logits: what a real embedding of it would give, more
 * or less. Nothing else of these vectors is meant to be like real ones.
 */
const FOREST_LOGITS = {
  primary: 5,
  logged: 3,
  swamp: 4,
  rubber: 2,
  palm: -2,
  farmland: -5,
  village: -6,
  river: -7,
} satisfies Record<LandCover, number>;

/** Lengths compared with vectors of length one: how far stands of one cover, places of one stand, cells and pixels differ. */
const STAND_DIFFERENCE = 0.45;
const DRIFT = 0.12;
const CELL_NOISE = 0.06;
const PIXEL_NOISE = 0.03;
/** Cells over which a stand drifts, and the directions it drifts in. */
const DRIFT_CELLS = 12;
const DRIFTS = 4;

/** A corner of the raster without data, in cells: as wide as it is high. */
const NODATA_CORNER = 10;

/** The embeddings of the sample district: synthetic, the same bytes on every machine. 512 x 512 x 64 codes. */
export function sampleEmbeddings(): Grid {
  const { size, phase, west, north, crs } = DISTRICT;
  const codes = new Int8Array(size * size * BANDS);
  const stands = new Map<number, Float64Array>();
  const drifts = Array.from({ length: DRIFTS }, (_, i) => randomUnit(700 + i));
  const cell = new Float64Array(BANDS);
  for (let row = 0; row <= size / 2; row++) {
    for (let column = 0; column <= size / 2; column++) {
      const isMissing = column < NODATA_CORNER && row < NODATA_CORNER - column;
      if (!isMissing) writeCell(cell, column, row, vectorOf(standAt(column, row), stands), drifts);
      for (let y = Math.max(0, 2 * row - phase); y < Math.min(size, 2 * row - phase + 2); y++) {
        for (let x = Math.max(0, 2 * column - phase); x < Math.min(size, 2 * column - phase + 2); x++) {
          const at = (y * size + x) * BANDS;
          if (isMissing) codes.fill(NODATA, at, at + BANDS);
          else writePixel(codes, at, cell, x, y);
        }
      }
    }
  }
  return { width: size, height: size, codes, transform: [10, 0, west, 0, -10, north], crs };
}

/** The cell's own vector: its stand's, drifted smoothly, with noise. */
function writeCell(
  out: Float64Array,
  column: number,
  row: number,
  stand: Float64Array,
  drifts: readonly Float64Array[],
): void {
  const shifts = drifts.map(
    (_, i) => DRIFT * 2 * (smoothNoise(column / DRIFT_CELLS, row / DRIFT_CELLS, 800 + i) - 0.5),
  );
  for (let band = 0; band < BANDS; band++) {
    let value = stand[band] + scatter(column, row, 900 + band, CELL_NOISE);
    for (let i = 0; i < DRIFTS; i++) value += shifts[i] * drifts[i][band];
    out[band] = value;
  }
}

/** Codes of one pixel: `sign(v) * sqrt(|v|) * 127.5`, the quantisation of the public files. */
function writePixel(out: Int8Array, at: number, cell: Float64Array, x: number, y: number): void {
  let squared = 0;
  for (let band = 0; band < BANDS; band++) squared += cell[band] ** 2;
  const scale = 1 / Math.sqrt(squared);
  for (let band = 0; band < BANDS; band++) {
    const value = cell[band] * scale + scatter(x, y, 1000 + band, PIXEL_NOISE);
    const code = Math.round(Math.sign(value) * Math.sqrt(Math.abs(value)) * 127.5);
    out[at + band] = Math.min(127, Math.max(-127, code));
  }
}

/** Noise of one band, so that the noise of all bands together has the given length on average. */
function scatter(x: number, y: number, seed: number, length: number): number {
  return (hashNoise(x, y, seed) - 0.5) * length * Math.sqrt(12 / BANDS);
}

function vectorOf({ id, cover }: Stand, known: Map<number, Float64Array>): Float64Array {
  let vector = known.get(id);
  if (vector === undefined) {
    const base = randomUnit(LAND_COVERS.indexOf(cover) + 1);
    const own = randomUnit(10_000 + id);
    vector = withLogit(
      base.map((value, band) => value + STAND_DIFFERENCE * own[band]),
      FOREST_LOGITS[cover],
    );
    known.set(id, vector);
  }
  return vector;
}

/** The unit vector near `vector` for which the forest gate gives `logit`. */
function withLogit(vector: Float64Array, logit: number): Float64Array {
  const squaredWeights = dot(gate.weights, gate.weights);
  let near = normalised(vector);
  // Normalising moves the logit again, less each time.
  for (let round = 0; round < 40; round++) {
    const step = (logit - gate.bias - dot(gate.weights, near)) / squaredWeights;
    near = normalised(near.map((value, band) => value + step * gate.weights[band]));
  }
  return near;
}

function randomUnit(seed: number): Float64Array {
  return normalised(Float64Array.from({ length: BANDS }, (_, band) => hashNoise(band, seed, 5) - 0.5));
}

function normalised(vector: Float64Array): Float64Array {
  const length = Math.sqrt(dot(vector, vector));
  return vector.map((value) => value / length);
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let band = 0; band < BANDS; band++) sum += a[band] * b[band];
  return sum;
}
