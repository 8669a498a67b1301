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

/** How often a head claims a pixel that is not of its class, and one that is. */
export interface ErrorRates {
  readonly falsePositive: number;
  readonly truePositive: number;
}

/** Standard errors to each side of an interval that holds the truth 95 times of 100. */
const Z = 1.959964;

/**
 * Wilson's interval of a share among `n` pixels, which stays honest near 0 and 1: none of 20 pixels still allows 16 %. The
 * pixels count as a sample of what the head would say of such ground, also where all of them were looked at.
 */
export function wilsonInterval({ n, share }: Pick<Share, 'n' | 'share'>): readonly [lowest: number, highest: number] {
  const middle = share + (Z * Z) / (2 * n);
  const half = Z * Math.sqrt((share * (1 - share)) / n + (Z * Z) / (4 * n * n));
  const scale = 1 + (Z * Z) / n;
  return [share === 0 ? 0 : clipped((middle - half) / scale), share === 1 ? 1 : clipped((middle + half) / scale)];
}

/**
 * The share of ground that is of the class, from the share that a head claims and how it errs (Rogan and Gladen 1978):
 * `(claimed - falsePositive) / (truePositive - falsePositive)`, within 0 and 1.
 */
export function correctedShare(claimed: number, { falsePositive, truePositive }: ErrorRates): number {
  return clipped((claimed - falsePositive) / (truePositive - falsePositive));
}

function clipped(share: number): number {
  return Math.min(1, Math.max(0, share));
}
