/** What part of some pixels is above a threshold. */
export interface Share {
  /** Pixels with data: the share is among them. */
  readonly n: number;
  /** Pixels without data. */
  readonly masked: number;
  /** 0 to 1; NaN when no pixel has data. */
  readonly share: number;
  /** Of `share` as an estimate of all pixels: 0 when they were all looked at. */
  readonly standardError: number;
}

/**
 * The share of pixels whose probability is at or above the threshold, NaN being no data. The standard error is that of a
 * simple random sample, which a stratified one does not exceed in practice.
 */
export function shareAbove(probabilities: ArrayLike<number>, threshold: number, isComplete: boolean): Share {
  let n = 0;
  let above = 0;
  for (let i = 0; i < probabilities.length; i++) {
    if (Number.isNaN(probabilities[i])) continue;
    n++;
    if (probabilities[i] >= threshold) above++;
  }
  const share = n === 0 ? Number.NaN : above / n;
  const standardError = isComplete || n < 2 ? 0 : Math.sqrt((share * (1 - share)) / (n - 1));
  return { n, masked: probabilities.length - n, share, standardError };
}
