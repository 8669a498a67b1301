import { madeUpFeatures } from './made-up-plots.ts';

/** What a client writes for a value is its own affair: true may be `True`, null may be nothing at all. */
export type Value = string | number | boolean | null;
export type Values = Readonly<Record<string, Value>>;

/** One request, before a client has written it. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: Values;
  readonly json?: Readonly<Record<string, unknown>>;
  readonly form?: Values;
  readonly file?: { readonly name: string; readonly content: string };
}

/** What the calls of one client need to exist; each client has its own, because some calls remove it. */
export interface Prepared {
  readonly collection: string;
  readonly spareCollection: string;
  readonly staged: string;
  readonly tracking: string;
  readonly task: string;
  readonly spareTask: string;
  readonly spareForestTask: string;
  readonly delivery: string;
  readonly tokenId: string;
  readonly receiver: string;
  readonly email: string;
  readonly password: string;
}

export const NOTHING: Prepared = {
  collection: '',
  spareCollection: '',
  staged: '',
  tracking: '',
  task: '',
  spareTask: '',
  spareForestTask: '',
  delivery: '',
  tokenId: '',
  receiver: '',
  email: '',
  password: '',
};

/** The least that makes a route succeed. */
export interface RouteCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Values;
  readonly json?: Readonly<Record<string, unknown>>;
  readonly form?: Values;
  readonly file?: string;
  /** A documented refusal in place of a success, and why the route cannot succeed here. */
  readonly refusal?: { readonly status: number; readonly reason: string };
}

const POINT = 'POINT(102.6012 4.6177)';
const FEATURES = [
  { type: 'Feature', geometry: { type: 'Point', coordinates: [102.6012, 4.6177] }, properties: null },
] as const;
const FACILITIES = JSON.stringify({ type: 'FeatureCollection', features: FEATURES });
/** Two synthetic plots and a synthetic mill, so that a collection of them has a supply shed. */
const PLOT_FEATURES = [
  ...madeUpFeatures(2),
  { ...FEATURES[0], properties: { facility_name: 'synthetic mill', country: 'MY', commodity_type: 'palm' } },
];
const PLOTS = JSON.stringify({ type: 'FeatureCollection', features: PLOT_FEATURES });
const ROADS = 'sample-district-roads';
const LOCATIONS = 'name,latitude,longitude,country\nMill,4.6177,102.6012,MY\n';
const SIGNED = { body: '{}', signature: `t=1732150080, v1=${'0'.repeat(64)}` };

const NO_CREDENTIALS = { status: 409, reason: 'Nobody here has credentials of the information system.' };

/** The same as a file. */
export function plotsAndMill(): Blob {
  return new Blob([PLOTS]);
}

