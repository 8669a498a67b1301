/**
 * `node bench/webhook-crash.ts [RUNS] [ENGINE] [POINT]`: kill -9 at each of 12 points on the way of a webhook, RUNS times
 * each; what was lost and what was sent twice. Default: 200 runs of every point on both engines.
 */
import { testEngines } from '../test/contracts/engines.ts';
import { CRASH_POINTS } from '../test/end-to-end/webhooks/webhook-crash-points.ts';
import { webhookCrashRounds } from '../test/end-to-end/webhooks/webhook-crash-rounds.ts';

const [runs = '200', wantedEngine, wantedPoint] = process.argv.slice(2);
let faulty = false;
for (const engine of await testEngines()) {
  if (engine.skip !== false || (wantedEngine !== undefined && engine.name !== wantedEngine)) continue;
  const rows: object[] = [];
  for (const [i, point] of CRASH_POINTS.entries()) {
    if (wantedPoint !== undefined && wantedPoint !== String(i + 1)) continue;
    const database = await engine.create();
    const begun = performance.now();
    const [row] = await webhookCrashRounds(database, [point], Number(runs));
    const seconds = Math.round((performance.now() - begun) / 1_000);
    const { faults = [], ...seen } = row ?? {};
    rows.push({ engine: engine.name, n: i + 1, ...seen, seconds });
    for (const fault of faults) console.error(fault);
    faulty ||= faults.length > 0;
    await database.drop();
  }
  console.table(rows);
}
process.exitCode = faulty ? 1 : 0;
