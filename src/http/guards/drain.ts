import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../server/app.ts';

/** Lets the server begin to shut down without losing a request. */
interface Drain {
  /** Every answer closes its connection from now on. */
  begin(): void;
  /** Connections are not kept for a request that may come. */
  dropIdle(): void;
}

const DRAINS = new WeakMap<App, Drain>();

/** Prepares `app` for `shutDown` and gives it the signal `draining`. */
export function prepareDrain(app: App): void {
  const controller = new AbortController();
  const sockets = new Set<Socket>();
  let dropsIdle = false;
  app.decorate('draining', controller.signal);
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (controller.signal.aborted) reply.header('connection', 'close');
    done(null, payload);
  });
  // An answer whose headers left before the end was known has promised to keep its connection.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (dropsIdle) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
  DRAINS.set(app, {
    begin: () => controller.abort(),
    dropIdle() {
      dropsIdle = true;
      // Browsers open connections ahead of need; Node counts them as busy and would wait for their first request.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    },
  });
}

/**
 * Says that the server is about to stop and goes on for `delayMs`: `/readyz` answers 503 `shutting_down`, every other request is
 * answered, new connections too, and each answer closes its connection. A load balancer that has seen it by then sends nothing
 * into the closed socket.
 */
export async function announceShutdown(app: App, delayMs: number): Promise<void> {
  DRAINS.get(app)?.begin();
  if (delayMs > 0) await wait(delayMs);
}

/**
 * Stops a server: no new connections, `/readyz` answers 503 `shutting_down` on those that exist, running requests are
 * finished, and what still runs after `timeoutMs` is cut off. True when nothing had to be cut.
 */
export async function shutDown(app: App, timeoutMs: number): Promise<boolean> {
  const drain = DRAINS.get(app);
  drain?.begin();
  drain?.dropIdle();
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
