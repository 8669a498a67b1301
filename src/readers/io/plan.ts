export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface PlannedRange extends ByteRange {
  /** Indexes into the requested ranges, which this one holds whole. */
  readonly members: readonly number[];
}

export interface PlanLimits {
  /** Widest gap of unwanted bytes worth reading to save a request. */
  readonly maxGap: number;
  /** Longest joined range; a single longer one is left as it is. */
  readonly maxBytes: number;
}

/** Joins ranges that overlap or lie close together into fewer ones, in order of their offsets. Every range is in exactly one. */
export function planRanges(ranges: readonly ByteRange[], { maxGap, maxBytes }: PlanLimits): PlannedRange[] {
  const order = ranges.map((_, i) => i).toSorted((a, b) => ranges[a].offset - ranges[b].offset || a - b);
  const plan: { offset: number; length: number; members: number[] }[] = [];
  for (const member of order) {
    const { offset, length } = ranges[member];
    const last = plan.at(-1);
    const joined = last === undefined ? 0 : Math.max(last.length, offset + length - last.offset);
    if (
      last !== undefined &&
      offset - (last.offset + last.length) <= maxGap &&
      joined <= Math.max(maxBytes, last.length)
    ) {
      last.length = joined;
      last.members.push(member);
    } else plan.push({ offset, length, members: [member] });
  }
  return plan;
}
