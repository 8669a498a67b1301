import type { Socket } from 'node:net';
import type { App } from '../server/app.ts';

/** Lets the server begin to shut down without losing a request: from then on every answer closes its connection. */
interface Drain {
  begin(): void;
}

const DRAINS = new WeakMap<App, Drain>();

/** Prepares `app` for `shutDown` and gives it the signal `draining`. */
export function prepareDrain(app: App): void {
  const controller = new AbortController();
  const sockets = new Set<Socket>();
  app.decorate('draining', controller.signal);
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('onSend', async (_request, reply) => {
    if (controller.signal.aborted) reply.header('connection', 'close');
  });
  // An answer whose headers left before the end was known has promised to keep its connection.
  app.addHook('onResponse', async () => {
    if (controller.signal.aborted) setImmediate(() => app.server.closeIdleConnections());
  });
  DRAINS.set(app, {
    begin() {
      controller.abort();
      // Browsers open connections ahead of need; Node counts them as busy and would wait for their first request.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    },
  });
}

/**
 * Stops a server: no new connections, `/readyz` answers 503 `shutting_down` on those that exist, running requests are
 * finished, and what still runs after `timeoutMs` is cut off. True when nothing had to be cut.
 */
export async function shutDown(app: App, timeoutMs: number): Promise<boolean> {
  DRAINS.get(app)?.begin();
  let cut = false;
  const timer = setTimeout(() => {
    cut = true;
    app.server.closeAllConnections();
  }, timeoutMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
  return !cut;
}
