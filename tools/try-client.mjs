// Tries the built client in another runtime, against a running service at FIRSTMILE_URL with FIRSTMILE_TOKEN:
//   node bin/build-package.js && deno run --allow-net --allow-env --allow-read tools/try-client.mjs
//   bun tools/try-client.mjs
// Both are too large to be installed for a test. Last tried: Deno 2.9.6, Bun 1.4.5.
import { createClient, FirstmileError } from '../dist/client/client.js';

const client = createClient();
const mill = { type: 'Feature', id: 'mill', geometry: { type: 'Point', coordinates: [102.6124, 4.5821] } };
const ring = [
  [102.606, 4.584],
  [102.608, 4.584],
  [102.608, 4.586],
  [102.606, 4.586],
  [102.606, 4.584],
];
const plot = { type: 'Feature', id: 'plot', geometry: { type: 'Polygon', coordinates: [ring] }, properties: {} };

for await (const { id, properties } of client.facilities.validate([mill], { commodity_type: 'palm' }))
  console.log('rated', id, properties.confidence_level);

let sent = 0;
const states = [];
const lot = await client.collections.run([plot], {
  collection_name: 'tried',
  monitoring_end: '2024-12-31',
  onSent: (bytes, total) => (sent = bytes / total),
  onTask: ({ status }) => states.push(status),
});
console.log('sent', sent, 'followed', states.at(-1), 'collection', lot.status);
for await (const { id, properties } of client.collections.features(lot.collection_id, 'deforestation_check'))
  console.log('verdict', id, properties.convergence_verdict);

const refused = await createClient({ token: 'wrong' })
  .GET('/principal')
  .catch((error) => error);
console.log('refused', refused instanceof FirstmileError, refused.name, refused.code);

const abort = new AbortController();
const stopping = client.GET('/limits', { signal: abort.signal }).catch((error) => error);
abort.abort(new Error('stopped'));
console.log('signal', (await stopping).message);

const silent = createClient({ url: 'http://127.0.0.1:9', retries: { attempts: 1, longestWaitS: 0 } });
console.log('nobody', (await silent.GET('/limits').catch((error) => error)).code);
