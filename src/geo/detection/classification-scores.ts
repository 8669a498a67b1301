/** How a threshold does on labelled pixels. */
export interface Evaluation {
  /** Pixels with the class that are found, pixels without it that are claimed, and pixels with it that are missed. */
  readonly found: number;
  readonly claimed: number;
  readonly missed: number;
}

/** Counts what a threshold finds; a pixel counts as the class from it on. */
export function evaluateThreshold(scores: ArrayLike<number>, labels: ArrayLike<number>, threshold: number): Evaluation {
  let [found, claimed, missed] = [0, 0, 0];
  for (let i = 0; i < scores.length; i++) {
    const isClaimed = scores[i] >= threshold;
    if (labels[i] === 1 && isClaimed) found++;
    else if (labels[i] === 1) missed++;
    else if (isClaimed) claimed++;
  }
  return { found, claimed, missed };
}

/** Two of them together. */
export function addEvaluations(a: Evaluation, b: Evaluation): Evaluation {
  return { found: a.found + b.found, claimed: a.claimed + b.claimed, missed: a.missed + b.missed };
}

/** Part of what is claimed that is right; 0 when nothing is claimed. */
export function precisionOf({ found, claimed }: Evaluation): number {
  return found === 0 ? 0 : found / (found + claimed);
}

/** Part of what is there that is found; 0 when nothing is there. */
export function recallOf({ found, missed }: Evaluation): number {
  return found === 0 ? 0 : found / (found + missed);
}

/** The harmonic mean of both; 0 when nothing is found. */
export function f1Of({ found, claimed, missed }: Evaluation): number {
  return found === 0 ? 0 : (2 * found) / (2 * found + claimed + missed);
}

/**
 * The threshold of the highest F1, in the middle between the lowest score that counts and the highest that does not (or 0);
 * of several the highest. 1 when no pixel has the class.
 */
export function bestThreshold(scores: ArrayLike<number>, labels: ArrayLike<number>): number {
  const order = Array.from(scores, (_, i) => i).sort((a, b) => scores[b] - scores[a]);
  const positive = Array.from(labels).reduce((sum, label) => sum + label, 0);
  let best = { threshold: 1, f1: 0 };
  let found = 0;
  order.forEach((row, i) => {
    found += labels[row];
    const below = i + 1 < order.length ? scores[order[i + 1]] : 0;
    if (below === scores[row] && i + 1 < order.length) return;
    const f1 = (2 * found) / (i + 1 + positive);
    if (f1 > best.f1) best = { threshold: (scores[row] + below) / 2, f1 };
  });
  return best.threshold;
}

/**
 * The chance that a pixel with the class has a higher score than one without, ties counting half: the area under the
 * receiver operating characteristic. NaN when one of the classes is missing.
 */
export function areaUnderCurve(scores: ArrayLike<number>, labels: ArrayLike<number>): number {
  const order = Array.from(scores, (_, i) => i).sort((a, b) => scores[a] - scores[b]);
  let [ranks, positive] = [0, 0];
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && scores[order[to]] === scores[order[from]]) to++;
    // Ranks count from 1; those of a tie share their mean.
    const rank = (from + 1 + to) / 2;
    for (let i = from; i < to; i++) {
      if (labels[order[i]] !== 1) continue;
      ranks += rank;
      positive++;
    }
    from = to;
  }
  return (ranks - (positive * (positive + 1)) / 2) / (positive * (order.length - positive));
}
