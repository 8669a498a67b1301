/**
 * `node bench/webhook-crash.ts [RUNS] [ENGINE] [POINT]`: kill -9 at each of 12 points on the way of a webhook, RUNS times
 * each; what was lost and what was sent twice. Default: 10 runs of every point on both engines.
 */
import { testEngines } from '../test/contracts/engines.ts';
import { CRASH_POINTS } from '../test/end-to-end/webhooks/webhook-crash-points.ts';
import { webhookCrashRounds } from '../test/end-to-end/webhooks/webhook-crash-rounds.ts';
import { type BenchRow, saveResult } from './results.ts';

const [runs = '10', wantedEngine, wantedPoint] = process.argv.slice(2);
let faulty = false;
const found: BenchRow[] = [];
for (const engine of await testEngines()) {
  if (engine.skip !== false || (wantedEngine !== undefined && engine.name !== wantedEngine)) continue;
  const rows: object[] = [];
  const sums = { runs: 0, lost: 0, duplicates: 0 };
  for (const [i, point] of CRASH_POINTS.entries()) {
    if (wantedPoint !== undefined && wantedPoint !== String(i + 1)) continue;
    const database = await engine.create();
    const begun = performance.now();
    const [row] = await webhookCrashRounds(database, [point], Number(runs));
    const seconds = Math.round((performance.now() - begun) / 1_000);
    const { faults = [], ...seen } = row ?? {};
    for (const name of ['runs', 'lost', 'duplicates'] as const) sums[name] += row?.[name] ?? 0;
    rows.push({ engine: engine.name, n: i + 1, ...seen, seconds });
    for (const fault of faults) console.error(fault);
    faulty ||= faults.length > 0;
    await database.drop();
  }
  console.table(rows);
  found.push({
    what: `kill -9 at ${rows.length} points on the way of a webhook, ${runs} times each, ${engine.name}`,
    ours: `${sums.runs} runs, ${sums.lost} lost, ${sums.duplicates} sent twice, each sent but not recorded when it was killed`,
    goal: '0 lost',
  });
}
if (wantedEngine === undefined && wantedPoint === undefined) saveResult('webhook-crash', found, 1);
process.exitCode = faulty ? 1 : 0;
