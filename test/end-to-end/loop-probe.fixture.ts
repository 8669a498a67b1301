import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into a service with `--import`: writes to the file that PROBE_FILE names how long the thread that serves
 * requests has computed without a pause at most, in milliseconds of processor time, so that a busy machine changes
 * nothing. An empty PROBE_FILE makes it begin afresh.
 */
const path = process.env['PROBE_FILE'];
if (isMainThread && path !== undefined) {
  let longest = 0;
  let last = usedMs();
  setInterval(() => {
    const now = usedMs();
    if (now - last > longest) {
      longest = now - last;
      writeFileSync(path, longest.toFixed(1));
    }
    last = usedMs();
  }, 1).unref();
  process.on('SIGUSR2', () => {
    longest = 0;
    writeFileSync(path, '0');
  });
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
