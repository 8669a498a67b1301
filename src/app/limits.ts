import { MAX_RUNS } from '../collections/collection.ts';
import { POINT_AREA_HA } from '../collections/due-diligence/official-errors.ts';
import { LEAST_GEOCODE_CONFIDENCE } from '../collections/location-confidence.ts';
import { MAX_RADIUS_M } from '../collections/supply-shed/shed.ts';
import { MAX_NOTE, MAX_REVIEWED_ROWS, MAX_ROW_REVIEWS } from '../collections/review.ts';
import { REPORTED_PLOTS } from '../collections/watch/compare-findings.ts';
import type { Config } from '../config/settings.ts';
import { LATER_PART_LOCATIONS } from '../service/collections/parts.ts';
import { CRASHES_OF_STEP } from '../db/tasks/crash-limits.ts';
import { WAIT_FOR_FILES_H } from '../db/tasks/end-leases.ts';
import { TESTS_PER_MINUTE } from '../db/webhooks/test-delivery.ts';
import { PAUSE_AFTER_FAILURES } from '../db/webhooks/webhook-parts.ts';
import { BASES, BUILDING_VALUES, LEVELS, PENALTIES, THRESHOLDS } from '../facilities/thresholds.ts';
import { DEFAULT_POINT_HA } from '../geo/zonal/plot-ground.ts';
import { ENVELOPED_BYTES } from '../http/guards/sign-answers.ts';
import { MAX_MCP_EXCHANGES } from '../http/mcp/mcp-routes.ts';
import { CQL2_LIMITS } from '../gis/cql2/expression.ts';
import { MAX_EXAMINED, MAX_PAGE_POSITIONS } from '../gis/read-page.ts';
import { MAX_ARCHIVE_TILES } from '../gis/tiles/archive-tiles.ts';
import { MAX_LABEL_ARCHIVE_TILES } from '../service/gis/segment-set.ts';
import { MOST_DRAWN } from '../gis/tiles/choose-rows.ts';
import { MAX_TILE_BYTES } from '../gis/tiles/make-tile.ts';
import { MAX_TILE_ZOOM } from '../gis/tiles/tile-bounds.ts';
import { POLLS_PER_MINUTE, TILES_PER_MINUTE } from '../http/guards/guard-requests.ts';
import { MAX_FETCH_PAGE } from '../http/routes/fetch/schemas.ts';
import { MAX_ITEMS } from '../http/routes/ogc/schemas.ts';
import { MAX_REVIEW_PAGE } from '../http/routes/reviews/reviews.ts';
import { MAX_EVENT_STREAMS } from '../http/routes/tasks/task-events.ts';
import { REFRESHES_PER_MINUTE } from '../http/routes/tokens/refresh-token.ts';
import { MAX_JSON_BYTES, MAX_URL_LENGTH } from '../http/server/server.ts';
import { TIMEOUTS, type ServiceLimit, type ServiceLimits } from '../http/server/server-deps.ts';
import { SPLIT_RULES } from '../plots/split/split-rules.ts';
import { PLOT_RULES } from '../locations/plots/plot-options.ts';
import { FILE_LIMITS } from '../readers/formats/tables/file-limits.ts';
import { PROSE_LIMITS } from '../readers/formats/tables/prose-text.ts';
import { BUSINESS_REACH_M } from '../readers/themes/business-table.ts';
import { FETCH_WAIT_SHARE } from '../service/auto-data/auto-data.ts';
import { MAX_FETCH_MS } from '../service/auto-data/read-ahead.ts';
import { EXPORT_LOCATIONS_AT_ONCE, EXPORT_PARCELS_AT_ONCE } from '../service/collections/export-collections.ts';
import { MAX_FETCHED_COLLECTIONS } from '../service/collections/fetch-collections.ts';
import { FEATURE_BYTES } from '../service/facilities/facilities.ts';
import { MAX_PAUSE_S } from '../service/files/file-work.ts';
import { MAX_FOREST_FEATURES } from '../service/forest/forest.ts';
import { MOST_LISTED } from '../service/gis/map-sets.ts';
import { MAX_PARCEL_FEATURES } from '../service/parcels/parcels.ts';
import { MAX_SPLIT_HA, MAX_SPLIT_PLOTS } from '../service/plots/split/split-limits.ts';
import { SIGNED_BYTES } from '../service/signatures/signatures.ts';
import { AGAIN_S } from '../service/watches/start-watcher.ts';
import { MAX_OPEN_SUBMISSIONS } from '../service/traces/traces.ts';
import { AMEND_WINDOW_MS } from '../traces/filing/submission.ts';
import { TRACES_LIMITS } from '../traces/interface-v3.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '../webhooks/check-url.ts';
import { EVENT_PLOTS } from '../webhooks/webhook-event.ts';
import { ATTEMPT_DEADLINE_MS } from '../webhooks/open-poster.ts';
import { RETRY_DELAYS_S } from '../webhooks/delivery.ts';

