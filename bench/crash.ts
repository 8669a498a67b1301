/** `node bench/crash.ts [ROUNDS]`: kills a process 30 times on each engine and times how soon its task begins again. */
import { testEngines } from '../test/contracts/engines.ts';
import { crashRounds } from '../test/end-to-end/crash-rounds.ts';
import { timeRerun } from '../test/end-to-end/time-rerun.ts';
import { type BenchRow, saveResult } from './results.ts';

const rounds = Number(process.argv[2] ?? 30);
const RERUNS = 3;

const crashes: object[] = [];
const reruns: object[] = [];
const rows: BenchRow[] = [];
for (const engine of await testEngines()) {
  if (engine.skip !== false) continue;
  const database = await engine.create();
  const started = performance.now();
  const report = await crashRounds(database, { rounds, killAfterMs: () => 200 + Math.random() * 3_500 });
  const { killedAtStart, acknowledged, lost, stuck, completed, failed } = report;
  const seconds = Math.round((performance.now() - started) / 1_000);
  crashes.push({
    engine: engine.name,
    rounds,
    killedAtStart,
    ...acknowledged,
    lost: lost.length,
    stuck,
    completed,
    failed,
    seconds,
  });
  rows.push({
    what: `kill -9 at ${rounds} random times while users, tokens and tasks are written, ${engine.name}`,
    ours: `${['users', 'tokens', 'tasks'].map((what) => `${acknowledged[what as keyof typeof acknowledged].toLocaleString('en')} ${what}`).join(', ')} acknowledged; ${lost.length} lost, ${stuck} stuck`,
    goal: '0 lost, 0 stuck',
  });
  await database.drop();
  const waits: number[] = [];
  for (let index = 0; index < RERUNS; index++) {
    const fresh = await engine.create();
    waits.push(await timeRerun(fresh));
    reruns.push({ engine: engine.name, 'ms from kill to second attempt': Math.round(waits.at(-1) ?? NaN) });
    await fresh.drop();
  }
  rows.push({
    what: `kill -9 of a worker until its task runs again, ${RERUNS} times, ${engine.name}`,
    ours: `${waits.map((ms) => (ms / 1_000).toFixed(1)).join(', ')} s`,
    goal: '15 s',
  });
}
console.table(crashes);
console.table(reruns);
saveResult('crash', rows, 1);
