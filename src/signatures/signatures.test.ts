import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { signFiles, type FileToSign, type SignatureDocument } from './signature-document.ts';
import {
  createSigningKey,
  keyIdOf,
  keySetOf,
  pemOf,
  readPublicKeys,
  type PublicSigningKey,
  type SigningKeyPair,
} from './signing-key.ts';
import { readSignatureDocument, verifyFile } from './verify-signature.ts';

const KEY = createSigningKey();
const ABOUT = {
  what: 'facility receipt',
  request: 'GET /validate_facility',
  service: 'https://firstmile.example.org',
  version: '0.1.0',
  signed_at: '2026-11-23T10:00:00.000Z',
};

function fileOf(name: string, bytes: Uint8Array): FileToSign {
  return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), bytes };
}

function publicOf({ id, x }: SigningKeyPair, times: Partial<PublicSigningKey> = {}): PublicSigningKey {
  return { id, x, createdAt: null, retiredAt: null, ...times };
}

describe('keys', () => {
  it('have the thumbprint of RFC 8037 appendix A.3 for an id', () => {
    assert.equal(keyIdOf('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'), 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  it('come back from a JWK set with their times, and from PEM without', () => {
    const keys = [
      publicOf(createSigningKey(), { createdAt: new Date('2026-02-01T00:00:00Z') }),
      publicOf(KEY, { createdAt: new Date('2026-01-01T00:00:00Z'), retiredAt: new Date('2026-02-01T00:00:00Z') }),
    ];
    assert.deepEqual(readPublicKeys(JSON.stringify(keySetOf(keys))), keys);
    assert.deepEqual(
      readPublicKeys(pemOf(keys)),
      keys.map(({ id, x }) => publicOf({ id, x, privateKey: '' })),
    );
    assert.deepEqual(readPublicKeys(JSON.stringify(keySetOf(keys).keys[1])), [keys[1]]);
  });

  it('that are none are an error that says what was wanted, whatever the text', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.string().map((body) => `-----BEGIN PUBLIC KEY-----\n${body}`),
    );
    fc.assert(fc.property(texts, (text) => assert.throws(() => readPublicKeys(text), /wanted Ed25519 public keys/)));
  });
});

describe('a signature', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });

  it('holds for the bytes that were signed, and for no others', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (content, at, change) => {
        const document = signFiles(KEY, ABOUT, [fileOf('a.json', content)]);
        const found = verifyFile(document, fileOf('', content), [publicOf(KEY)]);
        assert.ok(found.holds && found.isOverBytes);
        assert.deepEqual([found.file.name, found.statement.what], ['a.json', 'facility receipt']);
        const other = Uint8Array.from(content);
        other[at % other.length]! ^= change;
        assert.equal(verifyFile(document, fileOf('', other), [publicOf(KEY)]).holds, false);
      }),
    );
  });

  it('holds for each file of an archive, and by its hash for a file that was too large to be signed whole', () => {
    const [zip, pdf] = [Buffer.from('PK zip'), Buffer.from('%PDF')];
    const document = signFiles(KEY, ABOUT, [{ ...fileOf('e.zip', zip), bytes: null }, fileOf('audit.pdf', pdf)]);
    assert.deepEqual(Object.keys(document.signatures), ['audit.pdf']);
    const [whole, part] = [zip, pdf].map((one) => verifyFile(document, fileOf('', one), [publicOf(KEY)]));
    assert.deepEqual([whole!.holds && whole.isOverBytes, part!.holds && part.isOverBytes], [false, true]);
    assert.equal(whole!.holds && whole.file.name, 'e.zip');
  });

  it('does not hold with a document that was changed anywhere', () => {
    const content = Buffer.from('{"type":"Feature"}');
    const document = signFiles(KEY, ABOUT, [fileOf('a.json', content)]);
    const other = signFiles(createSigningKey(), ABOUT, [fileOf('a.json', content)]);
    const later = document.statement.replace('2026-11-23', '2027-11-23');
    const forged: readonly Partial<SignatureDocument>[] = [
      { statement: later },
      { statement: '{}' },
      { statement: 'no JSON' },
      { statement_signature: other.statement_signature },
      { statement_signature: '' },
      { signatures: { 'a.json': other.signatures['a.json']! } },
      { key_id: other.key_id },
      // A file that looks like a statement is never a statement: its signature is not over one.
      { statement: content.toString(), statement_signature: document.signatures['a.json']! },
    ];
    for (const change of forged) {
      const found = verifyFile({ ...document, ...change }, fileOf('', content), [publicOf(KEY)]);
      assert.equal(found.holds, false, JSON.stringify(change));
    }
  });

  it('does not hold outside the time in which its key was in use', () => {
    const content = Buffer.from('x');
    const document = signFiles(KEY, ABOUT, [fileOf('a', content)]);
    const verdict = (times: Partial<PublicSigningKey>) => {
      const found = verifyFile(document, fileOf('', content), [publicOf(KEY, times)]);
      return found.holds ? 'holds' : found.reason;
    };
    const at = (time: string) => new Date(`2026-11-23T${time}Z`);
    assert.equal(verdict({ createdAt: at('09:00:00'), retiredAt: at('11:00:00') }), 'holds');
    assert.equal(verdict({ retiredAt: at('09:59:30') }), 'holds', 'clocks may differ by a minute');
    assert.match(verdict({ retiredAt: at('09:00:00') }), /after the key was retired/);
    assert.match(verdict({ createdAt: at('11:00:00') }), /before the key was made/);
  });

  it('in a document that cannot be read is an error that says what was wanted, whatever the text', () => {
    const parts = fc.record(
      {
        format: fc.constantFrom('firstmile-signature-1', 'other'),
        key_id: fc.oneof(fc.string(), fc.nat()),
        statement: fc.oneof(fc.string(), fc.json()),
        statement_signature: fc.oneof(fc.string(), fc.base64String()),
        signatures: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.anything()),
        payload: fc.oneof(fc.string(), fc.nat()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          parts.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          let document: SignatureDocument;
          try {
            document = readSignatureDocument(text);
          } catch (error) {
            return assert.match((error as Error).message, /^wanted /);
          }
          assert.equal(verifyFile(document, fileOf('', Buffer.from('x')), [publicOf(KEY)]).holds, false);
        },
      ),
    );
  });
});
