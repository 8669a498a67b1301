import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { publicKeysPath, readFileToSign } from '../service/signatures/signatures.ts';
import { SIGNATURE_SUFFIX, type SignatureDocument } from '../signatures/signature-document.ts';
import { readPublicKeys, type PublicSigningKey } from '../signatures/signing-key.ts';
import {
  readSignatureDocument,
  verifyFile,
  type FileToVerify,
  type Verification,
} from '../signatures/verify-signature.ts';
import { UsageError, type Command } from './command.ts';

export const verify: Command = {
  args: [
    {
      name: 'FILE',
      doc: `A file with a signature document next to it (FILE${SIGNATURE_SUFFIX}), a file out of a signed archive, or a signed answer.`,
      required: true,
    },
  ],
  options: {
    signature: { type: 'string', value: 'FILE', doc: `The signature document; default FILE${SIGNATURE_SUFFIX}.` },
    keys: {
      type: 'string',
      value: 'FILE',
      doc: 'Public keys of the service as a JWK set or PEM; default those in the data folder.',
    },
    json: { type: 'boolean', doc: 'JSON instead of text.' },
  },
  examples: [
    'npx firstmile verify due-diligence.zip',
    'npx firstmile verify audit-trail.pdf --signature due-diligence.zip.sig.json --keys firstmile-signing-keys.json',
    'npx firstmile verify receipt.sig.json --keys firstmile-signing-keys.pem',
  ],
  async run({ args, options, config, out }) {
    const path = args[0] ?? '';
    const keysPath = (options['keys'] as string | undefined) ?? publicKeysPath(config);
    const keys = await keysOf(keysPath, options['keys'] === undefined);
    const given = options['signature'] as string | undefined;
    const { document, file } = await readSigned(path, given);
    const found = verifyFile(document, file, keys);
    out.write(options['json'] === true ? `${JSON.stringify(jsonOf(found), null, 2)}\n` : textOf(basename(path), found));
    return found.holds ? 0 : 1;
  },
};

/** A file with its document: one of its own, or the document that encloses it. */
async function readSigned(
  path: string,
  given: string | undefined,
): Promise<{ readonly document: SignatureDocument; readonly file: FileToVerify }> {
  if (given === undefined) {
    const enclosing = await enclosingDocument(path);
    if (enclosing !== null) {
      return { document: enclosing, file: await readFileToSign('', [Buffer.from(enclosing.payload)]) };
    }
  }
  const text = await readText(given ?? `${path}${SIGNATURE_SUFFIX}`, 'a signature document');
  return {
    document: documentOf(given ?? `${path}${SIGNATURE_SUFFIX}`, text),
    file: await readFileToSign('', streamOf(path)),
  };
}

/** The document that a file is, where it encloses what it signs; null for any other file. */
async function enclosingDocument(path: string): Promise<(SignatureDocument & { readonly payload: string }) | null> {
  const start = Buffer.alloc(1);
  for await (const chunk of streamOf(path, { end: 0 })) start.set(chunk);
  if (start.toString() !== '{') return null;
  try {
    const document = readSignatureDocument(await readText(path, 'a file'));
    return document.payload === undefined ? null : { ...document, payload: document.payload };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return null;
  }
}

function documentOf(path: string, text: string): SignatureDocument {
  try {
    return readSignatureDocument(text);
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
}

async function keysOf(path: string, isDefault: boolean): Promise<readonly PublicSigningKey[]> {
  const hint = isDefault ? '; give the keys of the service with --keys' : '';
  try {
    return readPublicKeys(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}${hint}`);
  }
}

async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path}: wanted ${what}: ${(error as Error).message}`);
  }
}

async function* streamOf(path: string, options: { readonly end?: number } = {}): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of createReadStream(path, options)) yield chunk as Uint8Array;
  } catch (error) {
    throw new UsageError(`FILE: ${(error as Error).message}`);
  }
}

function textOf(name: string, found: Verification): string {
  if (!found.holds) return `${name}: the signature does not hold. ${found.reason}\n`;
  const { statement, file, key, isOverBytes } = found;
  const retired = key.retiredAt === null ? '' : `, retired since ${key.retiredAt.toISOString()}`;
  const fields: readonly (readonly [string, string | null])[] = [
    ['What', `${statement.what}: ${file.name}, ${file.size} bytes`],
    ['Signed', statement.signed_at],
    ['By', `${statement.service} (Firstmile ${statement.version})`],
    ['Request', statement.request],
    ['Key', `${key.id}${retired}`],
    ['SHA-256', file.sha256],
    ['Over', isOverBytes ? 'the bytes of the file and the statement' : 'the statement, which holds the SHA-256'],
  ];
  const lines = fields.flatMap(([label, value]) => (value === null ? [] : [`${label.padEnd(9)}${value}\n`]));
  return `${name}: the signature holds.\n${lines.join('')}`;
}

function jsonOf(found: Verification): object {
  if (!found.holds) return { holds: false, reason: found.reason, claimed: found.claimed };
  const { statement, file, key, isOverBytes } = found;
  return { holds: true, key_id: key.id, file, over_bytes: isOverBytes, statement };
}
