import { requireScope } from '../../auth/authenticate.ts';
import type { Principal, Scope } from '../../auth/principal.ts';
import type { Collection, CollectionReader } from '../../collections/collection.ts';
import { Problem } from '../../errors.ts';
import { DAY_MS } from '../../durations.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import { boxOf } from '../../geo/shapes/shape.ts';
import type { TimeSpan } from '../../gis/days.ts';
import type { FeatureRows, MapFeature } from '../../gis/feature-rows.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { collectionVersion, type CollectionRows } from './collection-rows.ts';
import type { PackFiles } from './pack-files.ts';
import { LOCATION_SETS, type LocationSet, monitoringPeriodOf } from './write-collection-rows.ts';

/** A set of features that map programs read: a collection of OGC API - Features, a layer of tiles. */
export interface MapSet {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly kind: LocationSet | 'pack' | 'parcels';
  readonly attribution: string | null;
  readonly licence: string | null;
  /** Where it lies, as far as that is known without opening it. */
  readonly coverage: Bbox | null;
  /** The days that its features are about; null where they are about none. */
  readonly period: TimeSpan | null;
  /** Changes whenever the features do. */
  readonly version: string;
  /** Properties that tiles keep. */
  readonly tileProperties: readonly string[];
  /** Its features; what that takes is done at the first call. */
  open(signal: AbortSignal): Promise<FeatureRows>;
}

type PropertyType = 'string' | 'number' | 'boolean';

/** The sets that a principal may see. Those of others do not exist for it. */
export interface MapSets {
  /** Packs and parcels, then the locations of the newest collections, `MOST_LISTED` of them. */
  list(principal: Principal): Promise<readonly MapSet[]>;
  /** Throws `Problem('not_found')` for a set that is not there or of somebody else, `forbidden` without the scope. */
  find(principal: Principal, id: string): Promise<MapSet>;
}

/** Collections of locations that are listed; each of them can be read by its id. */
export const MOST_LISTED = 100;
/** What reading the locations of collections takes. */
const COLLECTION_SCOPE: Scope = 'collections';

const SET_TITLES: Readonly<Record<LocationSet, string>> = { plots: 'plots', facilities: 'facilities' };
const SET_ID = /^(plots|facilities)-([0-9a-f-]{36})$/;

const COMMON = [
  'location_id',
  'name',
  'supplier_name',
  'country_code',
  'commodity_type',
  'location_confidence',
  'problem',
];
const TILE_PROPERTIES: Readonly<Record<MapSet['kind'], readonly string[]>> = {
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
  pack: ['class', 'name', 'source_id', 'synthetic'],
  parcels: ['parcel_id', 'synthetic'],
};

interface MapSetsDeps {
  readonly collections: Pick<CollectionReader, 'get' | 'list'>;
  readonly rows: CollectionRows;
  readonly packs: PackFiles;
}

export function createMapSets({ collections, rows, packs }: MapSetsDeps): MapSets {
  function ofCollection(collection: Collection, set: LocationSet): MapSet {
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
      tileProperties: TILE_PROPERTIES[set],
      open: () => rows.open(collection, set),
    };
  }

  function ofDataset(dataset: Dataset): MapSet {
    const { id, role, version, licence, attribution, synthetic, coverage } = dataset;
    const made = synthetic ? ' Synthetic data that describes no real place.' : '';
    return {
      id,
      title: id,
      description: `${role === 'parcels' ? 'Cadastral parcels' : role.replaceAll('-', ' ')}, version ${version}.${made}`,
      kind: role === 'parcels' ? 'parcels' : 'pack',
      attribution,
      licence,
      coverage: 'bbox' in coverage ? coverage.bbox : boxOf(coverage.polygons),
      period: null,
      version: packs.version(dataset),
      tileProperties: TILE_PROPERTIES[role === 'parcels' ? 'parcels' : 'pack'],
      open: (signal) => packs.open(dataset, signal),
    };
  }

  return {
    async list(principal) {
      const found = (await packs.list()).map(ofDataset);
      if (!principal.scopes.includes(COLLECTION_SCOPE)) return found;
      const own = await collections.list(principal.userId, { limit: MOST_LISTED });
      return [...found, ...own.filter(hasLocations).flatMap((one) => setsOf(one).map((set) => ofCollection(one, set)))];
    },
    async find(principal, id) {
      const [, set, uuid] = SET_ID.exec(id) ?? [];
      if (set === undefined || uuid === undefined) {
        const dataset = (await packs.list()).find((one) => one.id === id);
        return dataset === undefined ? unknownSet(id) : ofDataset(dataset);
      }
      requireScope(principal, COLLECTION_SCOPE);
      const collection = await collections.get(principal.userId, uuid);
      if (collection === null) return unknownSet(id);
      if (!hasLocations(collection))
        throw new Problem(
          'collection_not_ready',
          'The collection has no locations yet: its batch is running, or none was requested.',
        );
      return ofCollection(collection, set as LocationSet);
    },
  };
}

/** Whether its batch is completed, or its locations were validated when it was staged. */
function hasLocations({ status, completedAt, locationsConfidence }: Collection): boolean {
  return completedAt !== null || (status === 'staged' && locationsConfidence !== null);
}

function setsOf({ counts }: Collection): readonly LocationSet[] {
  return LOCATION_SETS.filter((set) => counts === null || counts[set] > 0);
}

function unknownSet(id: string): never {
  throw new Problem(
    'not_found',
    `There is no set ${JSON.stringify(id.slice(0, 100))}; GET /ogc/collections lists those you can read.`,
  );
}

/** Rows whose properties are looked at for the names there are. */
const MOST_NAMED = 256;

/** The properties of a set with their types, from its first, middle and last rows; null and missing values say nothing of a type. */
export async function propertiesOf(rows: FeatureRows, signal: AbortSignal): Promise<ReadonlyMap<string, PropertyType>> {
  const step = Math.max(1, Math.floor(rows.count / MOST_NAMED));
  const numbers: number[] = [];
  for (let row = 0; row < rows.count && numbers.length < MOST_NAMED; row += step) numbers.push(row);
  const types = new Map<string, PropertyType | null>();
  for (const { properties } of await rows.read(numbers, signal)) addTypes(properties, types);
  return new Map([...types].map(([name, type]) => [name, type ?? 'string']));
}

function addTypes(properties: MapFeature['properties'], types: Map<string, PropertyType | null>): void {
  for (const [name, value] of Object.entries(properties)) {
    const type = value === null ? null : (typeof value as PropertyType);
    const known = types.get(name) ?? null;
    types.set(name, known === null || known === type ? (type ?? known) : type === null ? known : 'string');
  }
}
