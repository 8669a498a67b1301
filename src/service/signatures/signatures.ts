import { createHash } from 'node:crypto';
import { join } from 'node:path';
import yauzl from 'yauzl';
import type { NewAct } from '../../auth/audit-log.ts';
import type { Config } from '../../config/settings.ts';
import type { SigningKeyStore } from '../../db/signatures/signing-keys.ts';
import type { Log } from '../../log.ts';
import { replaceFile } from '../../readers/io/replace-file.ts';
import {
  signFiles,
  type FileToSign,
  type SignatureDocument,
  type Statement,
} from '../../signatures/signature-document.ts';
import {
  createSigningKey,
  keySetOf,
  type PublicSigningKey,
  type SigningKeyPair,
} from '../../signatures/signing-key.ts';
import type { SecretKeys } from '../webhooks/keys.ts';
import { wantKeys } from '../webhooks/keys.ts';

/** Bytes of a file that is signed whole; of a larger one, or one in an archive, the hash is. */
export const SIGNED_BYTES = 64_000_000;

/** What is to be signed: an answer, or a file. */
interface ToSign {
  /** In words, such as `facility receipt`. */
  readonly what: string;
  /** The request that gave it; null where none did. */
  readonly request: string | null;
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Signs what the service hands out. Methods that sign throw `Problem('dependency_unavailable')` where no secret can be sealed. */
export interface Signatures {
  /** Every key there ever was, the newest first; makes the first one. */
  keys(): Promise<readonly PublicSigningKey[]>;
  /** Files in a ZIP archive are signed too, each by itself. */
  sign(wanted: ToSign): Promise<SignatureDocument>;
  /** A new key signs from now on; the private half of the one before is destroyed. The id of the new one. */
  rotate(act?: NewAct): Promise<string>;
}

interface SignaturesParts {
  readonly store: SigningKeyStore;
  readonly keys: SecretKeys;
  readonly config: Pick<Config, 'dataDir'>;
  readonly version: string;
  /** Where clients reach the service. */
  readonly address: () => string;
  readonly log: Pick<Log, 'warn'>;
  /** Default: the clock of this machine. */
  readonly clock?: () => Date;
}

/** The public keys in the data folder, for checks without a running service. */
export function publicKeysPath({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'signing-keys.json');
}

export function createSignatures(parts: SignaturesParts): Signatures {
  const { store, config, version, address, log, clock = () => new Date() } = parts;
  const ring = () => wantKeys(parts.keys.ring, 'Signatures', 'keys');
  let written = '';

  const newKey = () => {
    const pair = createSigningKey();
    return { id: pair.id, x: pair.x, sealed: ring().seal(pair.privateKey, { signingKey: pair.id }) };
  };

  async function keyInUse(): Promise<SigningKeyPair> {
    if ((await store.inUse()) === null) await store.putFirst(newKey());
    const { id, x, sealed } = (await store.inUse())!;
    await keep(await store.all());
    return { id, x, privateKey: ring().open(sealed, { signingKey: id }) };
  }

  /** A folder that cannot be written to keeps nobody from signing. */
  async function keep(keys: readonly PublicSigningKey[]): Promise<void> {
    const text = `${JSON.stringify(keySetOf(keys), null, 2)}\n`;
    if (text === written) return;
    try {
      await replaceFile(publicKeysPath(config), text);
      written = text;
    } catch (error) {
      log.warn({ err: error }, 'the public signing keys could not be written to the data folder');
    }
  }

  return {
    async keys() {
      // Without a key for secrets there is nothing to make one with; what there is can be read all the same.
      if (parts.keys.ring !== null) await keyInUse();
      return store.all();
    },
    async sign({ what, request, name, bytes }) {
      // Before the key is read: it cannot be retired before the time of the signature.
      const signedAt = clock().toISOString();
      const key = await keyInUse();
      const file = await readFileToSign(name, bytes);
      const statement: Omit<Statement, 'firstmile_statement' | 'files'> = {
        what,
        request,
        service: address(),
        version,
        signed_at: signedAt,
      };
      return signFiles(key, statement, [file, ...(file.bytes === null ? [] : await filesIn(file.bytes))]);
    },
    async rotate(act) {
      await keyInUse();
      const next = newKey();
      await store.replace(next, act);
      await keep(await store.all());
      return next.id;
    },
  };
}

/** Reads a file to its end, in memory that does not grow beyond what is signed whole. */
export async function readFileToSign(
  name: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<FileToSign> {
  const hash = createHash('sha256');
  let size = 0;
  let kept: Uint8Array[] | null = [];
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.length;
    if (size > SIGNED_BYTES) kept = null;
    else kept?.push(chunk);
  }
  return { name, size, sha256: hash.digest('hex'), bytes: kept === null ? null : Buffer.concat(kept) };
}

const ZIP_MAGIC = 'PK\u0003\u0004';

/** The files in an archive of ours; none for what is no archive. */
async function filesIn(bytes: Uint8Array): Promise<readonly FileToSign[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.toString('latin1', 0, ZIP_MAGIC.length) !== ZIP_MAGIC) return [];
  const zip = await yauzl.fromBufferPromise(buffer, { lazyEntries: true });
  const files: FileToSign[] = [];
  for await (const entry of zip.eachEntry())
    files.push(
      await readFileToSign(entry.fileName, (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>),
    );
  return files;
}
