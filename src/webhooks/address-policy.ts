import { BlockList, isIPv4, isIPv6 } from 'node:net';

interface RefusedRange {
  readonly cidr: string;
  readonly what: string;
}

/**
 * IPv4 that is never connected to: the IANA special-purpose registry (2026), multicast, the former class E, and the host
 * address of one cloud that lies outside all of them.
 */
const REFUSED_IPV4: readonly RefusedRange[] = [
  { cidr: '0.0.0.0/8', what: 'this network' },
  { cidr: '10.0.0.0/8', what: 'a private network' },
  { cidr: '100.64.0.0/10', what: 'shared address space of providers' },
  { cidr: '127.0.0.0/8', what: 'this machine' },
  { cidr: '169.254.0.0/16', what: 'link-local, cloud metadata included' },
  { cidr: '172.16.0.0/12', what: 'a private network' },
  { cidr: '192.0.0.0/24', what: 'protocol assignments' },
  { cidr: '192.0.2.0/24', what: 'documentation' },
  { cidr: '192.88.99.0/24', what: 'the former 6to4 relay' },
  { cidr: '192.168.0.0/16', what: 'a private network' },
  { cidr: '198.18.0.0/15', what: 'benchmarking' },
  { cidr: '198.51.100.0/24', what: 'documentation' },
  { cidr: '203.0.113.0/24', what: 'documentation' },
  { cidr: '224.0.0.0/4', what: 'multicast' },
  { cidr: '240.0.0.0/4', what: 'reserved, broadcast included' },
  { cidr: '168.63.129.16/32', what: 'the host of a cloud machine' },
];

/** The only IPv6 that is global unicast today; what is refused inside it is listed below. */
const GLOBAL_IPV6 = '2000::/3';

/** Inside global unicast: what carries an IPv4 address of its own, leads nowhere, or is not meant for receivers. */
const REFUSED_IPV6: readonly RefusedRange[] = [
  { cidr: '2001::/23', what: 'protocol assignments, Teredo included' },
  { cidr: '2001:db8::/32', what: 'documentation' },
  { cidr: '2002::/16', what: '6to4' },
  { cidr: '3fff::/20', what: 'documentation' },
];

/** Names for the better known parts outside global unicast; all of it is refused. */
const OUTSIDE_IPV6: readonly RefusedRange[] = [
  { cidr: '::1/128', what: 'this machine' },
  { cidr: '::ffff:0:0/96', what: 'an IPv4 address written as IPv6' },
  { cidr: '64:ff9b::/96', what: 'NAT64' },
  { cidr: '64:ff9b:1::/48', what: 'local NAT64' },
  { cidr: 'fc00::/7', what: 'a private network' },
  { cidr: 'fe80::/10', what: 'link-local' },
  { cidr: 'ff00::/8', what: 'multicast' },
];

// Apart, because a list of both takes an IPv4 address that is written as IPv6 for the IPv4 one.
const LOOPBACK4 = blockOf([{ cidr: '127.0.0.0/8' }]);
const LOOPBACK6 = blockOf([{ cidr: '::1/128' }]);
const GLOBAL6 = blockOf([{ cidr: GLOBAL_IPV6 }]);
const REFUSED4 = blockOf(REFUSED_IPV4);
const REFUSED6 = blockOf(REFUSED_IPV6);

/**
 * What speaks against connecting to a numeric address, in words, or null when nothing does. `allowLocal` lets loopback
 * through, for receivers on the developer's own machine. A text that is no plain numeric address is refused.
 */
export function refusedAddress(address: string, allowLocal = false): string | null {
  if (mayConnect(address, allowLocal)) return null;
  if (isIPv4(address)) return nameOf(REFUSED_IPV4, address, 'ipv4');
  return isPlainIpv6(address) ? nameOf([...OUTSIDE_IPV6, ...REFUSED_IPV6], address, 'ipv6') : 'not a plain IP address';
}

/** True when nothing speaks against it: the same verdict without words. */
export function mayConnect(address: string, allowLocal = false): boolean {
  if (isIPv4(address)) return !REFUSED4.check(address, 'ipv4') || (allowLocal && LOOPBACK4.check(address, 'ipv4'));
  if (!isPlainIpv6(address)) return false;
  if (GLOBAL6.check(address, 'ipv6')) return !REFUSED6.check(address, 'ipv6');
  return allowLocal && LOOPBACK6.check(address, 'ipv6');
}

function isPlainIpv6(address: string): boolean {
  return isIPv6(address) && !address.includes('%');
}

function blockOf(ranges: readonly Pick<RefusedRange, 'cidr'>[]): BlockList {
  const block = new BlockList();
  for (const { cidr } of ranges) {
    const [network = '', length = ''] = cidr.split('/');
    block.addSubnet(network, Number(length), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return block;
}

/** Slower, and only for what is refused. */
function nameOf(ranges: readonly RefusedRange[], address: string, family: 'ipv4' | 'ipv6'): string {
  return ranges.find((range) => blockOf([range]).check(address, family))?.what ?? 'not a public address';
}
