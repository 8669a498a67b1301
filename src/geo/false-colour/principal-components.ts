/** The directions in which vectors vary most. */
interface PrincipalComponents {
  /** Mean of each component of the vectors. */
  readonly mean: Float64Array;
  /** Unit vectors, that of the largest variance first; the component of largest size of each is positive. */
  readonly axes: readonly Float64Array[];
  /** Variance along each axis, and of the vectors in all. */
  readonly variances: readonly number[];
  readonly total: number;
}

const MOST_SWEEPS = 30;

/**
 * Principal components of `count` vectors of `size` numbers that lie one after the other: eigenvectors of their covariance by
 * Jacobi's rotations. Vectors that are all alike have axes without variance.
 */
export function principalComponents(vectors: Float32Array, size: number, wanted: number): PrincipalComponents {
  const count = vectors.length / size;
  const mean = meanOf(vectors, size, count);
  const matrix = covariance(vectors, mean, size, count);
  const basis = diagonalise(matrix, size);
  const variances = Array.from({ length: size }, (_, i) => Math.max(0, matrix[i * size + i]!));
  const order = variances.map((_, i) => i).toSorted((a, b) => variances[b]! - variances[a]! || a - b);
  return {
    mean,
    axes: order.slice(0, wanted).map((column) => axisOf(basis, column, size)),
    variances: order.slice(0, wanted).map((column) => variances[column]!),
    total: variances.reduce((sum, value) => sum + value, 0),
  };
}

function meanOf(vectors: Float32Array, size: number, count: number): Float64Array {
  const mean = new Float64Array(size);
  for (let at = 0; at < vectors.length; at++) mean[at % size] += vectors[at]!;
  for (let i = 0; i < size; i++) mean[i] /= Math.max(1, count);
  return mean;
}

function covariance(vectors: Float32Array, mean: Float64Array, size: number, count: number): Float64Array {
  const matrix = new Float64Array(size * size);
  const off = new Float64Array(size);
  for (let v = 0; v < count; v++) {
    for (let i = 0; i < size; i++) off[i] = vectors[v * size + i]! - mean[i]!;
    for (let i = 0; i < size; i++) for (let j = i; j < size; j++) matrix[i * size + j] += off[i]! * off[j]!;
  }
  for (let i = 0; i < size; i++)
    for (let j = i; j < size; j++) {
      matrix[i * size + j] /= Math.max(1, count - 1);
      matrix[j * size + i] = matrix[i * size + j]!;
    }
  return matrix;
}

/** Rotates a symmetric matrix until nothing is left off its diagonal; gives the rotations as columns. */
function diagonalise(matrix: Float64Array, size: number): Float64Array {
  const basis = new Float64Array(size * size);
  for (let i = 0; i < size; i++) basis[i * size + i] = 1;
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let [off, whole] = [0, 0];
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) {
        whole += matrix[i * size + j]! ** 2;
        if (i !== j) off += matrix[i * size + j]! ** 2;
      }
    if (off <= 1e-20 * whole) break;
    for (let p = 0; p < size - 1; p++) for (let q = p + 1; q < size; q++) rotate(matrix, basis, size, p, q);
  }
  return basis;
}

/** One rotation of Jacobi's, after which the entry at `p`, `q` is 0 (Golub and Van Loan, section 8.5). */
function rotate(matrix: Float64Array, basis: Float64Array, size: number, p: number, q: number): void {
  const entry = matrix[p * size + q]!;
  if (entry === 0) return;
  const tau = (matrix[q * size + q]! - matrix[p * size + p]!) / (2 * entry);
  const tangent = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
  const cosine = 1 / Math.sqrt(1 + tangent * tangent);
  const sine = tangent * cosine;
  for (let k = 0; k < size; k++) {
    const [a, b] = [matrix[k * size + p]!, matrix[k * size + q]!];
    matrix[k * size + p] = cosine * a - sine * b;
    matrix[k * size + q] = sine * a + cosine * b;
  }
  for (let k = 0; k < size; k++) {
    const [a, b] = [matrix[p * size + k]!, matrix[q * size + k]!];
    matrix[p * size + k] = cosine * a - sine * b;
    matrix[q * size + k] = sine * a + cosine * b;
    const [c, d] = [basis[k * size + p]!, basis[k * size + q]!];
    basis[k * size + p] = cosine * c - sine * d;
    basis[k * size + q] = sine * c + cosine * d;
  }
}

function axisOf(basis: Float64Array, column: number, size: number): Float64Array {
  const axis = Float64Array.from({ length: size }, (_, i) => basis[i * size + column]!);
  const largest = axis.reduce((best, value) => (Math.abs(value) > Math.abs(best) + 1e-12 ? value : best), 0);
  return largest < 0 ? axis.map((value) => -value) : axis;
}
