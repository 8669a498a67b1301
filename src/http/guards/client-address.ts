import { BlockList, isIP, isIPv6 } from 'node:net';
import type { AnyRequest, App } from '../server/app.ts';

/** What an address counts as in rate limits: IPv4 whole, IPv6 by its /64, because one customer holds that many addresses. */
export function clientAddress(ip: string | undefined): string {
  // A connection that was reset has no address any more, whatever the type of `request.ip` says.
  if (ip === undefined) return 'gone';
  if (ip.startsWith('::ffff:') && ip.includes('.')) return ip.slice('::ffff:'.length);
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('%')[0]!.split('::') as [string, string?];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

const FORWARDED_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const;
const NOTE =
  'Requests arrive through a proxy, but TRUST_PROXY is off: every client counts as the address of that proxy. ' +
  'Set TRUST_PROXY=on if the proxy writes X-Forwarded-For.';

/** Where proxies of an installation stand. Anybody may send the headers from elsewhere. */
const NEARBY = new BlockList();
NEARBY.addSubnet('127.0.0.0', 8);
NEARBY.addSubnet('10.0.0.0', 8);
NEARBY.addSubnet('172.16.0.0', 12);
NEARBY.addSubnet('192.168.0.0', 16);
NEARBY.addSubnet('100.64.0.0', 10);
NEARBY.addAddress('::1', 'ipv6');
NEARBY.addSubnet('fc00::', 7, 'ipv6');

/**
 * Notices requests that a proxy on this machine or in a private network passed on while `TRUST_PROXY` is off. Returns what
 * `/readyz` says of it: null until there was one. It is logged once.
 */
export function watchForProxy(app: App, trustProxy: boolean): () => string | null {
  let seen = false;
  if (!trustProxy)
    app.addHook('onRequest', (request: AnyRequest, _reply, done) => {
      if (!seen && FORWARDED_HEADERS.some((name) => request.headers[name] !== undefined)) {
        const { remoteAddress = '' } = request.raw.socket;
        seen = isNearby(remoteAddress);
        if (seen) app.log.warn({ address: remoteAddress }, NOTE);
      }
      done();
    });
  return () => (seen ? NOTE : null);
}

function isNearby(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  const family = isIP(plain);
  return family !== 0 && NEARBY.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}
