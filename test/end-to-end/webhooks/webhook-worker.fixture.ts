/** A process that sends what is due until it is killed: `node webhook-worker.fixture.ts DATA_DIR [DATABASE_URL]`. */
import { openSite, openSiteStore } from './webhooks-site.ts';

const [dataDir, databaseUrl] = process.argv.slice(2);
if (dataDir === undefined) throw new Error('wanted the data folder as an argument');
const database = { dataDir, databaseUrl: databaseUrl || null, drop: async () => {} };
const store = await openSiteStore(database, 5);
await openSite(store, database);
process.send?.('ready');
