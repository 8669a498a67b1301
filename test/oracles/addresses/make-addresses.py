"""Makes addresses.json: which addresses a webhook may connect to, by Python's ipaddress and the explicit list.

Independent of src/webhooks/address-policy.ts: `ipaddress` knows the IANA registries, and the list below names what it calls
global although it leads inside (transition mechanisms, cloud hosts) or is newer than it. Run: python3 make-addresses.py

The addresses themselves are not kept: both sides draw them from the same generator. Kept is one bit each, allowed = 1,
the lowest bit of a byte first, deflated, as base64.
"""
import base64
import ipaddress
import json
import pathlib
import zlib

REFUSED = [ipaddress.ip_network(cidr) for cidr in (
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 '
    '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 '
    '168.63.129.16/32 '
    '::/8 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001::/32 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 '
    'fc00::/7 fe80::/10 fec0::/10 ff00::/8').split()]
# IANA assigns global unicast from 2000::/3 alone; the rest is reserved.
GLOBAL_UNICAST = ipaddress.ip_network('2000::/3')
# Blocks of which 100,000 addresses each are drawn.
BLOCKS6 = ('::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 ::5efe:0:0/96 ::/8 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/32 '
           '2001::/23 2001:1::/32 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 '
           '2002::/16 2620:4f:8000::/48 2000::/3 100:0:0:1::/64 '
           '3fff::/20 5f00::/16 fc00::/7 fd00:ec2::/32 fe80::/10 fec0::/10 ff00::/8 4000::/2 8000::/1 ::/0').split()
COUNT4 = 1 << 20
COUNT6 = 100_000


def allowed(address):
    if any(address in network for network in REFUSED if network.version == address.version):
        return False
    if address.version == 6 and address not in GLOBAL_UNICAST:
        return False
    return address.is_global and not address.is_multicast


def words(seed):
    """Numbers of 32 bits but 0, each once in 2^32 - 1: Marsaglia's xorshift 13, 17, 5."""
    while True:
        seed ^= seed << 13 & 0xffffffff
        seed ^= seed >> 17
        seed ^= seed << 5 & 0xffffffff
        yield seed


def draw6(network, random):
    bits = 0
    for _ in range(4):
        bits = bits << 32 | next(random)
    host = (1 << (128 - network.prefixlen)) - 1
    return ipaddress.IPv6Address(int(network.network_address) | bits & host)


def packed(verdicts):
    data = bytearray((len(verdicts) + 7) // 8)
    for i, verdict in enumerate(verdicts):
        data[i >> 3] |= verdict << (i & 7)
    return base64.b64encode(zlib.compress(bytes(data), 9)).decode()


def edges():
    """The first and last address of every refused block, and their neighbours outside."""
    for network in REFUSED:
        top = (1 << network.max_prefixlen) - 1
        for value in (int(network[0]) - 1, int(network[0]), int(network[-1]), int(network[-1]) + 1):
            if 0 <= value <= top:
                yield (ipaddress.IPv4Address if network.version == 4 else ipaddress.IPv6Address)(value)


random4 = words(4)
blocks = {}
for index, cidr in enumerate(BLOCKS6):
    random6 = words(600 + index)
    network = ipaddress.ip_network(cidr)
    blocks[cidr] = packed([allowed(draw6(network, random6)) for _ in range(COUNT6)])
result = {
    'ipv4': {'count': COUNT4, 'seed': 4, 'allowed': packed([allowed(ipaddress.IPv4Address(next(random4))) for _ in range(COUNT4)])},
    'ipv6': {'count': COUNT6, 'seed': 600, 'blocks': blocks},
    'edges': {str(address): allowed(address) for address in edges()},
}
pathlib.Path(__file__).with_name('addresses.json').write_text(json.dumps(result, indent=1) + '\n')
