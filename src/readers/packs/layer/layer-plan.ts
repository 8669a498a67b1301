import type { DatasetRole } from '../../catalogue/dataset.ts';
import { PACK_ROAD_CLASSES } from '../../themes/themes.ts';
import type { Commodity } from '../../../facilities/commodity/commodities.ts';

/** Roles that FlatGeobuf files answer. */
export const LAYER_ROLES = [
  'roads',
  'water',
  'ports',
  'buildings',
  'industrial-land',
  'businesses',
] as const satisfies readonly DatasetRole[];

export type LayerRole = (typeof LAYER_ROLES)[number];

export interface LayerPlan {
  /** Columns that are read, in this order; the first two are class and name. */
  readonly columns: readonly string[];
  /** Whether features of a class count for the checks. */
  readonly accepts: (kind: string) => boolean;
  /** How a class is written for people. */
  readonly kindOf: (kind: string) => string;
}

const DRIVABLE: ReadonlySet<string> = new Set(PACK_ROAD_CLASSES);

/** Water that gives no access to any: what people dug to drain or to clean. */
const NO_WATER: ReadonlySet<string> = new Set([
  'drain',
  'ditch',
  'wastewater',
  'sewage',
  'fountain',
  'pool',
  'swimming_pool',
  'reflecting_pool',
  'spring',
  'waterfall',
  'human_made',
]);

/** Classes of roads that are words on their own. */
const ROADS_BY_THEMSELVES: ReadonlySet<string> = new Set(['track', 'motorway', 'road', 'living_street']);
/** Commercial land, farmyards and logging ground are in the files, but are no industrial use. */
const WORKS: ReadonlySet<string> = new Set(['works', 'industrial']);

const plain = (kind: string): string => (kind.includes('_') ? kind.replaceAll('_', ' ') : kind);
const CLASS_AND_NAME = ['class', 'name'] as const;

/** What is read of each role's files and what of it counts. */
export const LAYER_PLANS = {
  roads: {
    columns: CLASS_AND_NAME,
    accepts: (kind) => DRIVABLE.has(kind),
    kindOf: (kind) =>
      kind === 'unknown' ? 'road' : ROADS_BY_THEMSELVES.has(kind) ? plain(kind) : `${plain(kind)} road`,
  },
  water: {
    columns: CLASS_AND_NAME,
    accepts: (kind) => !NO_WATER.has(kind),
    kindOf: (kind) => (kind === 'water' ? 'water body' : plain(kind)),
  },
  ports: { columns: CLASS_AND_NAME, accepts: () => true, kindOf: plain },
  buildings: { columns: ['class', 'name', 'industrial', 'area_m2'], accepts: () => true, kindOf: plain },
  'industrial-land': {
    columns: CLASS_AND_NAME,
    accepts: (kind) => WORKS.has(kind),
    kindOf: (kind) => (kind === 'works' ? 'works' : `${plain(kind)} land`),
  },
  businesses: {
    columns: ['class', 'name', 'kinds', 'names'],
    accepts: () => true,
    kindOf: (kind) => plain(kind.slice(kind.indexOf('=') + 1)),
  },
} as const satisfies Record<LayerRole, LayerPlan>;

/** A commodity, or null for a facility of none of them. */
export type CommodityOrNone = Commodity | null;

/** Each has the bit of its place in this list. */
export const COMMODITIES_IN_ORDER: readonly CommodityOrNone[] = [
  null,
  'rubber',
  'palm',
  'cocoa',
  'coffee',
  'soy',
  'timber',
  'cattle',
];
