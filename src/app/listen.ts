import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Config } from '../config/settings.ts';
import type { App } from '../http/server/app.ts';

/** Finds out before minutes are spent on data that the port cannot be had. */
export async function tryPort(config: Config): Promise<void> {
  const { host, port } = config;
  if (port === 0) return;
  const probe = createServer();
  try {
    await once(probe.listen({ host, port }), 'listening');
  } catch (error) {
    throw portError(error, config);
  }
  probe.close();
  await once(probe, 'close');
}

/** Returns the address for people. */
export async function listen(app: App, config: Config): Promise<string> {
  const { host, port, publicUrl } = config;
  try {
    const address = await app.listen({ host, port });
    return publicUrl ?? address;
  } catch (error) {
    throw portError(error, config);
  }
}

/** For programs on this machine, who need not go through a proxy. */
export function localAddress(app: App): string {
  const { address, port, family } = app.server.address() as AddressInfo;
  if (['0.0.0.0', '::'].includes(address)) return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function portError(error: unknown, { host, port }: Config): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new Error(`port ${port} on ${host} is in use by another program; set PORT to another one`, {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`HOST ${host} is not an address of this machine`, { cause: error });
    case 'EACCES':
      return new Error(`port ${port} may not be used by this user; set PORT to 1024 or more`, { cause: error });
    default:
      return error;
  }
}
