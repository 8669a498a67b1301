import { call, type Answer } from '../api/client.ts';
import { covers, type CoverageShape } from './coverage.ts';

/** What a set of vector tiles is about, in the order in which they lie over one another, the lowest first. */
export const SET_THEMES = [
  'segments',
  'industrial',
  'water',
  'roads',
  'buildings',
  'ports',
  'businesses',
  'settlements',
] as const;
export type SetTheme = (typeof SET_THEMES)[number];

/** A set of vector tiles of this service: a theme of a regional pack, or the forest segments of a label store. */
export interface MapSet {
  readonly id: string;
  readonly theme: SetTheme;
  readonly coverage: CoverageShape;
  readonly attribution: string;
}

const THEMES: Readonly<Record<string, SetTheme>> = {
  roads: 'roads',
  water: 'water',
  buildings: 'buildings',
  'industrial-land': 'industrial',
  businesses: 'businesses',
  ports: 'ports',
  settlements: 'settlements',
  'forest-labels': 'segments',
};

/** Zoom from which tiles of a theme are requested, and from which the first of it is drawn. */
export const THEME_ZOOM: Readonly<Record<SetTheme, number>> = {
  segments: 9,
  industrial: 12,
  water: 9,
  roads: 9,
  buildings: 14,
  ports: 12,
  businesses: 14,
  settlements: 9,
};

/** Zoom from which segments are drawn; farther away their tiles say where labels were made. */
export const SEGMENT_ZOOM = 12;

export interface ViewOfMap {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly zoom: number;
}

type Dataset = Pick<Answer<'getDatasets'>['datasets'][number], 'id' | 'kind' | 'role' | 'attribution'> & {
  readonly coverage: unknown;
};

/** The sets among the datasets of an installation. */
export function setsOf(datasets: readonly Dataset[]): readonly MapSet[] {
  return datasets.flatMap(({ id, kind, role, coverage, attribution }) => {
    const theme = THEMES[role];
    if (theme === undefined) return [];
    if (theme !== 'segments' && kind !== 'flatgeobuf') return [];
    return [{ id, theme, coverage: coverage as CoverageShape, attribution: attribution ?? '' }];
  });
}

/** Those of which something may be drawn in a view. */
export function setsInView(sets: readonly MapSet[], view: ViewOfMap): readonly MapSet[] {
  const { zoom, west, south, east, north } = view;
  return sets.filter(
    ({ theme, coverage }) => zoom >= THEME_ZOOM[theme] && covers(coverage, [west, south, east, north]),
  );
}

let known: Promise<readonly MapSet[]> | null = null;

/** The sets of this installation that the user may read, requested once; again after it failed. */
export function mapSets(withSegments: boolean): Promise<readonly MapSet[]> {
  known ??= findSets(withSegments);
  known.catch(() => (known = null));
  return known;
}

async function findSets(withSegments: boolean): Promise<readonly MapSet[]> {
  const { datasets } = await call('getDatasets');
  const sets = setsOf(datasets).filter(({ theme }) => theme !== 'segments' || withSegments);
  return await Promise.all(sets.map((set) => (set.theme === 'segments' ? withExtent(set) : set)));
}

/** Where segments were made: the dataset says no more than where they may be. One whose tiles cannot be described is left as it is. */
async function withExtent(set: MapSet): Promise<MapSet> {
  const { bounds } = await call('getTileJson', { path: { set_id: set.id } }).then(
    (tiles) => tiles as { readonly bounds?: readonly [number, number, number, number] },
    () => ({ bounds: undefined }),
  );
  return bounds === undefined ? set : { ...set, coverage: bounds };
}