/** Every route of the OpenAPI document, in an order in which each finds what it needs. */
export function routeCalls(made: Prepared): Readonly<Record<string, RouteCall>> {
  const ofNoSubmission: RouteCall = {
    params: { submission_id: '00000000-0000-4000-8000-000000000000' },
    refusal: { status: 404, reason: 'Nothing is filed here: that would take credentials.' },
  };
  const ofRoads = { collection_id: ROADS };
  const fetched = { query: { filename: made.collection } };
  return {
    'GET /': {},
    'GET /healthz': {},
    'GET /readyz': {},
    'GET /metrics': {},
    'GET /limits': {},
    'GET /datasets': {},
    'GET /eudr/scope': { query: { cn: '1801', country: 'GH', role: 'operator', size: 'large' } },
    'GET /eudr/annex': {},
    'GET /eudr/countries': {},
    'GET /openapi.json': {},
    'GET /docs/{page}': { params: { page: 'detection-models' } },
    'GET /problems/{code}': { params: { code: 'rate_limited' } },
    'GET /principal': {},
    'GET /audit': {},
    'GET /queue': {},
    'GET /.well-known/firstmile-signing-keys.json': {},
    'GET /.well-known/firstmile-signing-keys.pem': {},

    'GET /validate_facility': { query: { geometry: POINT } },
    'POST /validate_facilities': { file: FACILITIES },
    'POST /explain_receipt': { json: { confidence_score: 1, evidence: [], warnings: [] } },
    'POST /normalize_locations': { file: LOCATIONS },
    'POST /validate_locations': { file: LOCATIONS },
    'GET /forest_polygon/false_colour': { query: { longitude: 102.61, latitude: 4.6 } },
    'GET /facility_surroundings': { query: { geometry: POINT } },
    'GET /ogc': {},
    'GET /ogc/conformance': {},
    'GET /ogc/collections': {},
    'GET /ogc/collections/{collection_id}': { params: ofRoads },
    'GET /ogc/collections/{collection_id}/queryables': { params: ofRoads },
    'GET /ogc/collections/{collection_id}/items': { params: ofRoads, query: { limit: 2, filter: "class = 'track'" } },
    'GET /ogc/collections/{collection_id}/items/{feature_id}': { params: { ...ofRoads, feature_id: '0' } },
    'GET /ogc/collections/{collection_id}/tiles': { params: ofRoads },
    'GET /ogc/collections/{collection_id}/tiles/WebMercatorQuad': { params: ofRoads },
    'GET /tiles/{set_id}': { params: { set_id: ROADS } },
    'GET /tiles/{set_id}/archive.pmtiles': { params: { set_id: ROADS }, query: { max_zoom: 3 } },
    'GET /tiles/{set_id}/{z}/{x}/{y}': { params: { set_id: ROADS, z: '12', x: '3215', y: '1995' } },
    'GET /map_features': { query: { bbox: '102.57,4.57,102.63,4.62' } },

    'POST /forest_polygon/lookup': { json: { features: FEATURES, raw_outline: true } },
    'GET /forest_polygon/{task_id}/status': { params: { task_id: made.task } },
    'GET /forest_polygon/{task_id}/results': { params: { task_id: made.task } },
    'DELETE /forest_polygon/{task_id}': { params: { task_id: made.spareForestTask } },
    'POST /plots/split': { json: { features: PLOT_FEATURES.slice(0, 1) } },
    'POST /cadastral/parcels/search': { json: { features: FEATURES, forest_fallback: true } },
    'GET /cadastral/parcels/search': { query: { lon: 102.6012, lat: 4.6177, forest_fallback: true } },

    'POST /stage_plots': { form: { collection_name: 'staged' }, file: PLOTS },
    'POST /upload_plots': { json: { filename: made.staged } },
    'POST /batch_process': {
      form: { collection_name: 'batch', stats: true, monitoring_end: '2024-12-31' },
      file: PLOTS,
    },
    'GET /batch_progress': { query: { tracking_id: made.tracking } },
    'GET /get_collections': {},
    'GET /get_collections/{collection_id}': { params: { collection_id: made.collection } },
    'GET /collections/{collection_id}': { params: { collection_id: made.collection } },
    'DELETE /collections/{collection_id}': { params: { collection_id: made.spareCollection } },
    'GET /fetch_deforestation_check': fetched,
    'GET /fetch_biomass_emissions': fetched,
    'GET /fetch_biodiversity': fetched,
    'GET /fetch_plots': fetched,
    'GET /fetch_supply_shed': fetched,
    'GET /stat_supply_shed': fetched,
    'GET /export_eudr_dds': fetched,

    'GET /webhooks': {},
    'PATCH /webhooks': { json: { url: made.receiver } },
    'POST /webhooks/test': {},
    'POST /webhooks/rotate': { query: { revoke_now: true } },
    'POST /webhooks/verify': { json: SIGNED },
    'GET /webhooks/deliveries': {},
    'GET /webhooks/deliveries/{delivery_id}': { params: { delivery_id: made.delivery } },
    'POST /webhooks/deliveries/{delivery_id}/redeliver': { params: { delivery_id: made.delivery } },
    'POST /webhooks/deliveries/redeliver': { json: { since: '2024-01-01T00:00:00Z' } },
    'DELETE /webhooks/remove': {},
    'POST /webhooks/register': { json: { url: made.receiver } },

    'GET /tasks': {},
    'GET /tasks/{task_id}': { params: { task_id: made.task } },
    'GET /tasks/{task_id}/results': { params: { task_id: made.task } },
    'GET /tasks/{task_id}/events': { params: { task_id: made.task } },
    'DELETE /tasks/{task_id}': { params: { task_id: made.spareTask } },

    'GET /traces': {},
    'GET /traces/submissions': {},
    'GET /traces/submissions/{submission_id}': ofNoSubmission,
    'POST /traces/check': { json: { collection_id: made.collection } },
    'POST /traces/submissions': { json: { collection_id: made.collection }, refusal: NO_CREDENTIALS },
    'POST /traces/submissions/{submission_id}/amend': { ...ofNoSubmission, json: {} },
    'POST /traces/submissions/{submission_id}/retract': { ...ofNoSubmission, json: {} },
    'POST /traces/submissions/{submission_id}/cancel': ofNoSubmission,
    'POST /traces/submissions/{submission_id}/refresh': ofNoSubmission,
    'POST /traces/echo': { json: {}, refusal: NO_CREDENTIALS },
    'POST /traces/verify': {
      json: { reference_number: '25HRW9IURY3412', verification_number: 'COAASVYH' },
      refusal: NO_CREDENTIALS,
    },
    'POST /traces/retrieve': {
      json: { reference_number: '25HRW9IURY3412', verification_number: 'COAASVYH' },
      refusal: NO_CREDENTIALS,
    },
    'PUT /traces/credentials/{environment}': {
      params: { environment: 'acceptance' },
      json: { username: 'synthetic', authentication_key: 'synthetic-key', client_id: 'eudr-test' },
    },
    'DELETE /traces/credentials/{environment}': { params: { environment: 'acceptance' } },

    'POST /refresh_token': { json: { email: made.email, password: made.password } },
    'GET /tokens': { query: { include_revoked: true } },
    'POST /tokens': { json: { label: 'conformance', scopes: ['validate'] } },
    'DELETE /tokens/{token_id}': { params: { token_id: made.tokenId } },

    'POST /reviews/{id}': {
      params: { id: made.collection },
      json: { rows: [0], state: 'accepted', note: 'Seen on the image of 2024.' },
    },
    'GET /reviews/{id}': { params: { id: made.collection } },
    'GET /reviews/{id}/{row}': { params: { id: made.collection, row: '0' } },

    'GET /collections/{collection_id}/changes': { params: { collection_id: made.collection } },
    'GET /watches': {},
    'POST /collections/{collection_id}/watch': { params: { collection_id: made.collection } },
    'GET /collections/{collection_id}/watch': { params: { collection_id: made.collection } },
    'GET /collections/{collection_id}/watch/runs/{run}': { params: { collection_id: made.collection, run: '1' } },
    'DELETE /collections/{collection_id}/watch': { params: { collection_id: made.collection } },
  };
}
