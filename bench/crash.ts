/** `node bench/crash.ts [ROUNDS]`: kills a process 30 times on each engine and times how soon its task begins again. */
import { testEngines } from '../test/contracts/engines.ts';
import { crashRounds } from '../test/end-to-end/crash-rounds.ts';
import { timeRerun } from '../test/end-to-end/time-rerun.ts';

const rounds = Number(process.argv[2] ?? 30);
const RERUNS = 3;

const crashes: object[] = [];
const reruns: object[] = [];
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
  await database.drop();
  for (let index = 0; index < RERUNS; index++) {
    const fresh = await engine.create();
    reruns.push({ engine: engine.name, 'ms from kill to second attempt': Math.round(await timeRerun(fresh)) });
    await fresh.drop();
  }
}
console.table(crashes);
console.table(reruns);
