import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isRecord } from '../is-record.ts';

/** The public half of a key that files are signed with. */
export interface PublicSigningKey {
  /** RFC 7638 thumbprint of the key: whoever has the key alone can work out its id. */
  readonly id: string;
  /** The 32 bytes of the key in base64url. */
  readonly x: string;
  /** Since when it signs; null where the file of keys does not say, as PEM cannot. */
  readonly createdAt: Date | null;
  /** Since when it signs no more and its private half is gone; null while it signs, or where nobody says. */
  readonly retiredAt: Date | null;
}

/** Both halves. */
export interface SigningKeyPair {
  readonly id: string;
  readonly x: string;
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
}

const CURVE = { kty: 'OKP', crv: 'Ed25519' } as const;

/** A new Ed25519 key. */
export function createSigningKey(): SigningKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { id: keyIdOf(x), x, privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }) };
}

/** RFC 7638: the SHA-256 of the members that make the key, in the order of their names. */
export function keyIdOf(x: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ crv: CURVE.crv, kty: CURVE.kty, x }))
    .digest('base64url');
}

export function privateKeyOf({ privateKey }: SigningKeyPair): KeyObject {
  return createPrivateKey(privateKey);
}

export function publicKeyOf({ x }: Pick<PublicSigningKey, 'x'>): KeyObject {
  return createPublicKey({ key: { ...CURVE, x }, format: 'jwk' });
}

/** The keys as a JWK set, with the times of each key as members of their own. */
export function keySetOf(keys: readonly PublicSigningKey[]) {
  return {
    keys: keys.map(({ id, x, createdAt, retiredAt }) => ({
      ...CURVE,
      x,
      kid: id,
      alg: 'EdDSA',
      use: 'sig',
      created_at: createdAt?.toISOString() ?? null,
      retired_at: retiredAt?.toISOString() ?? null,
    })),
  };
}

/** The keys as PEM, one after the other, each with its id in a line that readers of PEM skip. */
export function pemOf(keys: readonly PublicSigningKey[]): string {
  return keys.map((key) => `${key.id}\n${publicKeyOf(key).export({ format: 'pem', type: 'spki' })}`).join('\n');
}

/**
 * Reads a file of keys: a JWK set, one JWK, or PEM. Keys that are not Ed25519 are left out.
 * @throws Error that says what was wanted, where there is no key in it.
 */
export function readPublicKeys(text: string): readonly PublicSigningKey[] {
  const keys = text.trimStart().startsWith('{') ? fromJson(text) : fromPem(text);
  if (keys.length > 0) return keys;
  throw new Error('wanted Ed25519 public keys as a JWK set or as PEM, got none');
}

function fromJson(text: string): readonly PublicSigningKey[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return [];
  }
  const entries: unknown = isRecord(document) && 'keys' in document ? document['keys'] : [document];
  return (Array.isArray(entries) ? entries : []).flatMap((entry: unknown) => {
    if (!isRecord(entry) || entry['kty'] !== CURVE.kty || entry['crv'] !== CURVE.crv) return [];
    const { x } = entry;
    if (typeof x !== 'string' || Buffer.from(x, 'base64url').length !== 32) return [];
    return [{ id: keyIdOf(x), x, createdAt: timeOf(entry['created_at']), retiredAt: timeOf(entry['retired_at']) }];
  });
}

function timeOf(value: unknown): Date | null {
  const time = typeof value === 'string' ? new Date(value) : null;
  return time === null || Number.isNaN(time.getTime()) ? null : time;
}

const PEM = /-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----/g;

function fromPem(text: string): readonly PublicSigningKey[] {
  return (text.match(PEM) ?? []).flatMap((pem) => {
    try {
      const { crv, x } = createPublicKey(pem).export({ format: 'jwk' });
      return crv === CURVE.crv && x !== undefined ? [{ id: keyIdOf(x), x, createdAt: null, retiredAt: null }] : [];
    } catch {
      return [];
    }
  });
}
