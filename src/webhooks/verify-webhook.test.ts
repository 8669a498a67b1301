import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { signatureHeader } from './sign.ts';
import { verifyWebhook, WebhookRefused, type RefusalReason } from './verify-webhook.ts';

interface Vector {
  readonly name: string;
  readonly valid: boolean;
  readonly reason?: RefusalReason;
  readonly secret: string;
  readonly timestamp: number;
  readonly body: string;
  readonly header: string;
}

const { vectors } = JSON.parse(
  readFileSync(new URL('../../test/oracles/signatures/vectors.json', import.meta.url), 'utf8'),
) as { vectors: readonly Vector[] };
const { body: BODY, header: HEADER, secret: SECRET, timestamp: T } = vectors[0]!;
const OTHER = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const refusedFor = (reason: RefusalReason) => (error: unknown) => {
  assert.ok(error instanceof WebhookRefused, String(error));
  assert.equal(error.reason, reason);
  return true;
};

describe('verifyWebhook', () => {
  for (const { name, valid, reason, body, header, secret, timestamp: now } of vectors) {
    it(`${valid ? 'accepts' : 'refuses'} the published vector: ${name}`, () => {
      const verify = () => verifyWebhook(body, header, secret, { tolerance: 300, now });
      if (valid) assert.equal(verify().id, 'evt_01');
      else assert.throws(verify, refusedFor(reason!));
    });
  }

  it('returns the event of text and of bytes', () => {
    const event = verifyWebhook(BODY, HEADER, SECRET, { now: T });
    assert.deepEqual(event, JSON.parse(BODY));
    assert.deepEqual(verifyWebhook(Buffer.from(BODY), HEADER, SECRET, { now: T }), event);
    assert.deepEqual(verifyWebhook(new TextEncoder().encode(BODY), HEADER, SECRET, { now: T }), event);
  });

  it('refuses a flipped bit anywhere in body or signature', () => {
    const bytes = Buffer.from(BODY);
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const altered = Buffer.from(bytes);
        altered[bit >> 3]! ^= 1 << (bit & 7);
        assert.throws(() => verifyWebhook(altered, HEADER, SECRET, { now: T }), refusedFor('signature_mismatch'));
      }),
    );
    fc.assert(
      fc.property(fc.nat(255), (bit) => {
        const digest = Buffer.from(HEADER.slice(-64), 'hex');
        digest[bit >> 3]! ^= 1 << (bit & 7);
        const header = `t=${T}, v1=${digest.toString('hex')}`;
        assert.throws(() => verifyWebhook(BODY, header, SECRET, { now: T }), refusedFor('signature_mismatch'));
      }),
    );
  });

  it('throws nothing but WebhookRefused for any header', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^(t=\d*|v1=[0-9a-f]*|[,= ])*$/)), (header) => {
        assert.throws(() => verifyWebhook(BODY, header, SECRET, { now: T }), WebhookRefused);
      }),
    );
  });

  it('accepts any of several secrets and any of several signatures', () => {
    assert.equal(verifyWebhook(BODY, HEADER, [OTHER, SECRET], { now: T }).type, 'batch_zonal_stats_complete');
    const both = `${signatureHeader(BODY, OTHER, T)}, ${HEADER.split(', ')[1]}`;
    assert.ok(verifyWebhook(BODY, both, SECRET, { now: T }));
    assert.ok(verifyWebhook(BODY, both, OTHER, { now: T }));
    assert.ok(verifyWebhook(BODY, HEADER.replace(', ', ','), SECRET, { now: T }));
  });

  it('refuses a body that was parsed before', () => {
    const parsed = JSON.parse(BODY) as string;
    assert.throws(() => verifyWebhook(parsed, HEADER, SECRET, { now: T }), refusedFor('body_not_raw'));
  });

  it('refuses without a secret and without a header', () => {
    for (const secret of ['', [], ['']]) {
      assert.throws(() => verifyWebhook(BODY, HEADER, secret, { now: T }), refusedFor('secret_missing'));
    }
    for (const header of [undefined, null, '', []]) {
      assert.throws(() => verifyWebhook(BODY, header, SECRET, { now: T }), refusedFor('header_missing'));
    }
    assert.throws(() => verifyWebhook(BODY, [HEADER, HEADER], SECRET, { now: T }), refusedFor('header_malformed'));
    assert.throws(() => verifyWebhook(BODY, `t=${T}, ${'v1=0,'.repeat(300)}`, SECRET), refusedFor('header_malformed'));
  });

  it('refuses what is signed and is no event', () => {
    for (const body of ['', 'null', '[]', '"text"', '{"id":"evt_01"}']) {
      const header = signatureHeader(body, SECRET, T);
      assert.throws(() => verifyWebhook(body, header, SECRET, { now: T }), refusedFor('body_not_an_event'));
    }
  });

  it('takes the time from the clock and the tolerance of 300 s by itself', () => {
    const now = Math.floor(Date.now() / 1000);
    assert.ok(verifyWebhook(BODY, signatureHeader(BODY, SECRET, now), SECRET));
    assert.throws(() => verifyWebhook(BODY, signatureHeader(BODY, SECRET, now - 310), SECRET), refusedFor('too_old'));
    assert.ok(verifyWebhook(BODY, HEADER, SECRET, { tolerance: Infinity }));
    assert.throws(() => verifyWebhook(BODY, HEADER, SECRET, { tolerance: NaN }), TypeError);
  });
});
