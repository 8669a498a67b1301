import { promises as dns, Resolver } from 'node:dns';
import { isIP } from 'node:net';
import { refusedAddress } from './address-policy.ts';
import { AttemptFailure } from './delivery.ts';

/** All addresses of a host name, or a failure as `node:dns` makes them. Must not outlive the signal. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/** More than any receiver needs; a name with more is refused. */
const MAX_ADDRESSES = 64;
/** Addresses that one attempt tries. */
const MAX_TRIED = 6;
const NOT_FOUND = new Set(['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EAI_NODATA']);
const NAME_SERVER = { timeout: 3_000, tries: 2 };

/**
 * The addresses that may be connected to, IPv4 and IPv6 in turn. One forbidden address among them refuses the name: a
 * mixed answer is how a name leads inside at its owner's choice. Throws an `AttemptFailure`.
 */
export async function resolveHost(
  hostname: string,
  resolve: Resolve,
  allowLocal: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await lookUp(host, resolve, signal) : [host];
  for (const address of addresses) {
    const fault = refusedAddress(address, allowLocal);
    if (fault !== null) throw addressRefused(host, address, fault);
  }
  return inTurn(addresses).slice(0, MAX_TRIED);
}

/** The failure names the host alone: where a name leads inside is for the log of the service, which reads the cause. */
export function addressRefused(host: string, address: string, fault: string): AttemptFailure {
  return new AttemptFailure('address_refused', `${host} leads to an address that is never connected to.`, {
    cause: new Error(`${host} leads to ${address} (${fault})`),
  });
}

async function lookUp(host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(host, signal);
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code ?? 'failed');
    if (signal.aborted)
      throw new AttemptFailure('dns_failed', `${host} was not resolved within the deadline.`, { cause: error });
    if (NOT_FOUND.has(code))
      throw new AttemptFailure('dns_not_found', `${host} does not exist or has no address.`, { cause: error });
    throw new AttemptFailure('dns_failed', `${host} could not be resolved (${code}).`, { cause: error });
  }
  if (addresses.length === 0) throw new AttemptFailure('dns_not_found', `${host} has no address.`);
  if (addresses.length > MAX_ADDRESSES)
    throw new AttemptFailure(
      'dns_failed',
      `${host} has ${addresses.length} addresses; wanted at most ${MAX_ADDRESSES}.`,
    );
  return addresses;
}

function inTurn(addresses: readonly string[]): readonly string[] {
  const four = addresses.filter((address) => isIP(address) === 4);
  const six = addresses.filter((address) => isIP(address) === 6);
  return Array.from({ length: Math.max(four.length, six.length) }, (_, i) => [four[i], six[i]])
    .flat()
    .filter((address) => address !== undefined);
}

/**
 * Queries name servers directly, those of this machine unless others are given as `address:port`. `getaddrinfo` would hold
 * one of Node's few threads for every name server that does not answer, and files wait for the same threads.
 */
export function queryNameServers(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    const resolver = new Resolver(NAME_SERVER);
    if (servers !== undefined) resolver.setServers(servers);
    const stop = (): void => resolver.cancel();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const [four, six] = await Promise.allSettled([query(resolver, 4, host), query(resolver, 6, host)]);
      const found = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (found.length > 0 || four.status === 'fulfilled') return found;
      throw four.reason;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}

/** As the machine itself resolves names, `localhost` and entries of the hosts file included: for development. */
export const queryThisMachine: Resolve = async (host) =>
  (await dns.lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

function query(resolver: Resolver, family: 4 | 6, host: string): Promise<string[]> {
  return new Promise((found, failed) => {
    const done = (error: Error | null, addresses: string[]): void =>
      error === null ? found(addresses) : failed(error);
    if (family === 4) resolver.resolve4(host, done);
    else resolver.resolve6(host, done);
  });
}
