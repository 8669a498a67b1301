import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A program of `peers/` in Debian's Python, on one thread, that answers each line of JSON with a line of JSON. */
export interface PythonPeer {
  readonly send: <T = Record<string, number>>(task: object | string) => Promise<T>;
  readonly stop: () => void;
}

/** What `peers/tier2.py` answers about a patch. */
export interface PeerAnswer {
  readonly ms: number;
  readonly cpuMs: number;
  readonly cells: number;
  /** Milliseconds of `ms` that reading the file took. */
  readonly read: number;
}

/** Starts `peers/NAME`. @throws when it ends before it has answered. */
export function startPeer(name: string, ...args: readonly (string | number)[]): PythonPeer {
  const python = spawn('/usr/bin/python3', [join(import.meta.dirname, 'peers', name), ...args.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // GDAL's decoding threads complain of every block of 64 bands, in libtiff's name, and decode it rightly.
    env: {
      ...process.env,
      CPL_LOG: '/dev/null',
      OMP_NUM_THREADS: '1',
      OPENBLAS_NUM_THREADS: '1',
      GDAL_NUM_THREADS: '1',
    },
  });
  const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  return {
    send: async (task) => {
      python.stdin.write(`${typeof task === 'string' ? task : JSON.stringify(task)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the Python peer ${name} ended`);
      return JSON.parse(value);
    },
    stop: () => python.stdin.end(),
  };
}
