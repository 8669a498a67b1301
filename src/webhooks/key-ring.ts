import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** One key that secrets are sealed with. */
export interface SealingKey {
  /** Names the key inside what it sealed. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** What a sealed secret belongs to; opened for anything else it fails. */
type SecretOwner =
  | { readonly userId: string; readonly webhookId: string }
  | { readonly userId: string; readonly tracesEnvironment: string }
  | { readonly signingKey: string };

export interface KeyRing {
  /** Id of the key that seals. */
  readonly first: string;
  /** Ids of all keys, the first one first. */
  readonly ids: readonly string[];
  seal(secret: string, owner: SecretOwner): string;
  /** Throws an `UnknownKeyError`, or an `Error` for a text that was changed or belongs to another owner. */
  open(sealed: string, owner: SecretOwner): string;
  /** True when the first key sealed it. */
  isCurrent(sealed: string): boolean;
  /** True when one of the keys sealed it. */
  knows(sealed: string): boolean;
}

/** Sealed with a key that is not loaded. */
export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const CIPHER = 'aes-256-gcm';

/**
 * Seals with the first key and opens with any: AES-256-GCM, a nonce of 96 random bits each time, and the owner and key as
 * associated data. The text is `key.nonce.tag.ciphertext`, each but the first in base64url. At least one key is wanted.
 */
export function createKeyRing(keys: readonly SealingKey[]): KeyRing {
  const first = keys[0];
  if (first === undefined) throw new Error('wanted at least one key for secrets, got none');
  const byId = new Map(keys.map((key) => [key.id, key.key]));
  return {
    first: first.id,
    ids: keys.map(({ id }) => id),
    seal(secret, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, first.key, nonce).setAAD(associatedData(first.id, owner));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return [first.id, ...[nonce, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join('.');
    },
    open(sealed, owner) {
      const [id = '', ...parts] = sealed.split('.');
      const key = byId.get(id);
      if (key === undefined) throw new UnknownKeyError(`a secret is sealed with the key ${id}, which is not loaded`);
      const [nonce, tag, text] = parts.map((part) => Buffer.from(part, 'base64url'));
      if (parts.length !== 3 || tag?.length !== 16) throw new Error('a sealed secret is damaged');
      const decipher = createDecipheriv(CIPHER, key, nonce as Buffer, { authTagLength: 16 })
        .setAAD(associatedData(id, owner))
        .setAuthTag(tag);
      return decipher.update(text as Buffer, undefined, 'utf8') + decipher.final('utf8');
    },
    isCurrent: (sealed) => keyOf(sealed) === first.id,
    knows: (sealed) => byId.has(keyOf(sealed)),
  };
}

/** Opened secrets that are kept; a sender meets the same ones with every delivery. */
const MOST_KEPT = 4_096;

/** Opens secrets and keeps those that were opened last: a key ring that decrypts each once. Throws what the ring throws. */
export function keepOpened(ring: Pick<KeyRing, 'open'>): KeyRing['open'] {
  const kept = new Map<string, string>();
  return (sealed, owner) => {
    const key = JSON.stringify([sealed, ...wordsOf(owner)]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const secret = ring.open(sealed, owner);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(key, secret);
    return secret;
  };
}

/** Reads `id:base64` keys, the first one first; throws a sentence that never holds a key. */
export function readSealingKeys(text: string): readonly SealingKey[] {
  const keys = text.split(',').map((item, i) => {
    const [, id, base64] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})\s*$/.exec(item) ?? [];
    if (id === undefined || base64 === undefined) throw new Error(`wanted id:base64 as key ${i + 1}`);
    const key = Buffer.from(base64, 'base64');
    if (key.length !== KEY_BYTES)
      throw new Error(`wanted ${KEY_BYTES} bytes as base64 in key ${id}, got ${key.length}`);
    return { id, key };
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error('wanted every key id once');
  return keys;
}

/** A new key under an id of its own. */
export function createSealingKey(): SealingKey {
  return { id: `k${randomBytes(4).toString('hex')}`, key: randomBytes(KEY_BYTES) };
}

/** `whsec_` and 32 random bytes as base64. */
export function createSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function keyOf(sealed: string): string {
  return sealed.slice(0, Math.max(0, sealed.indexOf('.')));
}

function associatedData(keyId: string, owner: SecretOwner): Buffer {
  return Buffer.from(JSON.stringify([...wordsOf(owner), keyId]));
}

function wordsOf(owner: SecretOwner): readonly string[] {
  if ('webhookId' in owner) return ['webhook_secret', owner.userId, owner.webhookId];
  if ('signingKey' in owner) return ['signing_key', owner.signingKey];
  return ['traces_credentials', owner.userId, owner.tracesEnvironment];
}
