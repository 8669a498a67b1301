import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { canonicalJson } from './canonical-json.ts';
import { diagnoseSignature, type SignatureToDiagnose } from './diagnose-signature.ts';
import { signatureHeader } from './sign.ts';
import { SIGNATURE_MISTAKES, type SignatureMistake } from './signature-mistakes.ts';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const OLD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const T = 1_732_150_080;
const EVENT = {
  id: 'evt_01',
  type: 'batch_zonal_stats_complete',
  created_at: '2026-11-21T00:48:00.123Z',
  data: { collection_name: "Côte d'Ivoire", urls: { b: 'x', a: 'y' } },
};
const BODY = canonicalJson(EVENT);
const ASCII = canonicalJson({ ...EVENT, data: { collection_name: 'lot 7' } });
const HEADER = signatureHeader(BODY, SECRET, T);
const seen = new Set<SignatureMistake>();

function diagnose(given: Partial<SignatureToDiagnose>): { verified: boolean; codes: SignatureMistake[] } {
  const { verified, findings } = diagnoseSignature({ body: BODY, header: HEADER, secrets: [SECRET], now: T, ...given });
  for (const { code } of findings) seen.add(code);
  assert.ok(!JSON.stringify(findings).includes(SECRET.slice(6, 20)), 'a finding names the secret');
  return { verified, codes: findings.map(({ code }) => code) };
}

