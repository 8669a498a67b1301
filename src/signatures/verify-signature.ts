import { verify } from 'node:crypto';
import { isRecord } from '../is-record.ts';
import { publicKeyOf, type PublicSigningKey } from './signing-key.ts';
import { SIGNATURE_FORMAT, type SignatureDocument, type SignedFile, type Statement } from './signature-document.ts';

/** Seconds by which the clocks of a database and of the process that signed may differ. */
const CLOCK_SKEW_S = 60;

/** A file to check: what it is now. `bytes` null: too large to be read at once; its hash decides. */
export interface FileToVerify {
  readonly size: number;
  readonly sha256: string;
  readonly bytes: Uint8Array | null;
}

/** What a check found. `file` is the entry of the statement that the file is. */
export type Verification =
  | {
      readonly holds: true;
      readonly statement: Statement;
      readonly file: SignedFile;
      readonly key: PublicSigningKey;
      /** The bytes themselves were signed, and not their hash alone. */
      readonly isOverBytes: boolean;
    }
  | {
      readonly holds: false;
      /** One sentence. */
      readonly reason: string;
      /** What the document says, which is worth nothing; null where it cannot be read. */
      readonly claimed: Statement | null;
    };

/**
 * Reads a signature document, without checking it.
 * @throws Error that says what was wanted.
 */
export function readSignatureDocument(text: string): SignatureDocument {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error('wanted a signature document as JSON');
  }
  if (!isRecord(document) || document['format'] !== SIGNATURE_FORMAT)
    throw new Error(`wanted a document with the format ${SIGNATURE_FORMAT}`);
  for (const name of ['key_id', 'statement', 'statement_signature'])
    if (typeof document[name] !== 'string') throw new Error(`wanted ${name} as text`);
  const { signatures, payload } = document;
  if (!isRecord(signatures) || !Object.values(signatures).every((value) => typeof value === 'string'))
    throw new Error('wanted signatures as an object of texts');
  if (payload !== undefined && typeof payload !== 'string') throw new Error('wanted payload as text');
  return document as unknown as SignatureDocument;
}

/**
 * Whether a file is what one of the keys signed. The keys are trusted as they are given; nothing in the document is until
 * its signature holds.
 */
export function verifyFile(
  document: SignatureDocument,
  file: FileToVerify,
  keys: readonly PublicSigningKey[],
): Verification {
  const claimed = readStatement(document.statement);
  const fails = (reason: string): Verification => ({ holds: false, reason, claimed });
  if (claimed === null) return fails('The statement of the document cannot be read.');
  const key = keys.find(({ id }) => id === document.key_id);
  if (key === undefined) return fails(`No key with the id ${JSON.stringify(document.key_id.slice(0, 100))} is given.`);
  if (!isSigned(key, Buffer.from(document.statement), document.statement_signature))
    return fails('The statement is not what the key signed.');
  const time = outsideItsTime(key, claimed);
  if (time !== null) return fails(time);
  const entry = claimed.files.find(({ size, sha256 }) => size === file.size && sha256 === file.sha256);
  if (entry === undefined) return fails('The file is not one of those that were signed: its bytes are others.');
  const signature = Object.hasOwn(document.signatures, entry.name) ? document.signatures[entry.name] : undefined;
  const isOverBytes = file.bytes !== null && signature !== undefined;
  if (isOverBytes && !isSigned(key, file.bytes, signature))
    return fails('The signature over the bytes of the file does not hold.');
  return { holds: true, statement: claimed, file: entry, key, isOverBytes };
}

function isSigned(key: PublicSigningKey, bytes: Uint8Array, signature: string): boolean {
  return verify(null, bytes, publicKeyOf(key), Buffer.from(signature, 'base64'));
}

/** Why the key cannot have signed then; null: it can. */
function outsideItsTime({ createdAt, retiredAt }: PublicSigningKey, { signed_at: at }: Statement): string | null {
  const signedAt = Date.parse(at);
  if (createdAt !== null && signedAt < createdAt.getTime() - CLOCK_SKEW_S * 1000)
    return `It says that it was signed at ${at}, before the key was made at ${createdAt.toISOString()}.`;
  if (retiredAt !== null && signedAt > retiredAt.getTime() + CLOCK_SKEW_S * 1000)
    return `It says that it was signed at ${at}, after the key was retired at ${retiredAt.toISOString()}.`;
  return null;
}

function readStatement(text: string): Statement | null {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(found) || found['firstmile_statement'] !== 1) return null;
  const { what, request, service, version, signed_at: at, files } = found;
  const isText = [what, service, version, at].every((value) => typeof value === 'string');
  const isRequest = request === null || typeof request === 'string';
  if (!isText || !isRequest || Number.isNaN(Date.parse(String(at))) || !Array.isArray(files)) return null;
  return files.length > 0 && files.every(isSignedFile) ? (found as unknown as Statement) : null;
}

function isSignedFile(entry: unknown): entry is SignedFile {
  if (!isRecord(entry)) return false;
  const { name, size, sha256 } = entry;
  return typeof name === 'string' && Number.isSafeInteger(size) && /^[0-9a-f]{64}$/.test(String(sha256));
}
