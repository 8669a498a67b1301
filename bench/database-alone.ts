/**
 * The embedded database and nothing else: opens a folder with parameters such as `shared_buffers=4MB`, answers one statement, waits,
 * prints its resident memory in MB. A service that holds one cannot take less.
 */
import { PGlite } from '@electric-sql/pglite';
import { memoryMb } from './process-figures.ts';

const [folder = '', waitMs = '3000', ...parameters] = process.argv.slice(2);
const startParams = [...PGlite.defaultStartParams, ...parameters.flatMap((parameter) => ['-c', parameter])];
const database = await PGlite.create(folder, { startParams });
await database.query('select 1');
await new Promise((done) => setTimeout(done, Number(waitMs)));
console.log(memoryMb(process.pid, 'VmRSS'));
await database.close();
