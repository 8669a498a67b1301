import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { NewAct } from '../../auth/audit-log.ts';
import type { Signatures } from '../../service/signatures/signatures.ts';
import type { SignatureDocument } from '../../signatures/signature-document.ts';
import type { PublicSigningKey } from '../../signatures/signing-key.ts';

/** What the command line does with the keys that files are signed with. */
export interface SigningAdmin {
  listSigningKeys(): Promise<readonly PublicSigningKey[]>;
  /** The id of the new key. */
  rotateSigningKey(request: { readonly act?: NewAct }): Promise<string>;
  /** A file that a command has just written. `path` is absolute. */
  signFile(request: { readonly path: string; readonly what: string }): Promise<SignatureDocument>;
}

export function createSigningAdmin(signatures: Signatures): SigningAdmin {
  return {
    listSigningKeys: () => signatures.keys(),
    rotateSigningKey: ({ act }) => signatures.rotate(act),
    signFile: ({ path, what }) =>
      signatures.sign({ what, request: null, name: basename(path), bytes: createReadStream(path) }),
  };
}
