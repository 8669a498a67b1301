import type { DatasetChange } from '../../collections/watch/watch.ts';
import type { Dataset, DatasetRole } from '../../readers/catalogue/dataset.ts';
import { RASTER_ROLES } from '../../readers/rasters/raster-spec.ts';
import { VOTING_ROLES } from '../../readers/rasters/vote-spec.ts';

/** What plots are measured on: rasters, whose `votes` any of them may have, and detection heads over embeddings. */
const MEASURED_ROLES: readonly DatasetRole[] = [...RASTER_ROLES, ...VOTING_ROLES, 'embeddings', 'commodity-model'];

/** Versions by the dataset, of those that plots are measured on, in the order of their ids. */
export function measuredVersions(catalogue: readonly Dataset[]): Readonly<Record<string, string>> {
  const measured = catalogue.filter(({ kind, role }) => kind === 'cog' || MEASURED_ROLES.includes(role));
  return Object.fromEntries(
    measured.map(({ id, version }) => [id, version] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** What is another one, new or gone. */
export function versionChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly DatasetChange[] {
  const ids = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return ids
    .map((dataset) => ({ dataset, before: before[dataset] ?? null, after: after[dataset] ?? null }))
    .filter(({ before: old, after: now }) => old !== now);
}
