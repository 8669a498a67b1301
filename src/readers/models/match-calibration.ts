import type { Calibration } from '../../geo/detection/head.ts';
import { ModelError } from './model-error.ts';
import { textsOf } from './tensor.ts';
import { constantOf, expectOp, type Origin } from './trace.ts';

/** The class whose score means that the commodity is there. */
const PRESENT = '1';

/**
 * Reads how the model's output comes from its raw score: where the class is "1", `slope * raw + intercept`, the pair
 * chosen by the number of thresholds that are not above the score. Gives the table and the raw score.
 */
export function matchCalibration(output: Origin): { readonly calibration: Calibration; readonly raw: Origin } {
  const byClass = expectOp(expectOp(output, 'SelectV2').input(2), 'SelectV2');
  const isPresent = expectOp(expectOp(byClass.input(0), 'StatelessIf').input(1), 'Equal');
  const [label] = textsOf(expectOp(isPresent.input(1), 'Const').node);
  if (label !== PRESENT) throw new ModelError(`wanted a model with the class "${PRESENT}", got "${label}"`);
  const line = expectOp(expectOp(byClass.input(1), 'Tile').input(0), 'AddV2');
  const product = expectOp(line.input(0), 'Mul');
  const slopes = expectOp(product.input(0), 'GatherV2');
  const intercepts = expectOp(line.input(1), 'GatherV2');
  const comparison = expectOp(expectOp(slopes.input(1), 'Sum').input(0), 'LessEqual');
  const calibration = {
    thresholds: constantOf(comparison.input(0)).values,
    slopes: constantOf(slopes.input(0)).values,
    intercepts: constantOf(intercepts.input(0)).values,
  };
  checkTable(calibration);
  const masked = expectOp(expectOp(product.input(1), 'GatherV2').input(0), 'SelectV2');
  return { calibration, raw: expectOp(expectOp(masked.input(2), 'StatelessIf').input(1), 'Sigmoid') };
}

function checkTable({ thresholds, slopes, intercepts }: Calibration): void {
  const pieces = thresholds.length + 1;
  if (slopes.length !== pieces || intercepts.length !== pieces)
    throw new ModelError(
      `wanted a calibration of ${pieces} pieces, got ${slopes.length} slopes and ${intercepts.length} intercepts`,
    );
  if (!thresholds.every((threshold, i) => i === 0 || thresholds[i - 1] <= threshold))
    throw new ModelError('wanted thresholds of the calibration that rise');
}
