import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Problem } from '../../errors.ts';
import { createCallRate } from '../../traces/client/call-rate.ts';
import { openClient, type TracesClient } from '../../traces/client/open-client.ts';
import { openSoap } from '../../traces/client/post-soap.ts';
import { TracesFailure } from '../../traces/faults/traces-failure.ts';
import type { TracesEnvironment } from '../../traces/interface-v3.ts';
import { addressOf, type TracesSettings } from './environments.ts';
import type { CredentialVault } from './sealed-credentials.ts';

/** Clients of users, which share connections and the rate of the service. */
export interface TracesClients {
  /** Null where the user has no credentials, or the settings do not open the environment. */
  find(userId: string, environment: TracesEnvironment): Promise<TracesClient | null>;
  /** One call on behalf of somebody who waits. Throws a `Problem` in place of a failure. */
  call<T>(userId: string, environment: TracesEnvironment, work: (client: TracesClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The service takes 5 calls per second of one network address; one is left to clocks and a second process. */
const CALLS_PER_SECOND = 4;

export function openTracesClients(settings: TracesSettings, vault: CredentialVault): TracesClients {
  const soap = openSoap();
  const pause = async (ms: number, signal: AbortSignal): Promise<void> => void (await wait(ms, undefined, { signal }));
  const takeTurn = createCallRate(CALLS_PER_SECOND, { now: () => performance.now(), wait: pause });

  async function find(userId: string, environment: TracesEnvironment): Promise<TracesClient | null> {
    const base = addressOf(settings, environment);
    const credentials = base === null ? null : await vault.open(userId, environment);
    if (base === null || credentials === null) return null;
    const stamp = () => ({ at: new Date(), nonce: randomBytes(16) });
    return openClient(credentials, { base, post: soap.post, takeTurn, stamp, wait: pause });
  }

  return {
    find,
    async call(userId, environment, work) {
      const client = await find(userId, environment);
      if (client === null)
        throw new Problem('filing_credentials_missing', `You have no credentials for ${environment}.`);
      try {
        return await work(client);
      } catch (error) {
        throw error instanceof TracesFailure ? problemOf(error) : error;
      }
    },
    close: () => soap.close(),
  };
}

function problemOf(failure: TracesFailure): Problem {
  const isAway = ['not_connected', 'no_answer', 'busy'].includes(failure.code);
  const errors = failure.findings.map(({ serviceCode, message }) => ({ code: serviceCode, detail: message }));
  const detail = `${failure.code}: ${failure.message} ${failure.advice}`;
  return new Problem(isAway ? 'dependency_unavailable' : 'information_system_refused', detail, {
    errors,
    cause: failure,
    ...(isAway ? { retryAfterS: 30 } : {}),
  });
}
