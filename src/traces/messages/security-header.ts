import { createHash } from 'node:crypto';
import { NAMESPACES } from '../interface-v3.ts';
import type { XmlElement } from '../xml/write-xml.ts';

/** On whose behalf a call is made, where one web service user acts for several operators. */
export interface BodyIdentity {
  readonly kind: keyof typeof IDENTITY_LENGTHS;
  readonly value: string;
}

/** Kinds of identity with the most characters of each. */
export const IDENTITY_LENGTHS = {
  AuthorityActivityAccessIdentifier: 16,
  OperatorAccessIdentifier: 16,
  OrganicControlBodyAccessIdentifier: 16,
  OtherBodyAccessIdentifier: 32,
} as const;

/** What proves to the information system who calls. Never logged, never returned. */
export interface TracesCredentials {
  /** User name of EU Login. */
  readonly username: string;
  /** The key under "Web Services Access" of the user's profile. */
  readonly authenticationKey: string;
  readonly clientId: string;
  readonly bodyIdentity: BodyIdentity | null;
}

/** What is new in every call. */
export interface CallStamp {
  readonly at: Date;
  /** 16 random bytes. */
  readonly nonce: Uint8Array;
}

/**
 * How long a message is valid. The service takes none whose `Expires` is over, so that a copy on its way cannot be taken
 * later than this and the 5 minutes that clocks may differ.
 */
const MESSAGE_LIFETIME_MS = 60_000;

const PASSWORD_DIGEST =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest';
const BASE64 = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary';

/** Base64 of SHA-1 over the nonce's bytes, the time as text and the key (WS-Security UsernameToken Profile 1.0). */
export function passwordDigest(nonce: Uint8Array, created: string, key: string): string {
  return createHash('sha1').update(nonce).update(created, 'utf8').update(key, 'utf8').digest('base64');
}

/** The children of the SOAP header. */
export function headerElements(
  credentials: TracesCredentials,
  { at, nonce }: CallStamp,
): readonly (XmlElement | null)[] {
  const created = at.toISOString();
  const expires = new Date(at.getTime() + MESSAGE_LIFETIME_MS).toISOString();
  const { bodyIdentity } = credentials;
  return [
    [
      'wsse:Security',
      [
        [
          'wsu:Timestamp',
          [
            ['wsu:Created', created],
            ['wsu:Expires', expires],
          ],
        ],
        [
          'wsse:UsernameToken',
          [
            ['wsse:Username', credentials.username],
            ['wsse:Password', passwordDigest(nonce, created, credentials.authenticationKey), { Type: PASSWORD_DIGEST }],
            ['wsse:Nonce', Buffer.from(nonce).toString('base64'), { EncodingType: BASE64 }],
            ['wsu:Created', created],
          ],
        ],
      ],
      { 'env:mustUnderstand': '1' },
    ],
    ['base:WebServiceClientId', credentials.clientId],
    // Its children are in no namespace.
    bodyIdentity === null ? null : ['body:BodyIdentity', [[bodyIdentity.kind, bodyIdentity.value]]],
  ];
}

/** A whole SOAP 1.1 message. */
export function envelope(header: readonly (XmlElement | null)[], body: XmlElement): XmlElement {
  const declared = Object.fromEntries(Object.entries(NAMESPACES).map(([prefix, uri]) => [`xmlns:${prefix}`, uri]));
  return [
    'env:Envelope',
    [
      ['env:Header', header],
      ['env:Body', [body]],
    ],
    declared,
  ];
}
