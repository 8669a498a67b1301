import { eachWithCodes } from '../../messages/recognised/codes-of.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { hasUnreadPosition } from '../../locations/locate-row.ts';
import {
  createLocationSummary,
  mappingOf,
  type LocationSummary,
  type TableMapping,
} from '../../locations/summarise-locations.ts';
import type { NormalizedLocation } from '../../locations/normalized.ts';
import { LOCATION_WARNINGS, type LocationWarning, type LocationWarningCode } from '../../locations/warnings.ts';
import { noLocations, type OpenedLocations } from './locations.ts';
import { proposeCommodity, type CommodityProposal } from './propose-commodity.ts';
import { createRegionTally, type RegionData, type RegionSources } from './region-data.ts';

/** What a file would become, without anything looked up, measured or kept. */
export interface LocationPreview {
  readonly format: string;
  /** How large the file is, and how large it may be. */
  readonly size: {
    readonly bytes: number;
    /** Null: not limited. */
    readonly most_bytes: number | null;
    readonly most_locations: number;
  };
  /** Each table with the rows that are read of it; null where it is left out, because nobody counted them. */
  readonly mapping: readonly (TableMapping & {
    readonly rows: number | null;
    readonly messages?: LocationSummary['messages'];
  })[];
  readonly counts: {
    readonly locations: number;
    readonly plots: number;
    readonly facilities: number;
    /** Rows with coordinates or a geometry. */
    readonly with_geometry: number;
    /** Rows whose address would be looked up. */
    readonly to_geocode: number;
    /** Rows that will stay without a place. */
    readonly without_place: number;
    /** Different producers of plots; counted to `MAX_PRODUCERS`. */
    readonly producers: number;
    readonly plots_without_producer: number;
  };
  readonly commodity: {
    /** What the rows name, the most common first. */
    readonly stated: readonly { readonly commodity: string; readonly rows: number }[];
    /** Rows that name none. */
    readonly without: number;
    /** For the rows that name none; null: nothing in the file speaks for one. */
    readonly proposed: CommodityProposal | null;
  };
  /** The warnings of the rows, the most common first, each with its first message. */
  readonly problems: readonly {
    readonly code: LocationWarningCode;
    readonly count: number;
    readonly example: string;
    readonly fix: string;
    /** The first of them, as the row has it. */
    readonly first: LocationWarning;
  }[];
  readonly remarks: readonly string[];
  /** What the remarks say, as codes with parameters. */
  readonly messages?: LocationSummary['messages'];
  /** The first rows of each table as they were read. */
  readonly sample: readonly PreviewRow[];
  /** The first rows that will stay without a place, or whose place is not the one the file means, because that cannot be read. */
  readonly unplaced: readonly PreviewRow[];
  readonly region: RegionData;
}

/** A row: its cells as they stand in the file, and what became of them. */
type PreviewRow = Pick<
  NormalizedLocation['properties'],
  'source_row' | 'location_id' | 'location_type' | 'name' | 'country' | 'commodity_type' | 'eudr' | 'eudr_origin'
> & {
  readonly source_sheet: string | null;
  /** By their headings, long ones shortened. */
  readonly cells: Readonly<Record<string, string | number | boolean | null>>;
  /** Whether it has a place, or its address will be looked up for one. */
  readonly place: 'given' | 'to_geocode' | 'none';
  readonly geometry_type: string | null;
  /** A point of it; null without a place, and for a geometry that cannot be used. */
  readonly point: LonLat | null;
  readonly warnings: readonly LocationWarning[];
};

export interface PreviewOptions {
  /** Whether addresses would be looked up when the file is processed. */
  readonly geocodes: boolean;
  /** The commodity of rows that name none. */
  readonly commodity: string | null;
  readonly fileName: string | null;
  readonly size: LocationPreview['size'];
  /** Fetch map data that is missing around the rows, and wait for it. */
  readonly fetchData: boolean;
}

const MAX_PRODUCERS = 100_000;
const MAX_COMMODITIES = 20;
/** Rows of one table, and of all of them. */
const SAMPLE_ROWS = 10;
const SAMPLE_ALL = 50;
const UNPLACED_ROWS = 20;
const MAX_CELLS = 60;
const MAX_CELL = 120;

/** Opens a file so that it can be previewed: nothing is looked up, and what the rows name is not filled in. */
export function previewReading<T extends { readonly geocode: boolean; readonly commodity: string | null }>(options: T) {
  return { ...options, geocode: false, commodity: null };
}

/** Reads every row of a file that was opened as `previewReading` says. */
export async function previewLocations(
  opened: OpenedLocations,
  options: PreviewOptions,
  ground: RegionSources,
  signal: AbortSignal,
): Promise<LocationPreview> {
  const { file, prepared, sources } = opened;
  const { tables } = prepared;
  const summary = createLocationSummary(file, tables, sources);
  const region = createRegionTally(ground);
  const commodities = createCommodities();
  const producers = createProducers();
  const shown = createShownRows();
  const problems = createProblems();
  let [toGeocode, withoutPlace] = [0, 0];
  for await (const { location, table } of prepared.rows(signal)) {
    const { properties } = location;
    summary.add(location, table);
    const row = previewRow(location, options);
    shown.add(row, table, properties);
    if (row.place === 'to_geocode') toGeocode++;
    if (row.place === 'none') withoutPlace++;
    if (row.point !== null)
      region.add({
        at: row.point,
        type: row.location_type,
        commodity: row.commodity_type,
        country: properties.country,
      });
    commodities.add(properties.commodity_type);
    if (properties.location_type === 'plot') producers.add(properties.eudr.ProducerName);
    problems.add(properties.warnings, options.geocodes);
  }
  if (options.fetchData) await region.fetch(signal);
  const { format, total, by_type: types, by_geometry_source: sourcesOf, tables: read, ...said } = summary.result();
  // Where every sheet was left out, whoever looks at the file can still choose one.
  if (total === 0 && tables.every(({ skipped }) => skipped === null)) throw noLocations();
  return {
    format,
    size: options.size,
    mapping: mappingOf(tables).map((table, i) => ({
      ...table,
      ...(read[i]!.messages && { messages: read[i]!.messages }),
      columns: eachWithCodes(table.columns, 'why'),
      rows: table.skipped === null ? read[i]!.rows : null,
    })),
    counts: {
      locations: total,
      plots: types.plot,
      facilities: types.facility,
      with_geometry: sourcesOf.input,
      to_geocode: toGeocode,
      without_place: withoutPlace,
      ...producers.result(),
    },
    commodity: commodities.result(tables, options.fileName),
    problems: problems.result(),
    remarks: said.remarks,
    ...(said.messages && { messages: said.messages }),
    ...shown.result(),
    region: await region.result(),
  };
}

