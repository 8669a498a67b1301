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
