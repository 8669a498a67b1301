import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/*
 * Runs the tests next to eight busy loops, so that a test which depends on the clock is found, and names what failed.
 *
 *   npm run test:load -- [files or patterns; default: all tests]
 */
const LOOPS = 8;
const ALL = ['test/*.test.ts', 'test/{units,integration,shares}/*.test.ts'];
const patterns = process.argv.slice(2);
const files = (patterns.length === 0 ? ALL : patterns).flatMap((pattern) => globSync(pattern));
if (files.length === 0) throw new Error(`no test file matches ${patterns.join(' ')}`);

// Each ends by itself once this process is gone: nobody would end it after a crash or a kill.
const loops = Array.from({ length: LOOPS }, () =>
  spawn(process.execPath, ['-e', `while (process.ppid === ${process.pid}) for (let i = 0; i < 1e8; i++);`], {
    stdio: 'ignore',
  }),
);
const failures: string[] = [];
try {
  const events = run({ files, concurrency: 3, timeout: 1_200_000 });
  events.on('test:fail', ({ name, file, details }) => {
    if ((details.error.cause as Error | undefined)?.message?.includes('subtest') === true) return;
    failures.push(`${file}: ${name}`);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text as Buffer);
} finally {
  for (const loop of loops) loop.kill();
}
console.log(failures.length === 0 ? 'Nothing failed under load.' : `Failed under load:\n${failures.join('\n')}`);
process.exitCode = failures.length === 0 ? 0 : 1;
