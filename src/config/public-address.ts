import type { Config } from './settings.ts';

/** Where clients reach the service, without a slash at its end; a worker has no other way to know than the settings. */
export function publicAddress({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  return publicUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
}