type Row = readonly [name: string, value: ServiceLimit['value'], unit: string, description: string];

/**
 * The one table of limits: what a client can act on, and the thresholds that answers are decided by. Bounds that only the code
 * meets stand next to the code; what the operator sets is in docs/configuration.md.
 */
export function serviceLimits(config: Config): ServiceLimits {
  return {
    limits: [...requests(config), ...files(config), ...work(config), ...webhooks(config), ...filing()].map(toLimit),
    thresholds: [...facilityThresholds(), ...plotThresholds()].map(toLimit),
  };
}

function filing(): readonly Row[] {
  const each = 'One statement filed with the EU information system.';
  return [
    ['filing_open_submissions', MAX_OPEN_SUBMISSIONS, 'submissions', 'Of one user, recorded and not answered yet.'],
    ['filing_commodities', TRACES_LIMITS.commodities, 'commodities', each],
    ['filing_producers', TRACES_LIMITS.producers, 'producers', each],
    ['filing_geodata_bytes', TRACES_LIMITS.geodataBytes, 'bytes', `${each} Counted as Base64.`],
    ['filing_grouped_declarations', TRACES_LIMITS.groupedDeclarations, 'numbers', each],
    [
      'filing_change_hours',
      AMEND_WINDOW_MS / 3_600_000,
      'h',
      'In which a statement can be amended or withdrawn, from when its number was made available.',
    ],
  ];
}

