/**
 * Solves `matrix * x = right` in place for a symmetric positive definite matrix of `size` rows, of which only the lower
 * triangle is read: `matrix` becomes its Cholesky factor and `right` the answer. False when the matrix is not positive
 * definite; both then hold nothing of use.
 */
export function solveCholesky(matrix: Float64Array, right: Float64Array, size: number): boolean {
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = matrix[row * size + column];
      for (let k = 0; k < column; k++) sum -= matrix[row * size + k] * matrix[column * size + k];
      if (row !== column) matrix[row * size + column] = sum / matrix[column * size + column];
      else if (sum > 0) matrix[row * size + row] = Math.sqrt(sum);
      else return false;
    }
  }
  for (let row = 0; row < size; row++) {
    for (let k = 0; k < row; k++) right[row] -= matrix[row * size + k] * right[k];
    right[row] /= matrix[row * size + row];
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let k = row + 1; k < size; k++) right[row] -= matrix[k * size + row] * right[k];
    right[row] /= matrix[row * size + row];
  }
  return true;
}
