import type { TracesCredentialStore } from '../../db/traces/credentials.ts';
import type { SigningKeyStore } from '../../db/signatures/signing-keys.ts';
import type { WebhookStore } from '../../db/webhooks/open-webhook-store.ts';
import type { KeyRing } from '../../webhooks/key-ring.ts';
import type { SecretKeys } from './keys.ts';

/** One page of sealing every secret with the newest key: short, so that a long list can be stopped and gone on with. */
export interface ResealStep {
  /** `next` of the step before; empty for the first page. */
  readonly after: string;
  /** Makes a new key first where this process keeps them, unless secrets under an older one are left from another time. */
  readonly renew: boolean;
  /** Removes webhooks whose secret cannot be opened; their users have to register again. */
  readonly removeUnreadable: boolean;
}

export interface ResealReport {
  /** Id of the key that seals. */
  readonly key: string;
  /** True when this step made it. */
  readonly renewed: boolean;
  /** True when the keys are given by the settings, where a new one cannot be made. */
  readonly fixed: boolean;
  /** Ids of the other keys that are loaded. */
  readonly others: readonly string[];
  readonly seen: number;
  /** Secrets that the newest key seals from now on, and did not before. */
  readonly changed: number;
  /** Ids of the webhooks with secrets that no loaded key opens, and whose credentials none opens. */
  readonly unreadable: readonly string[];
  readonly next: string | null;
}

type Secrets = Pick<WebhookStore, 'resealPage' | 'countSealedOtherwise' | 'remove'>;

/** Sealed credentials for the EU information system; all of them are in the first step, because there are few. */
type Credentials = Pick<TracesCredentialStore, 'all' | 'reseal' | 'remove'>;

/** What else is sealed. */
interface OtherSecrets {
  readonly credentials: Credentials;
  /** One is in use; it is in the first step too. */
  readonly signingKeys: Pick<SigningKeyStore, 'inUse' | 'reseal' | 'retire'>;
}

/** See `ResealStep`. What a step changed stays changed: the steps may be begun again at any time. */
export async function resealStep(
  webhooks: Secrets,
  { credentials, signingKeys }: OtherSecrets,
  { ring, source, renew }: SecretKeys,
  step: ResealStep,
): Promise<ResealReport> {
  if (ring === null) throw new Error(`${source} is not set: there is no key to seal secrets with`);
  const signingKey = await signingKeys.inUse();
  const others = [...(await credentials.all()), ...(signingKey === null ? [] : [signingKey])];
  const isRest =
    others.some(({ sealed }) => !ring.isCurrent(sealed)) || (await webhooks.countSealedOtherwise(ring.first)) > 0;
  const renewed = step.renew && renew !== null && !isRest;
  if (renewed) renew();
  const unreadable = new Map<string, string>();
  const page = await webhooks.resealPage(step.after, (secret) => {
    const text = openWith(ring, secret);
    if (text === null) unreadable.set(secret.webhookId, secret.userId);
    return text === null || ring.isCurrent(secret.sealed) ? secret.sealed : ring.seal(text, secret);
  });
  if (step.removeUnreadable) for (const userId of unreadable.values()) await webhooks.remove(userId);
  const own =
    step.after === ''
      ? [
          await resealCredentials(credentials, ring, step.removeUnreadable),
          await resealSigningKey(signingKeys, ring, step.removeUnreadable),
        ]
      : [];
  return {
    ...page,
    seen: own.reduce((sum, { seen }) => sum + seen, page.seen),
    changed: own.reduce((sum, { changed }) => sum + changed, page.changed),
    key: ring.first,
    renewed,
    fixed: renew === null,
    others: ring.ids.slice(1),
    unreadable: [...unreadable.keys(), ...own.flatMap((one) => one.unreadable)],
  };
}

interface Resealed {
  readonly seen: number;
  readonly changed: number;
  /** What each is that no loaded key opens. */
  readonly unreadable: readonly string[];
}

async function resealCredentials(
  credentials: Credentials,
  ring: KeyRing,
  removeUnreadable: boolean,
): Promise<Resealed> {
  const all = await credentials.all();
  const unreadable: string[] = [];
  let changed = 0;
  for (const kept of all) {
    if (ring.isCurrent(kept.sealed)) continue;
    const owner = { userId: kept.userId, tracesEnvironment: kept.environment };
    if (ring.knows(kept.sealed)) {
      await credentials.reseal(kept, ring.seal(ring.open(kept.sealed, owner), owner));
      changed++;
      continue;
    }
    unreadable.push(`credentials of ${kept.userId} for ${kept.environment}`);
    if (removeUnreadable) await credentials.remove(kept.userId, kept.environment);
  }
  return { seen: all.length, changed, unreadable };
}

/** Files that it signed verify all the same: their public key stays. */
async function resealSigningKey(
  keys: OtherSecrets['signingKeys'],
  ring: KeyRing,
  removeUnreadable: boolean,
): Promise<Resealed> {
  const key = await keys.inUse();
  if (key === null) return { seen: 0, changed: 0, unreadable: [] };
  if (ring.isCurrent(key.sealed)) return { seen: 1, changed: 0, unreadable: [] };
  const owner = { signingKey: key.id };
  if (ring.knows(key.sealed)) {
    await keys.reseal(key, ring.seal(ring.open(key.sealed, owner), owner));
    return { seen: 1, changed: 1, unreadable: [] };
  }
  if (removeUnreadable) await keys.retire(key.id);
  return { seen: 1, changed: 0, unreadable: [`signing key ${key.id}`] };
}

/** The secret, or null when its key is not loaded or its text was damaged or is another owner's. */
function openWith(ring: KeyRing, secret: { sealed: string; userId: string; webhookId: string }): string | null {
  try {
    return ring.open(secret.sealed, secret);
  } catch {
    return null;
  }
}
