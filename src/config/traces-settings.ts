import { httpUrl, onOff, optional, setting } from './parsers.ts';

/** The settings of filing with the EU information system. */
export const TRACES_SETTINGS = {
  tracesProduction: setting(
    'TRACES_PRODUCTION',
    'off',
    onOff,
    '`on` lets statements be filed in the production environment of the EU information system, where they have legal effect; each one needs a typed confirmation all the same. Off: the acceptance environment alone.',
  ),
  tracesTestUrl: setting(
    'TRACES_TEST_URL',
    '',
    optional(localUrl),
    'Server on this machine that takes the place of the EU information system, as `http://127.0.0.1:9000/tracesnt`, for development; then nothing is filed anywhere else. Refused with `NODE_ENV=production` and with `TRACES_PRODUCTION=on`.',
  ),
} as const;

/** An address of this machine; the slash at its end is added where it is used. */
function localUrl(text: string): string {
  const url = httpUrl(text);
  if (!['127.0.0.1', '[::1]', 'localhost'].includes(new URL(url).hostname))
    throw new Error('wanted an address of this machine: 127.0.0.1, [::1] or localhost');
  return url;
}
