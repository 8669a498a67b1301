import type { Config } from '../../config/settings.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import type { Dataset, DatasetRole } from '../../readers/catalogue/dataset.ts';
import { PUBLISHED_MODELS } from '../../readers/models/published-models.ts';
import { groundOf } from '../../readers/packs/answers/ground.ts';
import type { ReadAhead } from '../auto-data/read-ahead.ts';
import { autoPacks } from '../auto-data/auto-packs.ts';
import { cellAt } from '../auto-data/cells.ts';
import { areModelsFetched } from '../models/fetch-models.ts';
import type { World } from '../world/world.ts';
import type { LocationType } from '../../locations/values/parse-location-type.ts';

/** What is known of the ground that the rows of a file lie on. */
export interface RegionData {
  /** West, south, east, north of the rows that have coordinates, in degrees; null: none has. */
  readonly bounds: readonly [west: number, south: number, east: number, north: number] | null;
  /** Rows in each country, the most first. */
  readonly countries: readonly { readonly country: string; readonly rows: number }[];
  readonly themes: readonly ThemeData[];
  /** What the service would fetch by itself when the rows are checked; null: nothing. */
  readonly to_fetch: {
    /** Cells of 0.1 degree. */
    readonly cells: number;
    /** Cells that are fetched on one request. */
    readonly at_once: number;
    /** Of all cells, by the size of the cells that were fetched before; null: none was. */
    readonly megabytes: number | null;
  } | null;
}

/** Rows of one question by where its answer comes from. The four numbers add up to `rows`. */
interface ThemeData {
  readonly theme: Theme;
  /** Rows with coordinates that the question is about; `commodity` is about rows that have one. */
  readonly rows: number;
  /** A dataset of the catalogue covers the place. Whether one at an address answers is not looked at. */
  readonly covered: number;
  /** Fetched by the service before. */
  readonly fetched: number;
  /** The service fetches it when it is first needed and the network is there. */
  readonly to_fetch: number;
  /** Nobody knows: the answer will be `unknown`. */
  readonly missing: number;
  /** The datasets that cover rows, each with the rows for which it is the first. */
  readonly datasets: readonly {
    readonly id: string;
    readonly version: string;
    readonly synthetic: boolean;
    /** Read at an address, not on this machine. */
    readonly remote: boolean;
    readonly rows: number;
  }[];
}

interface ThemePlan {
  readonly roles: readonly DatasetRole[];
  /** Type of the rows that it matters for; null: all. */
  readonly of: LocationType | null;
  readonly fetched: 'map data' | 'model' | null;
}

const THEMES = {
  roads: { roles: ['roads'], of: 'facility', fetched: 'map data' },
  buildings: { roles: ['buildings'], of: 'facility', fetched: 'map data' },
  businesses: { roles: ['businesses'], of: 'facility', fetched: 'map data' },
  commodity: { roles: ['commodity-map', 'commodity-model'], of: null, fetched: 'model' },
  forest: { roles: ['forest-mask'], of: 'plot', fetched: null },
  loss: { roles: ['loss-year'], of: 'plot', fetched: null },
} as const satisfies Readonly<Record<string, ThemePlan>>;
type Theme = keyof typeof THEMES;
export const REGION_THEMES = Object.keys(THEMES) as readonly Theme[];

/** What is queried about the ground. */
export interface RegionSources {
  readonly catalogue: readonly Dataset[];
  readonly dataDir: Config['dataDir'];
  /** Fetches map data by itself; absent: none is fetched. */
  readonly fetchAhead?: ReadAhead;
  /** Detection models are fetched when they are first needed. */
  readonly fetchesModels: boolean;
}

export type RegionConfig = Pick<Config, 'dataDir'> & Parameters<typeof areModelsFetched>[0];

/** The same out of the data and the settings of a process. */
export function regionSources(
  { catalogue = [], fetchAhead }: Partial<Pick<World, 'catalogue' | 'fetchAhead'>>,
  config: RegionConfig,
): RegionSources {
  return {
    catalogue,
    dataDir: config.dataDir,
    ...(fetchAhead === undefined ? {} : { fetchAhead }),
    fetchesModels: areModelsFetched(config),
  };
}

interface RegionRow {
  readonly at: LonLat;
  readonly type: LocationType;
  readonly commodity: string | null;
  readonly country: string | null;
}

/** Cells that are fetched on request; what is beyond is fetched by the check. */
const MOST_FETCHED_CELLS = 100;
const MOST_COUNTRIES = 20;

