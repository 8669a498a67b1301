import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { canonicalJson } from './canonical-json.ts';
import { signatureHeader, signAttempt, standardSignature } from './sign.ts';

interface Vector {
  readonly name: string;
  readonly valid: boolean;
  readonly secret: string;
  readonly timestamp: number;
  readonly body: string;
  readonly header: string;
  readonly standard_signature?: string;
}

const SCRIPT = new URL('../../test/oracles/signatures/vectors.py', import.meta.url);
const TEXT = readFileSync(new URL('../../test/oracles/signatures/vectors.json', import.meta.url), 'utf8');
const { id, vectors } = JSON.parse(TEXT) as { id: string; vectors: readonly Vector[] };
const SIGNED = vectors.filter((vector) => vector.standard_signature !== undefined);
const missing = (command: string) => (spawnSync(command, ['-h']).error ? `there is no ${command}` : false);

describe('the signature of a webhook', () => {
  it('is that of the published vectors', () => {
    assert.ok(SIGNED.length >= 7);
    for (const { name, body, secret, timestamp, header, standard_signature: standard } of SIGNED) {
      assert.equal(signatureHeader(body, secret, timestamp), header, name);
      assert.equal(standardSignature(id, body, secret, timestamp), standard, name);
      assert.equal(canonicalJson(JSON.parse(body)), body, name);
    }
  });

  it('is what openssl computes', { skip: missing('openssl') }, () => {
    for (const { name, body, secret, timestamp, header } of SIGNED) {
      const input = `${timestamp}.${body}`;
      const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input, encoding: 'utf8' });
      assert.equal(header, `t=${timestamp}, v1=${printed.trim().split('= ')[1]}`, name);
    }
  });

  it('is what Python computes', { skip: missing('python3') }, () => {
    const printed = execFileSync('python3', [SCRIPT.pathname], { encoding: 'utf8' });
    assert.deepEqual(JSON.parse(printed), JSON.parse(TEXT));
  });

  it('refuses a time in milliseconds or with a fraction', () => {
    assert.throws(() => signatureHeader('{}', 'whsec_x', 1_732_150_080_000), /whole seconds since 1970, 10 digits/);
    assert.throws(() => signatureHeader('{}', 'whsec_x', 1_732_150_080.5), /whole seconds/);
  });
});

describe('the headers of an attempt', () => {
  const [first, second] = [SIGNED[0]!.secret, SIGNED.at(-1)!.secret];
  const body = SIGNED[0]!.body;
  const sign = (attempt: number, secrets: readonly [string, ...string[]]) =>
    signAttempt({ id, body, timestamp: 1_732_150_080, attempt, secrets });

  it('have one signature in the exact form of the specification, whatever secrets are in force', () => {
    for (const secrets of [[first], [first, second]] as const) {
      for (const attempt of [1, 2, 3, 4]) {
        assert.match(sign(attempt, secrets)['X-Service-Webhook-Signature']!, /^t=\d{10}, v1=[0-9a-f]{64}$/);
      }
    }
  });

  it('take turns between two secrets, so that a receiver with either accepts by the second attempt', () => {
    const signatures = [1, 2, 3, 4].map((attempt) => sign(attempt, [first, second])['X-Service-Webhook-Signature']);
    const [old, next] = [first, second].map((secret) => signatureHeader(body, secret, 1_732_150_080));
    assert.deepEqual(signatures, [old, next, old, next]);
    assert.equal(sign(2, [first])['X-Service-Webhook-Signature'], old);
  });

  it('carry one Standard Webhooks signature of each secret', () => {
    const headers = sign(1, [first, second]);
    assert.equal(headers['webhook-id'], id);
    assert.equal(headers['webhook-timestamp'], '1732150080');
    assert.equal(headers['webhook-signature'], `${SIGNED[0]!.standard_signature} ${SIGNED.at(-1)!.standard_signature}`);
  });

  it('need a secret of the documented form', () => {
    assert.throws(() => sign(1, ['plain']), /starts with "whsec_"/);
  });
});
