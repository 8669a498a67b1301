import { isIPv6 } from 'node:net';

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
