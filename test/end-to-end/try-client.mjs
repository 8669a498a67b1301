// Calls a running service at FIRSTMILE_URL with FIRSTMILE_TOKEN through the installed client, in whatever runtime it is started in,
// and prints what it saw as JSON. Plain JavaScript without Node's modules, because Deno and Bun run it as it stands.
import { createClient, FirstmileError } from 'firstmile/client';
import { verifyWebhook, WebhookRefused } from 'firstmile/webhooks';

const client = createClient();
const mill = { type: 'Feature', id: 'mill', geometry: { type: 'Point', coordinates: [102.6012, 4.6177] } };
const ring = [
  [102.606, 4.584],
  [102.608, 4.584],
  [102.608, 4.586],
  [102.606, 4.586],
  [102.606, 4.584],
];
const plot = { type: 'Feature', id: 'plot', geometry: { type: 'Polygon', coordinates: [ring] }, properties: {} };
const seen = {};

const rating = client.facilities.validate(places(), { commodity_type: 'palm' });
seen.rated = (await Array.fromAsync(rating)).map(({ id, properties }) => [id, properties.country_code]);

let sent = 0;
const states = [];
const file = new File([JSON.stringify({ type: 'FeatureCollection', features: [plot] })], 'plots.geojson');
const lot = await client.collections.run(file, {
  collection_name: 'tried',
  monitoring_end: '2024-12-31',
  onSent: (bytes, total) => (sent = bytes / total),
  onTask: ({ status }) => states.push(status),
});
seen.collection = [sent, states.at(-1), lot.status, lot.file.name];
seen.resumed = (await client.collections.resume(lot.collection_id)).counts.plots;
seen.verdicts = 0;
for await (const { properties } of client.collections.features(lot.collection_id, 'deforestation_check'))
  if (['low', 'more_information_needed', 'high'].includes(properties.convergence_verdict)) seen.verdicts++;
const table = await client.raw('GET', '/fetch_plots', { query: { filename: lot.collection_id }, accept: 'text/csv' });
seen.table = (await table.text()).split('\r\n').length;
seen.scope = (await client.GET('/eudr/scope', { query: { cn: '1801', country: 'GH' } })).in_scope;

const refused = await createClient({ token: 'wrong' })
  .GET('/principal')
  .catch((error) => error);
seen.refused = [refused instanceof FirstmileError, refused.name, refused.code];

const abort = new AbortController();
const stopping = client.GET('/limits', { signal: abort.signal }).catch((error) => error);
abort.abort(new Error('stopped'));
seen.aborted = (await stopping).message;

const silent = createClient({ url: 'http://127.0.0.1:9', retries: { attempts: 1, longestWaitS: 0 } });
seen.unreachable = (await silent.GET('/limits').catch((error) => error)).code;

const [body, header, secret] = JSON.parse(globalThis.Deno?.env.get('SIGNED') ?? process.env.SIGNED);
seen.webhook = [verifyWebhook(body, header, secret, { tolerance: 3_600 }).id];
try {
  verifyWebhook(`${body} `, header, secret, { tolerance: 3_600 });
} catch (error) {
  seen.webhook.push(error instanceof WebhookRefused, error.reason);
}
console.log(JSON.stringify(seen));

async function* places() {
  yield mill;
  yield { ...mill, id: 'again' };
}