function requests({ rateLimit }: Config): readonly Row[] {
  const each = 'A principal; the internal key has no such limit.';
  return [
    ['requests_per_minute', rateLimit?.perMinute ?? null, 'requests', each],
    ['requests_per_hour', rateLimit?.perHour ?? null, 'requests', each],
    [
      'polls_per_minute',
      rateLimit === null ? null : POLLS_PER_MINUTE,
      'requests',
      'Looks at the state and results of own tasks, and the opening of their events; they are not counted as requests.',
    ],
    [
      'tiles_per_minute',
      rateLimit === null ? null : TILES_PER_MINUTE,
      'requests',
      'Vector tiles; they are not counted as requests.',
    ],
    ['refresh_token_per_minute', REFRESHES_PER_MINUTE, 'requests', 'For one account from one address.'],
    ['mcp_exchanges', MAX_MCP_EXCHANGES, 'requests', 'To `/mcp`, open at the same time by one principal.'],
    ['event_streams', MAX_EVENT_STREAMS, 'connections', 'Open at the same time by one principal.'],
    ['url_length', MAX_URL_LENGTH, 'characters', 'Path and query of a request; longer geometries go as a file.'],
    [
      'watch_run_plots',
      REPORTED_PLOTS,
      'plots',
      'That a run of a watch, or a comparison of two batches, names; its counts are of all.',
    ],
    ['watch_event_plots', EVENT_PLOTS, 'plots', 'That an event of a watch names.'],
    ['watch_again_s', AGAIN_S, 's', 'Until what a watch could not measure is tried again.'],
    ['review_note_characters', MAX_NOTE, 'characters', 'The note of a review.'],
    ['review_rows', MAX_REVIEWED_ROWS, 'rows', 'That one review may be about.'],
    ['reviews_per_row', MAX_ROW_REVIEWS, 'reviews', 'Of one row: its history.'],
    ['review_page', MAX_REVIEW_PAGE, 'reviews', '`limit` of the list of reviews.'],
    ['signed_whole_bytes', SIGNED_BYTES, 'bytes', 'A file that is signed byte by byte; of a larger one its hash is.'],
    ['signature_enveloping_bytes', ENVELOPED_BYTES, 'bytes', 'An answer with `signature=enveloping`.'],
    ['json_body_bytes', MAX_JSON_BYTES, 'bytes', 'A JSON body; uploads of files have a limit of their own.'],
    ['request_seconds', TIMEOUTS.requestMs / 1000, 's', 'For a whole request to arrive, body included.'],
    ['fetch_page', MAX_FETCH_PAGE, 'features', '`limit` of the fetch endpoints.'],
    ['fetch_collections', MAX_FETCHED_COLLECTIONS, 'collections', 'Collections one fetch request may name.'],
    ['supply_shed_radius_m', MAX_RADIUS_M, 'm', 'Largest radius of a supply shed.'],
    ['forest_features', MAX_FOREST_FEATURES, 'features', 'Features of one forest lookup request.'],
    ['parcel_features', MAX_PARCEL_FEATURES, 'features', 'Features of one parcel search request.'],
    ['map_page', MAX_ITEMS, 'features', '`limit` of the features of an OGC API; more is taken for this.'],
    ['map_page_examined', MAX_EXAMINED, 'features', 'Looked at for one page with a filter, which may be short then.'],
    ['map_page_positions', MAX_PAGE_POSITIONS, 'positions', 'After which a page is full, whatever its limit.'],
    ['map_filter_characters', CQL2_LIMITS.characters, 'characters', 'A filter in CQL2.'],
    ['map_filter_parts', CQL2_LIMITS.nodes, 'parts', 'Predicates and values of a filter.'],
    ['map_filter_pattern', CQL2_LIMITS.pattern, 'characters', 'A pattern of LIKE.'],
    ['map_filter_positions', CQL2_LIMITS.positions, 'positions', 'Of a geometry in a filter.'],
    ['map_collections', MOST_LISTED, 'collections', 'Listed by the OGC API, the newest; older ones can be read by id.'],
    ['tile_zoom', MAX_TILE_ZOOM, 'zoom', 'The deepest vector tile; map programs enlarge it.'],
    ['tile_features', MOST_DRAWN, 'features', 'Drawn one by one; beyond, one stands for others of its neighbourhood.'],
    ['tile_archive_tiles', MAX_ARCHIVE_TILES, 'tiles', 'A PMTiles archive, which ends with the last zoom that fits.'],
    ['tile_archive_label_tiles', MAX_LABEL_ARCHIVE_TILES, 'tiles', 'The same of a label store.'],
    ['tile_bytes', MAX_TILE_BYTES, 'bytes', 'A vector tile before it is compressed; a larger one is thinned further.'],
    ['split_plots', MAX_SPLIT_PLOTS, 'features', 'Plots of one request to propose splits.'],
    ['split_plot_ha', MAX_SPLIT_HA, 'ha', 'The largest plot that a split is proposed for.'],
  ];
}

function files(config: Config): readonly Row[] {
  return [
    ['upload_mb', config.maxUploadMb, 'MB', 'The file of one request, in MB of 1,000,000 bytes.'],
    ['collection_mb', config.maxCollectionMb, 'MB', 'The file of a collection, in MB of 1,000,000 bytes.'],
    ['features_per_upload', config.maxFeatures, 'features', 'Features in one file.'],
    ['feature_bytes', FEATURE_BYTES.atOnce, 'bytes', 'One feature of a file.'],
    ['feature_bytes_async', FEATURE_BYTES.asTask, 'bytes', 'One feature of a file sent with async_mode=true.'],
    ['file_vertices', FILE_LIMITS.vertices, 'vertices', 'Vertices of one geometry.'],
    ['file_parts', FILE_LIMITS.parts, 'parts', 'Lines, rings, sets of points and members of one geometry.'],
    ['file_columns', FILE_LIMITS.columns, 'columns', 'Columns of a table, and cells of one row.'],
    [
      'file_merged_cells',
      FILE_LIMITS.mergedCells,
      'cells',
      'Cells of a sheet of an XLSX that are merged over several rows.',
    ],
    ['file_record_characters', FILE_LIMITS.recordCharacters, 'characters', 'One record of a CSV.'],
    ['file_value_bytes', FILE_LIMITS.valueBytes, 'bytes', 'One value of a GeoPackage.'],
    ['file_archive_bytes', FILE_LIMITS.archiveBytes, 'bytes', 'Unpacked bytes of a zipped shapefile, KMZ or XLSX.'],
    ['file_memory_mb', config.fileMemoryMb, 'MB', 'Memory in which one uploaded file is read.'],
    ['file_work_s', MAX_PAUSE_S, 's', 'Work on one feature or record, after which the file is refused.'],
    ['prose_file_bytes', PROSE_LIMITS.fileBytes, 'bytes', 'A text or PDF document that a language model reads.'],
  ];
}