/** The first rows of each table, and the first that are in no place. */
function createShownRows() {
  const sample: PreviewRow[] = [];
  const sampled = new Map<unknown, number>();
  const unplaced: PreviewRow[] = [];
  return {
    add(row: PreviewRow, table: unknown, properties: NormalizedLocation['properties']): void {
      const seen = sampled.get(table) ?? 0;
      if (seen < SAMPLE_ROWS && sample.length < SAMPLE_ALL) {
        sample.push(row);
        sampled.set(table, seen + 1);
      }
      const isUnplaced = row.point === null && (row.place !== 'to_geocode' || hasUnreadPosition(properties));
      if (isUnplaced && unplaced.length < UNPLACED_ROWS) unplaced.push(row);
    },
    result: () => ({ sample, unplaced }),
  };
}

/** What the rows name, and what the file proposes for those that name nothing. */
function createCommodities() {
  const named = new Map<string, number>();
  let without = 0;
  return {
    add(commodity: string | null): void {
      if (commodity === null) without++;
      else named.set(commodity, (named.get(commodity) ?? 0) + 1);
    },
    result(tables: OpenedLocations['prepared']['tables'], fileName: string | null): LocationPreview['commodity'] {
      const read = tables.filter(({ skipped }) => skipped === null);
      return {
        stated: [...named]
          .map(([commodity, rows]) => ({ commodity, rows }))
          .toSorted((a, b) => b.rows - a.rows)
          .slice(0, MAX_COMMODITIES),
        without,
        proposed:
          without === 0
            ? null
            : proposeCommodity([...named.keys()], {
                fileName,
                sheets: read.flatMap(({ name }) => (name === null ? [] : [name])),
                headings: read.flatMap(({ plan }) => plan.columns.map(({ column }) => column)),
              }),
      };
    },
  };
}

/** Producers of plots, each counted once. */
function createProducers() {
  const names = new Set<string>();
  let without = 0;
  return {
    add(name: string | null): void {
      if (name === null) without++;
      else if (names.size < MAX_PRODUCERS) names.add(name);
    },
    result: () => ({ producers: names.size, plots_without_producer: without }),
  };
}

function createProblems() {
  const found = new Map<LocationWarningCode, { count: number; readonly first: LocationWarning }>();
  return {
    add(warnings: readonly LocationWarning[], geocodes: boolean): void {
      for (const warning of warnings) {
        const { code } = warning;
        if (code === 'geocoding_off' && geocodes) continue;
        const known = found.get(code);
        if (known === undefined) found.set(code, { count: 1, first: warning });
        else known.count++;
      }
    },
    result: (): LocationPreview['problems'] =>
      [...found]
        .map(([code, { count, first }]) => ({
          code,
          count,
          example: first.message,
          fix: LOCATION_WARNINGS[code].fix,
          first,
        }))
        .toSorted((a, b) => b.count - a.count),
  };
}

function previewRow({ geometry, properties }: NormalizedLocation, options: PreviewOptions): PreviewRow {
  const { source_row, source_sheet, location_id, location_type, name, country, commodity_type, eudr, eudr_origin } =
    properties;
  const isOff = properties.warnings.some(({ code }) => code === 'geocoding_off');
  const place = properties.geometry_source === 'input' ? 'given' : isOff && options.geocodes ? 'to_geocode' : 'none';
  return {
    source_row,
    source_sheet: source_sheet ?? null,
    location_id,
    location_type,
    name,
    country,
    commodity_type: commodity_type ?? options.commodity,
    eudr,
    eudr_origin,
    cells: shownCells(properties.source),
    place,
    geometry_type: typeOf(geometry),
    point: place === 'given' ? (toShape(geometry).shape?.inside ?? null) : null,
    warnings: properties.warnings.filter(({ code }) => code !== 'geocoding_off' || place === 'none'),
  };
}

function typeOf(geometry: unknown): string | null {
  const type = (geometry as { readonly type?: unknown } | null)?.type;
  return typeof type === 'string' ? type.slice(0, MAX_CELL) : null;
}

function shownCells(source: Readonly<Record<string, unknown>>): PreviewRow['cells'] {
  return Object.fromEntries(
    Object.entries(source)
      .slice(0, MAX_CELLS)
      .map(([column, value]) => [column, shownCell(value)]),
  );
}

function shownCell(value: unknown): string | number | boolean | null {
  if (value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean')
    return value ?? null;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length <= MAX_CELL ? text : `${text.slice(0, MAX_CELL - 1)}…`;
}