/** Folds the rows of a file into what is known of their ground. */
export function createRegionTally({ catalogue, dataDir, fetchAhead, fetchesModels }: RegionSources) {
  const themes = REGION_THEMES.map((theme) => createThemeTally(theme, catalogue));
  const countries = new Map<string, number>();
  /** Where one of its rows is, by the name of the cell. */
  const open = new Map<string, LonLat>();
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  let located = 0;

  return {
    add(row: RegionRow): void {
      const [lon, lat] = row.at;
      located++;
      box[0] = Math.min(box[0], lon);
      box[1] = Math.min(box[1], lat);
      box[2] = Math.max(box[2], lon);
      box[3] = Math.max(box[3], lat);
      if (row.country !== null) countries.set(row.country, (countries.get(row.country) ?? 0) + 1);
      const cell = cellAt(row.at).name;
      for (const theme of themes) if (theme.add(row, cell) === 'open') open.set(cell, row.at);
    },

    /** Fetches what is missing around the rows that were added, and waits for it. */
    async fetch(signal: AbortSignal): Promise<void> {
      if (fetchAhead === undefined) return;
      const shapes = [...open.values()]
        .slice(0, MOST_FETCHED_CELLS)
        .map((coordinates) => toShape({ type: 'Point', coordinates }).shape);
      const items = (async function* () {
        yield* shapes;
      })();
      for await (const _ of fetchAhead(items, (shape) => shape, { signal })) signal.throwIfAborted();
    },

    async result(): Promise<RegionData> {
      const packs = open.size === 0 ? [] : await autoPacks({ dataDir });
      const here = new Set(packs.flatMap(({ cells }) => cells.map(({ name }) => name)));
      const cells = [...open.keys()].filter((name) => !here.has(name)).length;
      return {
        bounds: located === 0 ? null : box,
        countries: [...countries]
          .map(([country, rows]) => ({ country, rows }))
          .toSorted((a, b) => b.rows - a.rows)
          .slice(0, MOST_COUNTRIES),
        themes: themes
          .map((theme) => theme.result(here, { 'map data': fetchAhead !== undefined, model: fetchesModels }))
          .filter(({ rows }) => rows > 0),
        to_fetch:
          fetchAhead === undefined || cells === 0
            ? null
            : { cells, at_once: MOST_FETCHED_CELLS, megabytes: megabytesOf(packs, cells) },
      };
    },
  };
}

function megabytesOf(packs: Awaited<ReturnType<typeof autoPacks>>, cells: number): number | null {
  const known = packs.reduce((sum, pack) => sum + pack.cells.length, 0);
  if (known === 0) return null;
  const bytes = packs.reduce((sum, pack) => sum + pack.bytes, 0);
  return Math.max(1, Math.round((bytes / known / 1e6) * cells));
}

function createThemeTally(theme: Theme, catalogue: readonly Dataset[]) {
  const { roles, of, fetched }: ThemePlan = THEMES[theme];
  const datasets = catalogue
    .filter(({ role }) => roles.includes(role))
    .map((dataset) => ({ dataset, ground: groundOf(dataset.coverage), rows: 0 }));
  /** Rows that no dataset covers, by what would be fetched: a cell, or the model of a commodity. */
  const open = new Map<string, number>();
  let rows = 0;

  return {
    /** What becomes of the row: `open` where map data of its cell is missing. */
    add({ at: [lon, lat], type, commodity }: RegionRow, cell: string): 'covered' | 'open' | 'none' {
      const matters = (of === null || of === type) && (theme !== 'commodity' || commodity !== null);
      if (!matters) return 'none';
      rows++;
      const found = datasets.find(
        ({ dataset, ground }) =>
          ground.holds(lon, lat) && (theme !== 'commodity' || dataset.options['commodity'] === commodity),
      );
      if (found !== undefined) {
        found.rows++;
        return 'covered';
      }
      const key = fetched === 'model' ? modelOf(commodity, lat) : cell;
      open.set(key, (open.get(key) ?? 0) + 1);
      return fetched === 'map data' ? 'open' : 'none';
    },

    result(here: ReadonlySet<string>, fetches: Readonly<Record<'map data' | 'model', boolean>>): ThemeData {
      const covered = datasets.reduce((sum, one) => sum + one.rows, 0);
      let [done, later] = [0, 0];
      for (const [key, count] of open) {
        if (fetched === 'map data' && here.has(key)) done += count;
        else if (fetched !== null && fetches[fetched] && key !== '') later += count;
      }
      return {
        theme,
        rows,
        covered,
        fetched: done,
        to_fetch: later,
        missing: rows - covered - done - later,
        datasets: datasets
          .filter((one) => one.rows > 0)
          .map(({ dataset: { id, version, synthetic, url }, rows: own }) => ({
            id,
            version,
            synthetic,
            remote: url !== undefined,
            rows: own,
          })),
      };
    },
  };
}

/** The published model that finds a commodity at a latitude; empty: none does. */
function modelOf(commodity: string | null, lat: number): string {
  const model = PUBLISHED_MODELS.findLast(
    ({ latitude, heads }) => Math.abs(lat) <= latitude && heads.some((head) => head.commodity === commodity),
  );
  return model === undefined ? '' : `${model.id} ${commodity}`;
}