function work(config: Config): readonly Row[] {
  return [
    ['tasks_per_user', config.tasksPerUser, 'tasks', 'Unfinished tasks of one user before more get 429.'],
    ['uploads_per_user', config.uploadsPerUser, 'uploads', 'Of one user at the same time, before more get 429.'],
    [
      'result_link_mb',
      config.resultLinkMb === 0 || config.objectStoreUrl === null ? null : config.resultLinkMb,
      'MB',
      'Results of a task from this size on are answered with 303 and an address that works for 15 minutes; null: never.',
    ],
    ['stored_mb_per_user', config.storedMbPerUser, 'MB', 'Files of one user together; more is a 413.'],
    [
      'task_runtime_s',
      config.taskMaxRuntimeS,
      's',
      'One run of a task: of a batch the reading of its file, one part, or what joins them.',
    ],
    ['task_retention_days', config.taskRetentionDays, 'days', 'How long results are kept.'],
    [
      'task_waits_h',
      WAIT_FOR_FILES_H,
      'hours',
      'That a batch waits for a bucket that does not answer, before it fails.',
    ],
    ['collection_runs', MAX_RUNS, 'batches', 'Completed batches of a collection that are kept to be compared.'],
    ['part_locations', LATER_PART_LOCATIONS, 'locations', 'Of a batch, that one worker processes together.'],
    ['location_crashes', CRASHES_OF_STEP, 'crashes', 'On one location, after which it is set aside.'],
    ['check_timeout_ms', config.checkTimeoutMs, 'ms', 'Deadline of each check; one that misses it is unknown.'],
    [
      'map_data_wait_ms',
      config.autoData ? config.checkTimeoutMs * FETCH_WAIT_SHARE : 0,
      'ms',
      'How long one facility waits for map data that is being fetched; later requests have it. 0: none is fetched.',
    ],
    ['map_data_fetch_ms', MAX_FETCH_MS, 'ms', 'How long a task waits for the map data of one facility.'],
    ['forest_point_timeout_ms', config.forestPointTimeoutMs, 'ms', 'Deadline of the forest lookup of one point.'],
    [
      'export_locations_at_once',
      EXPORT_LOCATIONS_AT_ONCE,
      'locations',
      'In an export that is answered at once; a larger one is a task.',
    ],
    [
      'export_parcels_at_once',
      EXPORT_PARCELS_AT_ONCE,
      'locations',
      'The same in a declaration by cadastral identifiers, whose parcels are looked up.',
    ],
  ];
}

function webhooks({ webhookRetentionDays }: Config): readonly Row[] {
  return [
    ['webhooks_per_user', 1, 'webhooks', 'Registered at the same time.'],
    ['webhook_url_length', MAX_WEBHOOK_URL_LENGTH, 'characters', 'The address of a webhook.'],
    ['webhook_attempt_s', ATTEMPT_DEADLINE_MS / 1_000, 's', 'One attempt in all, up to the end of the answer.'],
    ['webhook_retry_delays_s', RETRY_DELAYS_S.join(', '), 's', 'From the end of an attempt to the next one.'],
    ['webhook_pause_failures', PAUSE_AFTER_FAILURES, 'events', 'Failed in a row, after which a webhook is paused.'],
    ['webhook_tests_per_minute', TESTS_PER_MINUTE, 'requests', 'Test events of one user.'],
    ['webhook_retention_days', webhookRetentionDays, 'days', 'How long finished deliveries are kept.'],
  ];
}

