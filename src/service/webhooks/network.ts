import { readFileSync } from 'node:fs';
import { ConfigError, type Config } from '../../config/settings.ts';
import { Problem } from '../../errors.ts';
import type { ConnectOptions } from '../../webhooks/connect-checked.ts';
import { AttemptFailure } from '../../webhooks/delivery.ts';
import { queryNameServers, queryThisMachine, resolveHost } from '../../webhooks/resolve-host.ts';

/** How receivers are reached: by the settings, or by what a test puts in their place. */
export function networkOptions(
  config: Config,
  options: Partial<Pick<ConnectOptions, 'resolve' | 'ca'>>,
): ConnectOptions {
  const ca = options.ca ?? (config.webhookCaFile === null ? null : [readCa(config.webhookCaFile)]);
  return {
    allowLocal: config.webhookAllowLocal,
    resolve: options.resolve ?? (config.webhookAllowLocal ? queryThisMachine : queryNameServers()),
    ...(ca !== null && { ca }),
  };
}

function readCa(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`WEBHOOK_CA_FILE: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
}

/** Host names of the service itself. */
export function ownHosts({ publicUrl }: Config): readonly string[] {
  return publicUrl === null ? [] : [new URL(publicUrl).hostname];
}

/** What a caller should know of an address that was accepted. */
export interface AddressWarning {
  readonly code: 'host_not_resolved';
  readonly message: string;
}

/**
 * At registration already, so that an address that can never work is not found out by silence. A name that does not resolve
 * at this moment may do so later, which is a warning. The refusal does not repeat what an inside name leads to.
 */
export async function checkLeadsOutside(
  url: URL,
  { resolve, allowLocal }: ConnectOptions,
): Promise<AddressWarning | null> {
  try {
    await resolveHost(url.hostname, resolve, allowLocal, AbortSignal.timeout(10_000));
    return null;
  } catch (error) {
    if (!(error instanceof AttemptFailure)) throw error;
    if (error.reason !== 'address_refused')
      return {
        code: 'host_not_resolved',
        message: `${error.message} The address is registered anyway; POST /webhooks/test shows whether it works.`,
      };
    throw new Problem('webhook_url_refused', error.message, { cause: error });
  }
}
