import { boxOfCoverage, type CoverageShape } from '../../map/coverage.ts';
import type { Box } from '../../map/box-polygon.ts';

/** What is needed of a dataset here, of all that the service says of one. */
export interface KnownDataset {
  readonly id: string;
  /** A box or polygons. */
  readonly coverage: unknown;
  /** Where its theme is mapped; null: everywhere it covers. */
  readonly mapped: { readonly area: unknown } | null;
  readonly contract: { readonly state: ContractState } | null;
}

type ContractState = 'held' | 'broken' | 'unreachable' | 'unstated' | 'unchecked';

/** West, south, east and north of what a dataset covers. */
export function boxOf({ coverage }: Pick<KnownDataset, 'coverage'>): Box {
  return boxOfCoverage(coverage as CoverageShape);
}

/** Whether it covers the land of the world. */
export function isWorld(dataset: Pick<KnownDataset, 'coverage'>): boolean {
  const [west, south, east, north] = boxOf(dataset);
  return east - west >= 359 && north - south >= 120;
}

/** How much of a box a dataset may know. `all` is said only where nothing of it can be missing. */
type Share = 'all' | 'part' | 'none';

export function shareOf(dataset: Pick<KnownDataset, 'coverage' | 'mapped'>, box: Box): Share {
  const [west, south, east, north] = boxOf(dataset);
  if (box[0] > east || box[2] < west || box[1] > north || box[3] < south) return 'none';
  const holds = box[0] >= west && box[2] <= east && box[1] >= south && box[3] <= north;
  // An outline may leave out what its box holds, and a theme what its pack holds.
  const isWhole = !('type' in (dataset.coverage as CoverageShape)) && dataset.mapped === null;
  return holds && isWhole ? 'all' : 'part';
}

/** The most that one of several knows. */
export function mostOf(shares: readonly Share[]): Share {
  return shares.includes('all') ? 'all' : shares.includes('part') ? 'part' : 'none';
}

/** How well a dataset answers; `local`: it is on this machine, where nothing can be out of reach. */
export type Health = 'local' | ContractState;

export function healthOf({ contract }: Pick<KnownDataset, 'contract'>): Health {
  return contract?.state ?? 'local';
}

/** States from the one that needs somebody first. */
const GRAVEST = [
  'broken',
  'unreachable',
  'unchecked',
  'unstated',
  'held',
  'local',
] as const satisfies readonly Health[];

export function gravestOf(states: readonly Health[]): Health {
  return GRAVEST.find((state) => states.includes(state)) ?? 'local';
}