function facilityThresholds(): readonly Row[] {
  return [
    ...Object.entries(THRESHOLDS).map(([name, value]): Row => [
      snakeCase(name),
      value,
      unitOf(name),
      'Decides a check; see docs/how-a-score-is-made.md.',
    ]),
    [
      'business_general_m',
      BUSINESS_REACH_M.general,
      'm',
      'To a business of a general industrial kind; see docs/businesses.md.',
    ],
    ['business_register_m', BUSINESS_REACH_M.register, 'm', 'To a record of a register; see docs/businesses.md.'],
    ...PENALTIES.map(({ indicator, condition, hundredths }, i): Row => {
      const name = `penalty_${indicator}${i === 1 ? '_low' : ''}`;
      return [name, hundredths / 100, 'score', `Taken off the score when ${condition}.`];
    }),
    ...Object.entries(BUILDING_VALUES).map(([name, value]): Row => [
      `building_presence_${name}`,
      value,
      'value',
      `Where the buildings are ${name}.`,
    ]),
    ...LEVELS.map(({ level, from }): Row => [
      `level_${level}_from`,
      from / 100,
      'score',
      `Lowest score of the level ${level}.`,
    ]),
    ...BASES.map(({ basis, from }): Row => [
      `basis_${basis}_from`,
      from / 100,
      'share',
      `Least evidence_coverage of the basis ${basis}.`,
    ]),
  ];
}

function plotThresholds(): readonly Row[] {
  return [
    ['split_part_ha', SPLIT_RULES.leastHa, 'ha', 'Smallest part of a proposed split; see docs/plot-split.md.'],
    ['split_part_share', SPLIT_RULES.leastShare, 'share', 'Of the plot: smallest ground that is a part of a split.'],
    [
      'split_distance',
      SPLIT_RULES.leastDistance,
      '1',
      'From this 1 - cosine of their means on two grounds may be clearly apart.',
    ],
    ['split_ashman_d', SPLIT_RULES.leastAshmanD, '1', "From this Ashman's D on two grounds may be clearly apart."],
    ['plot_point_ha', DEFAULT_POINT_HA, 'ha', 'Area of a plot that is given as a point without an area.'],
    ['plot_point_ha_least', POINT_AREA_HA.least, 'ha', 'Least area of a plot given as a point.'],
    ['plot_point_ha_most', POINT_AREA_HA.most, 'ha', 'Largest area of a plot given as a point, but for cattle.'],
    ['plot_polygon_above_ha', PLOT_RULES.polygonAboveHa, 'ha', 'Area above which a plot has to be a polygon.'],
    ['plot_least_ha', PLOT_RULES.leastHa, 'ha', 'A plot of less fails the check of its area.'],
    [
      'plot_in_water_share',
      PLOT_RULES.inWaterShare,
      'share',
      'In water from this on, outside the error of outlines: it lies in it.',
    ],
    ['plot_least_decimals', PLOT_RULES.leastDecimals, 'decimals', 'Coordinates with fewer raise a warning.'],
    ['plot_overlap_ha', PLOT_RULES.overlapHa, 'ha', 'Overlaps below this are not reported.'],
    [
      'plot_overlap_percent',
      PLOT_RULES.overlapPercent,
      '%',
      'Of the smaller plot: overlaps below this are not reported.',
    ],
    [
      'plot_collection_plots',
      PLOT_RULES.collectionPlots,
      'plots',
      'Of a collection, that are compared with each other.',
    ],
    [
      'plot_compared_plots',
      PLOT_RULES.comparedPlots,
      'plots',
      'Of a file that is validated by itself, that are compared with each other.',
    ],
    ['plot_compared_vertices', PLOT_RULES.comparedVertices, 'vertices', 'Of all of those together.'],
    [
      'plot_compared_facilities',
      PLOT_RULES.comparedFacilities,
      'facilities',
      'Of a batch, that plots are compared with.',
    ],
    ['plot_neighbours', PLOT_RULES.neighbours, 'plots', 'That one plot is compared with.'],
    ['plot_facility_within_km', PLOT_RULES.facilityWithinKm, 'km', 'Farther than this from every facility: a warning.'],
    [
      'geocode_confidence',
      LEAST_GEOCODE_CONFIDENCE,
      '1',
      'Geocoding confidence below which a location of a collection is not processed.',
    ],
  ];
}

function toLimit([name, value, unit, description]: Row): ServiceLimit {
  return { name, value, unit, description };
}

function snakeCase(name: string): string {
  return name.replaceAll(/([A-Z][a-z]|M2?$)/g, (part) => `_${part.toLowerCase()}`);
}

function unitOf(name: string): string {
  if (name.endsWith('M2')) return 'm2';
  return name.endsWith('M') ? 'm' : '1';
}
