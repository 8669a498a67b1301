import type { Answer } from '../../../api/client.ts';
import type { Result } from './result-status.ts';

type Said = Answer<'fetchDeforestationCheck'>['features'][number]['properties']['plot_group'];

/** The groups of locations, the same in page, audit trail, tables and API; the most urgent first. */
export const GROUPS = [
  'deforested',
  'open',
  'left_out',
  'excluded',
  'cleared',
  'facility',
] as const satisfies readonly Said[];
export type Group = (typeof GROUPS)[number];

/** Which of the looks of levels a group has: colour and shape. */
export const GROUP_LOOKS = {
  deforested: 'low',
  open: 'medium',
  left_out: 'invalid',
  excluded: 'invalid',
  cleared: 'high',
  facility: 'none',
} as const satisfies Record<Group, string>;

/** What is not known looks like neither good nor bad. */
export function lookOf(group: Group | null, result: Result | null): (typeof GROUP_LOOKS)[Group] | 'unverified' {
  if (group === null) return 'none';
  return group === 'open' && (result === 'unknown' || result === null) ? 'unverified' : GROUP_LOOKS[group];
}
