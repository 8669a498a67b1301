import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../config/settings.ts';
import { publicAddress } from '../../config/public-address.ts';
import { fault, notice, ok, type Finding } from './finding.ts';

const PATIENCE_MS = 5_000;

/** Whether the port can be had, or is that of a running Firstmile. */
export async function examinePort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const lookedAt = `port ${port} on ${host}`;
  if (port === 0) return ok('port', lookedAt, 'any free port is taken');
  const probe = createServer();
  try {
    await once(probe.listen({ host, port }), 'listening');
  } catch (error) {
    return await explainPort(error as NodeJS.ErrnoException, lookedAt, { host, port });
  }
  probe.close();
  await once(probe, 'close');
  return ok('port', lookedAt, 'free');
}

async function explainPort(
  { code = 'failed' }: NodeJS.ErrnoException,
  lookedAt: string,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<Finding> {
  if (code === 'EADDRINUSE') {
    const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host;
    return (await isFirstmile(`http://${local}:${port}`))
      ? ok('port', lookedAt, 'a running Firstmile')
      : fault('port', lookedAt, 'in use by another program', 'stop that program, or set PORT to another one');
  }
  if (code === 'EACCES') return fault('port', lookedAt, 'may not be used by this user', 'set PORT to 1024 or more');
  return fault('port', lookedAt, `cannot be listened on (${code})`, 'set HOST to an address of this machine');
}

/** The address that events and emails carry, and whether a Firstmile answers there. */
export async function examineAddress(config: Pick<Config, 'publicUrl' | 'host' | 'port'>): Promise<Finding> {
  const address = publicAddress(config);
  if (config.publicUrl === null) {
    const lookedAt = `address of the service: ${address}`;
    return config.host === '127.0.0.1' || config.host === 'localhost'
      ? ok('address', lookedAt, 'reached from this machine alone')
      : notice(
          'address',
          lookedAt,
          'taken from HOST and PORT, though other machines reach the service',
          'set PUBLIC_URL to the address that they use; events and emails carry it',
        );
  }
  const lookedAt = `PUBLIC_URL ${address}`;
  return (await isFirstmile(address))
    ? ok('address', lookedAt, 'a running Firstmile answers')
    : notice(
        'address',
        lookedAt,
        'no Firstmile answers there from this machine',
        'nothing where the service is not started yet, or where only others reach the address; else check name, proxy and certificate',
      );
}

async function isFirstmile(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/openapi.json`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const { info } = (await response.json()) as { readonly info?: { readonly title?: string } };
    return info?.title?.startsWith('Firstmile') === true;
  } catch {
    return false;
  }
}
