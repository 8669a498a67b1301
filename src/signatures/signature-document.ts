import { sign } from 'node:crypto';
import { privateKeyOf, type SigningKeyPair } from './signing-key.ts';

export const SIGNATURE_FORMAT = 'firstmile-signature-1';
/** What a signature document is named after: `export.zip` has `export.zip.sig.json`. */
export const SIGNATURE_SUFFIX = '.sig.json';

/** A file, or a file in an archive, as a statement names it. */
export interface SignedFile {
  readonly name: string;
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
}

/** What is signed in addition to the bytes of files: what they are, and when they were signed. */
export interface Statement {
  /** Also what sets the bytes of a statement apart from those of every file that is signed. */
  readonly firstmile_statement: 1;
  /** In words, such as `facility receipt`. */
  readonly what: string;
  /** The request that gave it; null where none did. */
  readonly request: string | null;
  /** Address of the service. */
  readonly service: string;
  /** Release of the service. */
  readonly version: string;
  /** ISO 8601. */
  readonly signed_at: string;
  /** The file first, then those in it where it is an archive. */
  readonly files: readonly SignedFile[];
}

/** What goes with a file that is signed, or around an answer. */
export interface SignatureDocument {
  readonly format: typeof SIGNATURE_FORMAT;
  readonly algorithm: 'Ed25519';
  readonly key_id: string;
  /** The JSON of a `Statement`: its very characters are what is signed. */
  readonly statement: string;
  /** Over the UTF-8 bytes of `statement`, in base64. */
  readonly statement_signature: string;
  /** Over the exact bytes of each file by its name, in base64; a file that is too large to be signed whole is not there. */
  readonly signatures: Readonly<Record<string, string>>;
  /** The signed answer, where the document encloses it: its UTF-8 bytes are the first file. */
  readonly payload?: string;
}

/** A file to sign; `bytes` null: it is too large, and its hash in the statement stands for it. */
export type FileToSign = SignedFile & { readonly bytes: Uint8Array | null };

/** Signs each file, and a statement about all of them. */
export function signFiles(
  key: SigningKeyPair,
  about: Omit<Statement, 'firstmile_statement' | 'files'>,
  files: readonly FileToSign[],
): SignatureDocument {
  const privateKey = privateKeyOf(key);
  const signed = (bytes: Uint8Array): string => sign(null, bytes, privateKey).toString('base64');
  const statement = JSON.stringify({
    firstmile_statement: 1,
    ...about,
    files: files.map(({ name, size, sha256 }) => ({ name, size, sha256 })),
  } satisfies Statement);
  const whole = files.filter((file): file is FileToSign & { bytes: Uint8Array } => file.bytes !== null);
  return {
    format: SIGNATURE_FORMAT,
    algorithm: 'Ed25519',
    key_id: key.id,
    statement,
    statement_signature: signed(Buffer.from(statement)),
    signatures: Object.fromEntries(whole.map(({ name, bytes }) => [name, signed(bytes)])),
  };
}
