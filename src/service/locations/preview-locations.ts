import { createLocationSummary, mappingOf, type TableMapping } from '../../locations/summarise-locations.ts';
import type { NormalizedLocation } from '../../locations/normalized.ts';
import { LOCATION_WARNINGS, type LocationWarningCode } from '../../locations/warnings.ts';
import type { OpenedLocations } from './locations.ts';

/** What a file would become, without anything looked up, measured or kept. */
export interface LocationPreview {
  readonly format: string;
  readonly mapping: readonly TableMapping[];
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
  /** The warnings of the rows, the most common first, each with its first message. */
  readonly problems: readonly {
    readonly code: LocationWarningCode;
    readonly count: number;
    readonly example: string;
    readonly fix: string;
  }[];
  readonly remarks: readonly string[];
  /** The first rows as they were read. */
  readonly sample: readonly Pick<
    NormalizedLocation['properties'],
    'source_row' | 'location_id' | 'location_type' | 'name' | 'country' | 'commodity_type' | 'eudr' | 'eudr_origin'
  >[];
}

const MAX_PRODUCERS = 100_000;
const SAMPLE_ROWS = 5;

/**
 * Reads every row of a file that was opened with `geocode: false`; `geocodes` is whether addresses would be looked up when it is
 * processed.
 */
export async function previewLocations(
  opened: OpenedLocations,
  geocodes: boolean,
  signal: AbortSignal,
): Promise<LocationPreview> {
  const { file, prepared, sources } = opened;
  const summary = createLocationSummary(file, prepared.tables, sources);
  const problems = new Map<LocationWarningCode, { count: number; readonly example: string }>();
  const producers = new Set<string>();
  const sample: LocationPreview['sample'][number][] = [];
  let toGeocode = 0;
  let withoutProducer = 0;
  for await (const { location, table } of prepared.rows(signal)) {
    const { properties } = location;
    summary.add(location, table);
    if (sample.length < SAMPLE_ROWS) sample.push(shownOf(properties));
    if (properties.location_type === 'plot') {
      const { ProducerName: name } = properties.eudr;
      if (name === null) withoutProducer++;
      else if (producers.size < MAX_PRODUCERS) producers.add(name);
    }
    for (const { code, message } of properties.warnings) {
      if (code === 'geocoding_off' && geocodes) {
        toGeocode++;
        continue;
      }
      const known = problems.get(code);
      if (known === undefined) problems.set(code, { count: 1, example: message });
      else known.count++;
    }
  }
  const { format, total, by_type: types, by_geometry_source: sourcesOf, remarks } = summary.result();
  return {
    format,
    mapping: mappingOf(prepared.tables),
    counts: {
      locations: total,
      plots: types.plot,
      facilities: types.facility,
      with_geometry: sourcesOf.input,
      to_geocode: toGeocode,
      without_place: sourcesOf.none - toGeocode,
      producers: producers.size,
      plots_without_producer: withoutProducer,
    },
    problems: [...problems]
      .map(([code, { count, example }]) => ({ code, count, example, fix: LOCATION_WARNINGS[code].fix }))
      .toSorted((a, b) => b.count - a.count),
    remarks,
    sample,
  };
}

function shownOf(properties: NormalizedLocation['properties']): LocationPreview['sample'][number] {
  const { source_row, location_id, location_type, name, country, commodity_type, eudr, eudr_origin } = properties;
  return { source_row, location_id, location_type, name, country, commodity_type, eudr, eudr_origin };
}
