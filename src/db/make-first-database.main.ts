/** Run as a process of its own: `node make-first-database.main.ts FOLDER` makes an embedded database in FOLDER with all of its tables. */
import { openStore } from './open-store.ts';
import { createLog } from '../log.ts';

const dataDir = process.argv[2]!;
const log = createLog({ level: 'warn', json: true });
const store = await openStore({ dataDir, databaseUrl: null, poolSize: 1, log });
await store.close();
