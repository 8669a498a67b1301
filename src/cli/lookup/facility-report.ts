import type { FacilitySummary } from '../../facilities/summarise.ts';
import type { ConfidenceBasis, ConfidenceLevel } from '../../facilities/thresholds.ts';
import { textTable } from '../parts/text-table.ts';

/**
 * What a summary says of its facilities, for people: levels apart by how much of each score was looked at, and indicators
 * apart by whether they were absent or not assessed, so that nothing unknown reads as bad.
 */
export function facilityReport(summary: FacilitySummary): readonly string[] {
  return [
    textTable(
      ['facilities', String(summary.total_facilities), ...Object.values(BASES)],
      levelRows(summary),
      [1, 2, 3, 4],
    ),
    textTable(['indicator', 'present', 'absent', 'not assessed'], indicatorRows(summary), [1, 2, 3]),
    meanInWords(summary),
  ];
}

const BASES = {
  verified: 'verified',
  partly_verified: 'partly verified',
  unverified: 'unverified',
} as const satisfies Record<ConfidenceBasis, string>;

function levelRows({ confidence_level: levels, confidence_level_by_basis: byBasis }: FacilitySummary): string[][] {
  return (Object.keys(levels) as ConfidenceLevel[]).map((level) => [
    `level ${level}`,
    ...[levels, byBasis.verified, byBasis.partly_verified, byBasis.unverified].map((counts) => String(counts[level])),
  ]);
}

function indicatorRows({ indicator_status: statuses }: FacilitySummary): string[][] {
  return Object.entries(statuses).map(([name, { present, absent, unknown }]) => [
    name.replaceAll('_', ' '),
    ...[present, absent, unknown].map(String),
  ]);
}

function meanInWords(summary: FacilitySummary): string {
  const { confidence_score: score, confidence_range: range, evidence_coverage: coverage } = summary;
  if (range === null) return 'No facility was scored.';
  const allowed =
    range.lowest === range.highest
      ? ''
      : `; what was not assessed allows ${range.lowest.toFixed(2)} to ${range.highest.toFixed(2)}`;
  return `Mean confidence score ${score.toFixed(2)}, with ${Math.round(coverage * 100)} % of what is scored assessed${allowed}.`;
}
