import { createHash } from 'node:crypto';
import { requireScope } from '../../auth/authenticate.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Scope } from '../../auth/scopes.ts';
import type { Collection, CollectionReader } from '../../collections/collection.ts';
import { Problem } from '../../errors.ts';
import { DAY_MS } from '../../durations.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import { boxOf } from '../../geo/shapes/shape.ts';
import type { TimeSpan } from '../../gis/days.ts';
import type { Task } from '../../jobs/task.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { collectionVersion, type CollectionRows } from './collection-rows.ts';
import type { LabelSet, LabelSets } from './label-sets.ts';
import { type OpenedSet, openedRows } from './opened-set.ts';
import type { PackFiles } from './pack-files.ts';
import { hasFeatures, type ResultRows } from './result-rows.ts';
import { LOCATION_SETS, type LocationSet, monitoringPeriodOf } from './write-collection-rows.ts';

/** A set of features that map programs read: a collection of OGC API - Features, a layer of tiles. */
export interface MapSet {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly kind: LocationSet | 'results' | 'pack' | 'parcels' | 'segments';
  readonly attribution: string | null;
  readonly licence: string | null;
  /** Where it lies, as far as that is known without opening it. */
  readonly coverage: Bbox | null;
  /** The days that its features are about; null where they are about none. */
  readonly period: TimeSpan | null;
  /** Changes whenever the features do. */
  readonly version: string;
  /** Its features; what that takes is done at the first call. */
  open(signal: AbortSignal): Promise<OpenedSet>;
}

/** The sets that a principal may see. Those of others do not exist for it. */
export interface MapSets {
  /** Packs, parcels and label stores, then the locations of the newest collections and the newest results, `MOST_LISTED` of each. */
  list(principal: Principal): Promise<readonly MapSet[]>;
  /** Throws `Problem('not_found')` for a set that is not there or of somebody else, `forbidden` without the scope. */
  find(principal: Principal, id: string): Promise<MapSet>;
}

/** Collections of locations, and results, that are listed; each of them can be read by its id. */
export const MOST_LISTED = 100;
/** What reading the locations of collections takes, and the segments of label stores. */
const COLLECTION_SCOPE: Scope = 'collections';
const SEGMENT_SCOPE: Scope = 'forest';
/** What rating places takes, and reading what came of it. */
const RESULT_SCOPE: Scope = 'validate';

const SET_TITLES: Readonly<Record<LocationSet, string>> = { plots: 'plots', facilities: 'facilities' };
const SET_ID = /^(plots|facilities|results)-([0-9a-f-]{36})$/;

const COMMON = [
  'location_id',
  'name',
  'supplier_name',
  'country_code',
  'commodity_type',
  'location_confidence',
  'problem',
];
const TILE_PROPERTIES: Readonly<Record<Exclude<MapSet['kind'], 'segments'>, readonly string[]>> = {
  plots: [
    ...COMMON,
    'area_ha',
    'eudr_status',
    'risk_level',
    'convergence_verdict',
    'noncompliance_area_ha',
    'check_status',
    'monitored_until',
  ],
  facilities: [...COMMON, 'confidence_level', 'confidence_score', 'commodity_presence', 'primary_warning'],
  results: [
    ...COMMON,
    'facility_name',
    'location_type',
    'confidence_level',
    'confidence_score',
    'confidence_basis',
    'commodity_presence',
    'primary_warning',
  ],
  pack: ['class', 'name', 'source_id', 'synthetic'],
  parcels: ['parcel_id', 'synthetic'],
};

interface MapSetsDeps {
  readonly collections: Pick<CollectionReader, 'get' | 'list'>;
  readonly rows: CollectionRows;
  readonly results: ResultRows;
  readonly packs: PackFiles;
  readonly labels: LabelSets;
}

export function createMapSets({ collections, rows, results, packs, labels }: MapSetsDeps): MapSets {
  return {
    async list(principal) {
      const found = (await packs.list()).map((dataset) => ofDataset(packs, dataset));
      if (principal.scopes.includes(SEGMENT_SCOPE))
        found.push(...(await labels.list()).map((set) => ofLabels(set, principal.userId)));
      if (principal.scopes.includes(COLLECTION_SCOPE)) {
        const own = await collections.list(principal.userId, { limit: MOST_LISTED });
        found.push(
          ...own.filter(hasLocations).flatMap((one) => setsOf(one).map((set) => ofCollection(rows, one, set))),
        );
      }
      if (principal.scopes.includes(RESULT_SCOPE))
        found.push(...(await results.list(principal.userId, MOST_LISTED)).map((task) => ofResults(results, task)));
      return found;
    },
    async find(principal, id) {
      const [, set, uuid] = SET_ID.exec(id) ?? [];
      if (set === undefined || uuid === undefined) {
        const dataset = (await packs.list()).find((one) => one.id === id);
        if (dataset !== undefined) return ofDataset(packs, dataset);
        const labelled = await labels.find(id);
        if (labelled === null) return unknownSet(id);
        requireScope(principal, SEGMENT_SCOPE);
        return ofLabels(labelled, principal.userId);
      }
      if (set === 'results') return await resultsOf(results, principal, id, uuid);
      requireScope(principal, COLLECTION_SCOPE);
      const collection = await collections.get(principal.userId, uuid);
      if (collection === null) return unknownSet(id);
      if (!hasLocations(collection))
        throw new Problem(
          'collection_not_ready',
          'The collection has no locations yet: its batch is running, or none was requested.',
        );
      return ofCollection(rows, collection, set as LocationSet);
    },
  };
}

