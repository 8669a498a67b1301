import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestDatabase } from '../contracts/engines.ts';

const WORKER = fileURLToPath(new URL('./rerun-worker.fixture.ts', import.meta.url));

/**
 * Milliseconds from kill -9 of the process that runs a task to the beginning of its second attempt elsewhere: in another
 * worker that waits already on a server, in a process started after the kill on the embedded database.
 */
export async function timeRerun(database: TestDatabase): Promise<number> {
  const args = [database.dataDir, ...(database.databaseUrl === null ? [] : [database.databaseUrl])];
  const first = start([...args, 'submit']);
  await says(first, 'attempt 1');
  let second = first;
  try {
    if (database.databaseUrl !== null) {
      second = start(args);
      await says(second, 'ready');
    }
    const killedAt = performance.now();
    await kill(first);
    if (second === first) second = start(args);
    await says(second, 'attempt 2');
    return performance.now() - killedAt;
  } finally {
    await Promise.all([kill(first), kill(second)]);
  }
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [WORKER, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

function says(child: ChildProcess, wanted: string): Promise<void> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line === wanted) resolve();
    });
    child.once('exit', (code, signal) =>
      reject(new Error(`the worker ended with ${signal ?? code} before "${wanted}"`)),
    );
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
