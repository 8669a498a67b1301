import type { Dispatcher } from 'undici';

import { ByteSourceError } from '../byte-error.ts';

/** Where a redirect leads; refuses one without a usable address and one from https to anything else. */
export function nextAddress(
  place: string,
  from: URL,
  { headers, statusCode: status }: Pick<Dispatcher.ResponseData, 'headers' | 'statusCode'>,
): URL {
  const { location } = headers;
  const address = typeof location === 'string' ? URL.parse(location, from) : null;
  if (address === null || !['http:', 'https:'].includes(address.protocol))
    throw new ByteSourceError('redirect', place, 'wanted a redirect to an http or https address, got another one', {
      status,
    });
  if (from.protocol === 'https:' && address.protocol !== 'https:')
    throw new ByteSourceError('redirect', place, `wanted to stay on https, got a redirect to ${address.origin}`, {
      status,
    });
  return address;
}