describe('diagnoseSignature', () => {
  it('finds nothing where nothing is wrong', () => {
    assert.deepEqual(diagnose({}), { verified: true, codes: [] });
    assert.deepEqual(diagnose({ heldSecret: SECRET, secrets: [SECRET, OLD] }), { verified: true, codes: [] });
  });

  const received: readonly (readonly [SignatureMistake, Partial<SignatureToDiagnose>])[] = [
    ['header_missing', { header: undefined }],
    ['header_malformed', { header: HEADER.toUpperCase() }],
    ['header_malformed', { header: `sha256=${HEADER.slice(-64)}` }],
    ['too_old', { now: T + 1_000 }],
    ['too_new', { now: T - 1_000 }],
    ['secret_empty', { secrets: [''] }],
    ['secret_white_space', { secrets: [`${SECRET}\n`] }],
    ['secret_quoted', { secrets: [`"${SECRET}"`] }],
    ['secret_prefix_missing', { secrets: [SECRET.slice(6)] }],
    ['body_empty', { body: '' }],
    ['body_not_text_of_json', { body: '[object Object]' }],
    [
      'body_reserialised',
      { body: JSON.stringify(JSON.parse(ASCII), null, 2), header: signatureHeader(ASCII, SECRET, T) },
    ],
    ['body_reserialised', { body: '{"b":1, "a":2}', header: signatureHeader('{"a":2,"b":1}', SECRET, T) }],
    ['body_unescaped', { body: JSON.stringify(JSON.parse(BODY)) }],
    ['body_white_space', { body: `${BODY}\r\n` }],
    ['body_byte_order_mark', { body: `\ufeff${BODY}` }],
    ['body_base64', { body: Buffer.from(BODY).toString('base64') }],
    ['body_quoted', { body: JSON.stringify(BODY) }],
    ['body_differs', { body: ASCII, sentBody: BODY }],
    ['unexplained', { body: ASCII }],
    ['unexplained', { secrets: [OLD] }],
  ];
  for (const [code, given] of received) {
    it(`names ${code} by what was received: ${JSON.stringify(Object.keys(given))}`, () => {
      assert.deepEqual(diagnose(given), { verified: false, codes: [code] });
    });
  }

  it('names two mistakes made together', () => {
    const { codes } = diagnose({ secrets: [`${SECRET}\n`], body: JSON.stringify(JSON.parse(BODY)) });
    assert.deepEqual(codes, ['secret_white_space', 'body_unescaped']);
  });

  it('evaluates the secret that the receiver holds', () => {
    const held = (heldSecret: string) => diagnose({ heldSecret, secrets: [SECRET, OLD] }).codes;
    assert.deepEqual(held(OLD), []);
    assert.deepEqual(held(` ${SECRET}`), ['secret_white_space']);
    assert.deepEqual(held(SECRET.slice(6)), ['secret_prefix_missing']);
    assert.deepEqual(held('whsec_nothing'), ['secret_wrong']);
    assert.deepEqual(held(' '), ['secret_empty']);
  });

  const hmac = (key: string | Buffer, message: string, hash = 'sha256') => createHmac(hash, key).update(message);
  const right = `${T}.${BODY}`;
  const computed: readonly (readonly [SignatureMistake, string])[] = [
    ['comparison', HEADER.slice(-64)],
    ['comparison', `v1=${HEADER.slice(-64)}\n`],
    ['digest_upper_case', HEADER.slice(-64).toUpperCase()],
    ['digest_base64', hmac(SECRET, right).digest('base64')],
    ['digest_not_hmac', createHash('sha256').update(`${SECRET}${right}`).digest('hex')],
    ['digest_other_hash', hmac(SECRET, right, 'sha512').digest('hex')],
    ['key_and_message_swapped', hmac(right, SECRET).digest('hex')],
    ['secret_prefix_missing', hmac(SECRET.slice(6), right).digest('hex')],
    ['secret_base64_decoded', hmac(Buffer.from(SECRET.slice(6), 'base64'), right).digest('hex')],
    ['secret_white_space', hmac(`${SECRET}\n`, right).digest('hex')],
    ['time_left_out', hmac(SECRET, BODY).digest('hex')],
    ['dot_left_out', hmac(SECRET, `${T}${BODY}`).digest('hex')],
    ['other_separator', hmac(SECRET, `${T}:${BODY}`).digest('hex')],
    ['time_and_body_swapped', hmac(SECRET, `${BODY}.${T}`).digest('hex')],
    ['time_in_milliseconds', hmac(SECRET, `${T}000.${BODY}`).digest('hex')],
    ['time_with_name', hmac(SECRET, `t=${T}.${BODY}`).digest('hex')],
    ['standard_webhooks_message', hmac(SECRET, `evt_01.${T}.${BODY}`).digest('hex')],
    ['body_unescaped', hmac(SECRET, `${T}.${JSON.stringify(JSON.parse(BODY))}`).digest('hex')],
    ['body_reserialised', hmac(SECRET, `${T}.${JSON.stringify(JSON.parse(BODY), null, 2)}`).digest('hex')],
    ['body_white_space', hmac(SECRET, `${right}\n`).digest('hex')],
    ['body_empty', hmac(SECRET, `${T}.`).digest('hex')],
    ['unexplained', 'ab'.repeat(32)],
  ];
  for (const [code, digest] of computed) {
    it(`names ${code} by the digest that was computed`, () => {
      assert.deepEqual(diagnose({ computed: digest }), { verified: true, codes: [code] });
    });
  }

  it('names the spaces that Python writes without separators', () => {
    const { id, type, created_at: at } = EVENT;
    const spaced = `{"created_at": "${at}", "data": {"collection_name": "a,b:c"}, "id": "${id}", "type": "${type}"}`;
    const body = canonicalJson(JSON.parse(spaced));
    const digest = hmac(SECRET, `${T}.${spaced}`).digest('hex');
    const { codes } = diagnose({ body, header: signatureHeader(body, SECRET, T), computed: digest });
    assert.deepEqual(codes, ['body_reserialised']);
  });

  it('names two mistakes of one digest', () => {
    const digest = hmac(SECRET.slice(6), BODY).digest('base64');
    assert.deepEqual(diagnose({ computed: digest }).codes, ['secret_prefix_missing', 'time_left_out', 'digest_base64']);
  });

  it('tries every combination for the largest body, too', () => {
    const body = canonicalJson({ id: 'evt_01', text: 'x'.repeat(260_000) });
    const header = signatureHeader(body, SECRET, T);
    assert.deepEqual(diagnose({ body, header, computed: '00'.repeat(32) }).codes, ['unexplained']);
  });

  it('has met every mistake of the table', () => {
    assert.deepEqual(
      Object.keys(SIGNATURE_MISTAKES).filter((code) => !seen.has(code as SignatureMistake)),
      [],
    );
  });
});
