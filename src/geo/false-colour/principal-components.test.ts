import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../seeded-random.ts';
import { principalComponents } from './principal-components.ts';

const SIZE = 16;
const COUNT = 3_000;

/** Numbers around 0 with a variance of 1. */
function normals(seed: number): () => number {
  const random = seededRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function covariance(vectors: Float32Array): number[][] {
  const count = vectors.length / SIZE;
  const mean = Array.from({ length: SIZE }, (_, i) => {
    let sum = 0;
    for (let v = 0; v < count; v++) sum += vectors[v * SIZE + i];
    return sum / count;
  });
  return mean.map((a, i) =>
    mean.map((b, j) => {
      let sum = 0;
      for (let v = 0; v < count; v++) sum += (vectors[v * SIZE + i] - a) * (vectors[v * SIZE + j] - b);
      return sum / (count - 1);
    }),
  );
}

describe('principal components', () => {
  it('are eigenvectors of the covariance, of length one and at right angles, the largest variance first', () => {
    const next = normals(5);
    const mixing = Array.from({ length: SIZE * SIZE }, next);
    const vectors = new Float32Array(COUNT * SIZE);
    for (let v = 0; v < COUNT; v++) {
      const from = Array.from({ length: SIZE }, (_, i) => next() * (i + 1));
      for (let i = 0; i < SIZE; i++)
        vectors[v * SIZE + i] = 7 + from.reduce((sum, value, j) => sum + value * mixing[i * SIZE + j], 0);
    }
    const matrix = covariance(vectors);
    const { axes, variances, total, mean } = principalComponents(vectors, SIZE, SIZE);
    assert.ok(Math.abs(mean[0] - 7) < 5);
    const trace = matrix.reduce((sum, row, i) => sum + row[i], 0);
    assert.ok(Math.abs(total / trace - 1) < 1e-9);
    for (const [k, axis] of axes.entries()) {
      assert.ok(k === 0 || variances[k] <= variances[k - 1]);
      for (const [i, row] of matrix.entries()) {
        const turned = row.reduce((sum, value, j) => sum + value * axis[j], 0);
        assert.ok(Math.abs(turned - variances[k] * axis[i]) < 1e-6 * trace, `axis ${k}`);
      }
      for (const [l, other] of axes.entries()) {
        const product = axis.reduce((sum, value, i) => sum + value * other[i], 0);
        assert.ok(Math.abs(product - (k === l ? 1 : 0)) < 1e-9, `${k} ${l}`);
      }
      assert.ok(Math.max(...axis) >= Math.abs(Math.min(...axis)) - 1e-9);
    }
  });

  it('have no variance where all vectors are alike', () => {
    const { variances, total } = principalComponents(new Float32Array(4 * SIZE).fill(3), SIZE, 3);
    assert.deepEqual(variances, [0, 0, 0]);
    assert.equal(total, 0);
  });
});