function ofCollection(rows: CollectionRows, collection: Collection, set: LocationSet): MapSet {
  const { id, name, description } = collection;
  const { start, end } = monitoringPeriodOf({ ...collection, createdAt: collection.createdAt.toISOString() });
  return {
    id: `${set}-${id}`,
    title: `${name === '' ? id : name} (${SET_TITLES[set]})`,
    description:
      description === '' ? `The ${SET_TITLES[set]} of the collection ${name === '' ? id : name}.` : description,
    kind: set,
    attribution: null,
    licence: null,
    coverage: null,
    period: set === 'plots' ? { from: Date.parse(start), to: Date.parse(end) + DAY_MS - 1 } : null,
    version: collectionVersion(collection),
    open: async () => openedRows(await rows.open(collection, set), TILE_PROPERTIES[set]),
  };
}

function ofResults(results: ResultRows, task: Task): MapSet {
  const { id, kind, about, createdAt } = task;
  const day = createdAt.toISOString().slice(0, 16).replace('T', ' ');
  const name = about.file ?? `places of ${day} UTC`;
  return {
    id: `results-${id}`,
    title: `${name} (results)`,
    description: `What ${kind} found of ${name}.`,
    kind: 'results',
    attribution: null,
    licence: null,
    coverage: null,
    period: null,
    version: createHash('sha256').update(id).digest('base64url').slice(0, 16),
    open: async () => openedRows(await results.open(task), TILE_PROPERTIES.results),
  };
}

async function resultsOf(results: ResultRows, principal: Principal, id: string, taskId: string): Promise<MapSet> {
  requireScope(principal, RESULT_SCOPE);
  const task = await results.find(principal.userId, taskId);
  if (task === null) return unknownSet(id);
  if (task.status !== 'completed')
    throw new Problem('not_found', `The task ${taskId} has no results: it is ${task.status}.`);
  if (!hasFeatures(task))
    throw new Problem('not_found', `The results of the task ${taskId} are a table; wanted GeoJSON or NDJSON.`);
  return ofResults(results, task);
}

function ofDataset(packs: PackFiles, dataset: Dataset): MapSet {
  const { id, role, version, licence, attribution, coverage } = dataset;
  const kind = role === 'parcels' ? 'parcels' : 'pack';
  return {
    id,
    title: id,
    description: `${role === 'parcels' ? 'Cadastral parcels' : role.replaceAll('-', ' ')}, version ${version}.${madeUp(dataset)}`,
    kind,
    attribution,
    licence,
    coverage: 'bbox' in coverage ? coverage.bbox : boxOf(coverage.polygons),
    period: null,
    version: packs.version(dataset),
    open: async (signal) => openedRows(await packs.open(dataset, signal), TILE_PROPERTIES[kind]),
  };
}

function ofLabels({ dataset, ...set }: LabelSet, userId: string): MapSet {
  const { id, version, licence, attribution } = dataset;
  return {
    id,
    title: id,
    description: `Forest segments of a label store, version ${version}: those that it knows whole.${madeUp(dataset)}`,
    kind: 'segments',
    attribution,
    licence,
    coverage: set.coverage,
    period: set.period,
    version: set.version,
    open: (signal) => set.open(userId, signal),
  };
}

/** Whether its batch is completed, or its locations were validated when it was staged. */
function hasLocations({ status, completedAt, locationsConfidence }: Collection): boolean {
  return completedAt !== null || (status === 'staged' && locationsConfidence !== null);
}

function setsOf({ counts }: Collection): readonly LocationSet[] {
  return LOCATION_SETS.filter((set) => counts === null || counts[set] > 0);
}

function madeUp({ synthetic }: Dataset): string {
  return synthetic ? ' Synthetic data that describes no real place.' : '';
}

function unknownSet(id: string): never {
  throw new Problem(
    'not_found',
    `There is no set ${JSON.stringify(id.slice(0, 100))}; GET /ogc/collections lists those you can read.`,
  );
}
