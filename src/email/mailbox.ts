import { domainToASCII } from 'node:url';

/** A mail address and the name to show with it. */
export interface Mailbox {
  readonly name: string | null;
  readonly address: string;
  /** What comes after the @, as DNS has it. */
  readonly domain: string;
}

const MAX_ADDRESS_CHARACTERS = 254;
/** One @, and nothing that has a meaning in headers or in SMTP commands: quoted local parts are not accepted. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@([\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?)$/u;

/** Reads `name@host` or `Name <name@host>`; null when it is neither. */
export function parseMailbox(text: string): Mailbox | null {
  const [, name, bracketed] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text.trim()) ?? [];
  const address = bracketed ?? text.trim();
  const domain = domainToASCII(ADDRESS.exec(address)?.[1] ?? '');
  if (domain === '' || domain.includes('..') || address.length > MAX_ADDRESS_CHARACTERS) return null;
  const shown = name?.trim().replaceAll('"', '') ?? '';
  return { name: shown === '' ? null : shown, address, domain };
}
