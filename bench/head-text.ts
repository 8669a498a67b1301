import type { DetectionHead } from '../src/geo/detection/head.ts';

/** A head as `peers/heads.py` reads it: its numbers in base64. */
export function headText(head: DetectionHead): string {
  const text = ({ buffer, byteOffset, byteLength }: Float32Array | Float64Array): string =>
    Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  const { calibration, layers } = head;
  return JSON.stringify({
    ...head,
    edges: head.edges.map(text),
    binWeights: text(head.binWeights),
    slopes: text(head.slopes),
    bias: text(head.bias),
    layers: layers.map((layer) => ({ ...layer, weights: text(layer.weights), bias: text(layer.bias) })),
    calibration: {
      thresholds: text(calibration.thresholds),
      slopes: text(calibration.slopes),
      intercepts: text(calibration.intercepts),
    },
  });
}
