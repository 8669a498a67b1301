import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FilingTimes } from '../../src/traces/filing/filing-times.ts';
import type { TestDatabase } from '../contracts/engines.ts';
import { startFakeTraces } from '../traces/fake-traces.ts';

/** Where a process is killed on the way of a submission. */
export const TRACES_CRASH_POINTS = [
  'handed over, not sent',
  'received, not stored',
  'stored, not answered',
  'answered, not recorded',
] as const;
export type TracesCrashPoint = (typeof TRACES_CRASH_POINTS)[number];

export interface TracesCrashOrder {
  readonly base: string;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** Id of the submission of the process before. */
  readonly previous: string | null;
  readonly point: TracesCrashPoint | null;
}

/** Longer than the server takes to list a statement, which is 2 s here. */
export const CRASH_TIMES: FilingTimes = {
  followMs: 20,
  followSlowlyMs: 20,
  queryMs: [50, 100],
  settleMs: 3_000,
  settleChangeMs: 500,
  retryMs: [50, 100],
  refreshMs: 0,
};

export interface TracesCrashRow {
  readonly point: TracesCrashPoint;
  readonly runs: number;
  /** Submissions without a statement at the service or without an end here. */
  readonly lost: number;
  /** Statements over one for each submission. */
  readonly doubles: number;
  readonly faults: readonly string[];
}

const CHILD = join(import.meta.dirname, 'traces-crash-child.fixture.ts');
const MESSAGE_MS = 90_000;

interface Message {
  readonly recorded?: string;
  readonly internalReference?: string;
  readonly ended?: { readonly id?: string; readonly state?: string; readonly internalReference?: string };
}

/** Kills a process `runs` times at each point; the next one works off what it left. */
export async function tracesCrashRounds(
  database: TestDatabase,
  points: readonly TracesCrashPoint[],
  runs: number,
): Promise<readonly TracesCrashRow[]> {
  let child: ChildProcess | null = null;
  let point: TracesCrashPoint | null = null;
  const kill = (): void => void child?.kill('SIGKILL');
  const fake = await startFakeTraces({
    unseenForMs: 2_000,
    onReceived(operation) {
      if (operation !== 'SubmitDds' || point !== 'received, not stored') return true;
      point = null;
      kill();
      return false;
    },
    onStored() {
      if (point !== 'stored, not answered') return;
      point = null;
      kill();
    },
  });
  const plan = points.flatMap((at) => Array.from({ length: runs }, () => at));
  const rows = new Map(points.map((at) => [at, { lost: 0, faults: [] as string[], references: [] as string[] }]));
  let previous: { readonly id: string; readonly at: TracesCrashPoint; readonly reference: string } | null = null;
  try {
    for (let i = 0; i <= plan.length; i++) {
      const at = plan[i] ?? null;
      const order: TracesCrashOrder = {
        base: fake.base,
        dataDir: database.dataDir,
        databaseUrl: database.databaseUrl,
        previous: previous?.id ?? null,
        point: at,
      };
      point = null;
      const started: ChildProcess = fork(CHILD, [JSON.stringify(order)], {
        env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'firstmile-test-compile-cache') },
      });
      child = started;
      const exited = once(started, 'exit');
      const messages: Message[] = [];
      started.on('message', (message) => {
        const said = message as Message;
        messages.push(said);
        // From its own submission on the child meets its point.
        if (said.ended !== undefined) point = at;
      });
      if (previous === null) point = at;
      const late = setTimeout(() => started.kill('SIGKILL'), MESSAGE_MS);
      await exited;
      clearTimeout(late);
      const ended = messages.find((message) => message.ended !== undefined)?.ended;
      if (previous !== null && (ended?.id !== previous.id || ended.state !== 'available')) {
        const row = rows.get(previous.at)!;
        row.lost++;
        row.faults.push(`${previous.id} has no end: ${JSON.stringify(ended)}`);
      }
      const recorded = messages.find((message) => message.recorded !== undefined);
      if (at === null) break;
      if (recorded === undefined) throw new Error(`the process ended before it recorded a submission, at ${at}`);
      previous = { id: recorded.recorded!, at, reference: recorded.internalReference! };
      rows.get(at)!.references.push(previous.reference);
    }
    return points.map((at) => {
      const { lost, faults, references } = rows.get(at)!;
      let [doubles, missing] = [0, 0];
      for (const reference of references) {
        const kept = [...fake.statements.values()].filter(({ internalReference }) => internalReference === reference);
        if (kept.length > 1) faults.push(`${reference}: ${kept.length} statements`);
        if (kept.length === 0) faults.push(`${reference}: no statement`);
        doubles += Math.max(0, kept.length - 1);
        missing += kept.length === 0 ? 1 : 0;
      }
      return { point: at, runs, lost: Math.max(lost, missing), doubles, faults };
    });
  } finally {
    kill();
    await fake.close();
  }
}
