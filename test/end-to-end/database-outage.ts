import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a PostgreSQL server that can be cut, as in a restart or a failover of the server. */
export interface CuttableDatabase extends AsyncDisposable {
  readonly url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
}

export async function cuttableDatabase(databaseUrl: string): Promise<CuttableDatabase> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const listen = (port: number): Promise<void> => new Promise((done) => server.listen(port, '127.0.0.1', done));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = async (): Promise<void> => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    cut,
    restore: () => listen(port),
    [Symbol.asyncDispose]: () => (server.listening ? cut() : Promise.resolve()),
  };
}
