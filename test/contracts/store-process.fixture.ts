/** One of several processes that open the same database at the same moment: prints the secret it sees, as hex. */
import { randomBytes } from 'node:crypto';
import { createLog } from '../../src/log.ts';
import { openStore } from '../../src/db/open-store.ts';

const [databaseUrl] = process.argv.slice(2);
if (databaseUrl === undefined) throw new Error('wanted the database as the only argument, got none');
const log = createLog({ level: 'error', json: true });
const store = await openStore({ dataDir: '/nonexistent', databaseUrl, poolSize: 2, log });
const secret = await store.credentials.namedSecret('shared', () => randomBytes(32));
process.stdout.write(Buffer.from(secret).toString('hex'));
await store.close();
