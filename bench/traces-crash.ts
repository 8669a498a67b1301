/**
 * `node bench/traces-crash.ts [RUNS] [ENGINE]`: kill -9 at each of 4 points on the way of a submission to a fake information
 * system, RUNS times each; what was lost and what was filed twice. Default: 25 runs of every point, 100 in all, on both engines.
 */
import { testEngines } from '../test/contracts/engines.ts';
import { TRACES_CRASH_POINTS, tracesCrashRounds } from '../test/end-to-end/traces-crash-rounds.ts';

const [runs = '25', wanted] = process.argv.slice(2);
let faulty = false;
for (const engine of await testEngines()) {
  if (engine.skip !== false || (wanted !== undefined && engine.name !== wanted)) continue;
  const database = await engine.create();
  const begun = performance.now();
  const rows = await tracesCrashRounds(database, TRACES_CRASH_POINTS, Number(runs));
  console.table(rows.map(({ faults, ...row }) => ({ engine: engine.name, ...row, faults: faults.length })));
  console.log(`${engine.name}: ${Math.round((performance.now() - begun) / 1_000)} s`);
  for (const { faults } of rows) for (const fault of faults) console.error(fault);
  faulty ||= rows.some(({ lost, doubles }) => lost + doubles > 0);
  await database.drop();
}
process.exitCode = faulty ? 1 : 0;
