/**
 * Undoes predictor 2 in place: each sample was stored as its difference from the one before it in its row and band.
 * Samples are integers of `bytes` bytes, floats by their bits, in this machine's order.
 */
export function undoDifferences(out: Uint8Array, bytes: 1 | 2 | 4 | 8, rowSamples: number, step: number): void {
  const values = AS_INTEGERS[bytes](out);
  if (values instanceof BigUint64Array) {
    for (let i = 0; i < values.length; i++) if (i % rowSamples >= step) values[i] += values[i - step];
    return;
  }
  for (let row = 0; row < values.length; row += rowSamples) {
    const end = Math.min(row + rowSamples, values.length);
    for (let i = row + step; i < end; i++) values[i] += values[i - step];
  }
}

const AS_INTEGERS = {
  1: (out: Uint8Array) => out,
  2: (out: Uint8Array) => new Uint16Array(out.buffer, out.byteOffset, out.length >> 1),
  4: (out: Uint8Array) => new Uint32Array(out.buffer, out.byteOffset, out.length >> 2),
  8: (out: Uint8Array) => new BigUint64Array(out.buffer, out.byteOffset, out.length >> 3),
} as const;

/**
 * Undoes predictor 3 in place (Adobe Photoshop TIFF technical note 3): in each row the bytes of all floats were sorted
 * by rank, the highest first, and stored as differences. The result is in little-endian order.
 */
export function undoFloatPredictor(out: Uint8Array, bytes: 4 | 8, rowSamples: number, step: number): void {
  const rowBytes = rowSamples * bytes;
  const sorted = new Uint8Array(rowBytes);
  for (let row = 0; row + rowBytes <= out.length; row += rowBytes) {
    for (let i = 0; i < rowBytes; i++) sorted[i] = out[row + i] + (i >= step ? sorted[i - step] : 0);
    for (let i = 0; i < rowSamples; i++) {
      for (let rank = 0; rank < bytes; rank++) out[row + i * bytes + bytes - 1 - rank] = sorted[rank * rowSamples + i];
    }
  }
}
