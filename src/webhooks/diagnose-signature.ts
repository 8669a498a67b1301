import { canonicalJson } from './canonical-json.ts';
import { explainDigest, hmacHex } from './explain-digest.ts';
import { SIGNATURE_MISTAKES, type SignatureMistake } from './signature-mistakes.ts';
import { parseSignatureHeader, verifyWebhook, WebhookRefused, type VerifyOptions } from './verify-webhook.ts';

/** What a receiver has, and what else is known. */
export interface SignatureToDiagnose extends VerifyOptions {
  /** The body as the receiver has it. */
  readonly body: string;
  /** `X-Service-Webhook-Signature` as the receiver has it. */
  readonly header: string | null | undefined;
  /** The true secrets in force, in any order; or the one that the receiver holds where nobody knows better. */
  readonly secrets: readonly string[];
  /** The secret as the receiver holds it, when it says so. */
  readonly heldSecret?: string;
  /** The digest that the receiver computed, when it says so. */
  readonly computed?: string;
  /** The body as it was sent, when it is known. */
  readonly sentBody?: string;
}

export interface SignatureFinding {
  readonly code: SignatureMistake;
  readonly detail: string;
  readonly fix: string;
}

interface SignatureDiagnosis {
  /** True when header, body and secrets fit together as they were given. */
  readonly verified: boolean;
  /** Every mistake found; empty only when there is none. */
  readonly findings: readonly SignatureFinding[];
}

/**
 * Says why a signature is not accepted: repairs body and secret in every way that receivers are known to break them
 * until the header fits, and computes digests in every wrong way until one is the receiver's. Names no secret.
 */
export function diagnoseSignature(given: SignatureToDiagnose): SignatureDiagnosis {
  const refusal = refusalOf(given);
  const codes = new Set<SignatureMistake>();
  for (const code of heldSecretMistakes(given)) codes.add(code);
  for (const code of refusal === null ? [] : explainRefusal(refusal, given)) codes.add(code);
  for (const code of computedMistakes(given)) codes.add(code);
  return {
    verified: refusal === null,
    findings: [...codes].map((code) => ({ code, ...SIGNATURE_MISTAKES[code] })),
  };
}

/** Why the header is refused, or null when it fits. A body that is no event is none of our business here. */
function refusalOf({ body, header, secrets, now, tolerance }: SignatureToDiagnose): WebhookRefused | null {
  try {
    verifyWebhook(body, header, secrets, {
      ...(now !== undefined && { now }),
      ...(tolerance !== undefined && { tolerance }),
    });
    return null;
  } catch (error) {
    if (!(error instanceof WebhookRefused)) throw error;
    return error.reason === 'body_not_an_event' ? null : error;
  }
}

function explainRefusal({ reason }: WebhookRefused, given: SignatureToDiagnose): readonly SignatureMistake[] {
  switch (reason) {
    case 'signature_mismatch':
      return findRepairs(given);
    case 'secret_missing':
      return ['secret_empty'];
    case 'body_not_raw':
    case 'body_not_an_event':
      return ['body_not_text_of_json'];
    default:
      return [reason];
  }
}

type Repair = readonly [mistakes: readonly SignatureMistake[], text: string];

/** The fewest repairs of body and secret after which the header fits. */
function findRepairs({ body, header, secrets, sentBody }: SignatureToDiagnose): readonly SignatureMistake[] {
  if (body.trim() === '') return ['body_empty'];
  if (/^\[object \w+\]$/.test(body)) return ['body_not_text_of_json'];
  const { timestamp, signatures } = parseSignatureHeader(header);
  const wanted = new Set(signatures.map((signature) => signature.toString('hex')));
  const bodies = repairedBodies(body, sentBody);
  const repairs = secrets
    .flatMap(repairedSecrets)
    .flatMap(([ofSecret, secret]) =>
      bodies.map(([ofBody, text]) => ({ codes: [...ofSecret, ...ofBody], secret, text })),
    )
    .sort((a, b) => a.codes.length - b.codes.length);
  const found = repairs.find(({ secret, text }) => wanted.has(hmacHex(secret, `${timestamp}.${text}`)));
  if (found !== undefined) return found.codes;
  return sentBody !== undefined && sentBody !== body ? ['body_differs'] : ['unexplained'];
}

function repairedSecrets(secret: string): readonly Repair[] {
  const trimmed = secret.trim();
  const bare = trimmed.replace(/^(["'])(.*)\1$/, '$2');
  return distinct([
    [[], secret],
    [['secret_white_space'], trimmed],
    [['secret_quoted'], bare],
    [['secret_prefix_missing'], `whsec_${bare}`],
  ]);
}

function repairedBodies(body: string, sentBody: string | undefined): readonly Repair[] {
  const bare = body.replace(/^\ufeff/, '');
  const decoded = /^[A-Za-z0-9+/=\s]+$/.test(body) ? Buffer.from(body, 'base64').toString('utf8') : body;
  const parsed = parse(bare);
  const rewritten = parsed === undefined ? body : (canonical(parsed) ?? body);
  return distinct([
    [[], body],
    [['body_byte_order_mark'], bare],
    [['body_white_space'], bare.trim()],
    [['body_base64'], decoded],
    [['body_quoted'], typeof parsed === 'string' ? parsed : body],
    [[/[^\0-\x7f]/.test(bare) ? 'body_unescaped' : 'body_reserialised'], rewritten],
    [['body_differs'], sentBody ?? body],
  ]);
}

/** The first repair that leads to each text: later ones that change nothing are no explanation. */
function distinct(repairs: readonly Repair[]): readonly Repair[] {
  return [...new Map(repairs.toReversed().map((repair) => [repair[1], repair])).values()];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function canonical(value: unknown): string | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}

function heldSecretMistakes({ heldSecret, secrets }: SignatureToDiagnose): readonly SignatureMistake[] {
  if (heldSecret === undefined || secrets.includes(heldSecret)) return [];
  if (heldSecret.trim() === '') return ['secret_empty'];
  const repair = repairedSecrets(heldSecret).find(([, text]) => secrets.includes(text));
  return repair?.[0] ?? ['secret_wrong'];
}

function computedMistakes(given: SignatureToDiagnose): readonly SignatureMistake[] {
  const { computed, body, sentBody, header, secrets, heldSecret } = given;
  if (computed === undefined) return [];
  const { timestamp, signatures } = headerParts(header) ?? { timestamp: null, signatures: [] };
  if (timestamp === null) return [];
  const digest = computed.trim().replace(/^(v1|sha256)=/, '');
  if (signatures.some((signature) => signature.toString('hex') === digest)) return ['comparison'];
  const keys = [...new Set([...secrets, ...(heldSecret === undefined ? [] : [heldSecret])])];
  const bodies = [...new Set([body, sentBody ?? body])];
  for (const secret of keys) {
    for (const text of bodies) {
      const mistakes = explainDigest({ digest, timestamp, body: text, secret });
      if (mistakes !== null && mistakes.length > 0) return mistakes;
    }
  }
  return ['unexplained'];
}

function headerParts(header: SignatureToDiagnose['header']): ReturnType<typeof parseSignatureHeader> | null {
  try {
    return parseSignatureHeader(header);
  } catch (error) {
    if (error instanceof WebhookRefused) return null;
    throw error;
  }
}
