/**
 * The embedded database and nothing else: opens a folder, answers one statement, waits, prints its resident memory in MB. What a
 * service that holds one cannot take less than.
 */
import { PGlite } from '@electric-sql/pglite';
import { memoryMb } from './process-figures.ts';

const [folder = '', waitMs = '3000'] = process.argv.slice(2);
const database = await PGlite.create(folder);
await database.query('select 1');
await new Promise((done) => setTimeout(done, Number(waitMs)));
console.log(memoryMb(process.pid, 'VmRSS'));
await database.close();
