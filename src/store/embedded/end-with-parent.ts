/** Worker thread that ends its whole process the moment standard input closes, that is when the parent process ends. */
import { readSync } from 'node:fs';

const nothing = Buffer.alloc(1);
try {
  while (readSync(0, nothing) > 0);
} finally {
  // Not `exit`, which waits for the main thread to come back from a computation of seconds.
  process.kill(process.pid, 'SIGKILL');
}
