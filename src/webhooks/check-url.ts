import { isIP } from 'node:net';
import { Problem } from '../errors.ts';

export interface UrlPolicy {
  /** Development: plain http, this machine and bare names are accepted. */
  readonly allowLocal: boolean;
  /** Host names of the service itself, which would let it talk to itself; in development receivers share its host. */
  readonly ownHosts: readonly string[];
}

export const MAX_WEBHOOK_URL_LENGTH = 2_048;
const MAX_HOST_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
const FIRST_FREE_PORT = 1_024;

/** Ports above 1023 where something other than a web server listens; a signed POST must not reach it. */
const REFUSED_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5672,
  5900, 5984, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 8086, 8500, 9042, 9092, 9200, 9300, 10_080,
  10_250, 11_211, 27_017,
]);

/** Names that never are public. */
const LOCAL_SUFFIXES = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'arpa',
  'onion',
  'invalid',
];

/**
 * Reads the address of a receiver, the WHATWG way and once: what is returned is what is kept and called. Throws
 * `Problem('webhook_url_not_https')` or `Problem('webhook_url_refused')` with a sentence that says what is wrong.
 */
export function checkUrl(text: string, { allowLocal, ownHosts }: UrlPolicy): URL {
  if (text.length > MAX_WEBHOOK_URL_LENGTH)
    refuse(`has ${text.length} characters; wanted at most ${MAX_WEBHOOK_URL_LENGTH}`);
  // The URL parser removes or turns these silently; whoever reads the address otherwise would see another one.
  if (/[\s\\\p{Cc}]/u.test(text)) refuse('holds white space, a control character or a backslash');
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) refuse('is not an address such as https://example.org/hooks');
  if (url.protocol !== 'https:' && !allowLocal)
    throw new Problem('webhook_url_not_https', 'The address of a webhook begins with https://; this one does not.');
  // In the text, because the parser drops an empty name.
  if (/^https?:\/\/[^/?]*@/i.test(text)) refuse('holds a user name or password; receivers check the signature');
  if (url.hash !== '' || text.includes('#')) refuse('holds a fragment (#), which is never sent');
  checkPort(url, allowLocal);
  checkHost(url.hostname, allowLocal);
  if (!allowLocal && ownHosts.includes(url.hostname)) refuse('is an address of this service itself');
  return url;
}

function checkPort(url: URL, allowLocal: boolean): void {
  if (url.port === '' || url.port === '443') return;
  const port = Number(url.port);
  if (port === 0 || REFUSED_PORTS.has(port) || (port < FIRST_FREE_PORT && !allowLocal))
    refuse(`uses port ${port}; wanted 443, or one from ${FIRST_FREE_PORT} up that no other service is known for`);
}

function checkHost(host: string, allowLocal: boolean): void {
  if (host.length > MAX_HOST_LENGTH)
    refuse(`has a host of ${host.length} characters; wanted at most ${MAX_HOST_LENGTH}`);
  if (allowLocal) return;
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) refuse('names an IP address; wanted a host name');
  if (host.endsWith('.')) refuse('ends its host with a dot');
  const labels = host.split('.');
  if (labels.length < 2) refuse('has a host without a dot, which is no public name');
  if (labels.some((label) => label === '' || label.length > MAX_LABEL_LENGTH))
    refuse(`has a host with a part that is empty or longer than ${MAX_LABEL_LENGTH} characters`);
  if (LOCAL_SUFFIXES.includes(labels.at(-1) as string))
    refuse(`has a host under .${labels.at(-1)}, which is not public`);
}

function refuse(fault: string): never {
  throw new Problem('webhook_url_refused', `The address ${fault}.`);
}
