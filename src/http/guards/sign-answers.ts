import { Readable } from 'node:stream';
import { Type, type TObject } from 'typebox';
import { Problem } from '../../errors.ts';
import type { SignatureDocument } from '../../signatures/signature-document.ts';
import type { Signatures } from '../../service/signatures/signatures.ts';
import type { AnyReply, AnyRequest, App } from '../server/app.ts';

/** What a client gets in place of the answer: a document with the answer in it, or one about it. */
const FORMS = ['enveloping', 'detached'] as const;
type Form = (typeof FORMS)[number];

/** Bytes of an answer that a document encloses. */
export const ENVELOPED_BYTES = 16_000_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the answer is, in words, where it can be had signed: such as `facility receipt`. */
    signable?: string;
  }
  interface FastifyRequest {
    /** Which signature the client wants; null: none. */
    signature: Form | null;
  }
}

const SignatureParameter = Type.Optional(
  Type.Unsafe<Form>({
    type: 'string',
    enum: [...FORMS],
    description:
      'Answers a signature document in place of the answer: `enveloping` with the answer in it, `detached` about the bytes that the same request answers without this parameter. See docs/verify.md.',
  }),
);

/**
 * Routes that say what they answer are answered signed for whoever gives the parameter `signature`. The answer is made as
 * it always is, and then signed. Without `signatures` the parameter is unknown.
 */
export function signAnswers(app: App, signatures: Pick<Signatures, 'sign'> | undefined): void {
  app.decorateRequest('signature', null);
  if (signatures === undefined) return;
  app.addHook('onRoute', ({ config, schema }) => {
    if (config?.signable === undefined || schema === undefined) return;
    const { properties = {}, ...rest } = (schema.querystring ?? { additionalProperties: false }) as TObject;
    schema.querystring = Type.Object({ ...properties, signature: SignatureParameter }, rest);
  });
  // Before the query is checked: handlers and their filters by column never see the parameter.
  app.addHook('preValidation', async (request) => {
    const query = request.query as Record<string, unknown> | null;
    if (request.routeOptions.config.signable === undefined || query === null || !Object.hasOwn(query, 'signature'))
      return;
    const wanted = query['signature'];
    delete query['signature'];
    if (wanted === '') return;
    request.signature = FORMS.find((form) => form === String(wanted).toLowerCase()) ?? unknownForm(wanted);
    // What is signed is made now, whatever the client has already.
    delete request.headers['if-none-match'];
  });
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const { signature: form } = request;
    if (form === null || reply.statusCode !== 200 || request.method === 'HEAD') return payload;
    // Once: the problem that signing may end with is sent as it is.
    request.signature = null;
    const document = await signedAnswer(signatures, request, reply, form, payload);
    const name = `${nameOf(request, reply)}.sig.json`;
    for (const header of ['content-length', 'etag', 'content-encoding']) reply.removeHeader(header);
    reply.type('application/json; charset=utf-8');
    reply.header('content-disposition', `attachment; filename="${name}"`);
    return JSON.stringify(document, null, 2);
  });
}

async function signedAnswer(
  signatures: Pick<Signatures, 'sign'>,
  request: AnyRequest,
  reply: AnyReply,
  form: Form,
  payload: unknown,
): Promise<SignatureDocument> {
  const isText = /json|csv|text/.test(String(reply.getHeader('content-type')));
  if (form === 'enveloping' && !isText)
    throw refusal('signature: wanted detached, because the answer is no text; got enveloping.');
  const kept: Uint8Array[] = [];
  let size = 0;
  async function* seen(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of chunksOf(payload)) {
      size += chunk.length;
      if (form === 'enveloping') {
        if (size > ENVELOPED_BYTES)
          throw refusal(
            `signature: wanted detached for an answer of over ${ENVELOPED_BYTES} bytes, or a smaller part of it; got enveloping.`,
          );
        kept.push(chunk);
      }
      yield chunk;
    }
  }
  const document = await signatures.sign({
    what: request.routeOptions.config.signable!,
    request: `${request.method} ${withoutSignature(request.url)}`,
    name: nameOf(request, reply),
    bytes: seen(),
  });
  return form === 'enveloping' ? { ...document, payload: Buffer.concat(kept).toString('utf8') } : document;
}

async function* chunksOf(payload: unknown): AsyncGenerator<Uint8Array, void> {
  if (payload instanceof Readable) for await (const chunk of payload) yield Buffer.from(chunk as Uint8Array | string);
  else if (typeof payload === 'string' || Buffer.isBuffer(payload)) yield Buffer.from(payload as string);
}

/** The request that answers the same without a signature. */
function withoutSignature(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  searchParams.delete('signature');
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams.toString()}`;
}

const EXTENSIONS: readonly (readonly [RegExp, string])[] = [
  [/geo\+json/, 'geojson'],
  [/ndjson/, 'ndjson'],
  [/json/, 'json'],
  [/csv/, 'csv'],
  [/zip/, 'zip'],
];

/** The name a browser would give the file, else that of the address. */
function nameOf({ routeOptions }: AnyRequest, reply: AnyReply): string {
  const [, given] = /filename="([^"]+)"/.exec(String(reply.getHeader('content-disposition') ?? '')) ?? [];
  if (given !== undefined) return given;
  const type = String(reply.getHeader('content-type') ?? '');
  const extension = EXTENSIONS.find(([pattern]) => pattern.test(type))?.[1] ?? 'txt';
  const path = (routeOptions.url ?? '').split('/').filter((part) => part !== '' && !part.startsWith(':'));
  return `${path.join('-') || 'answer'}.${extension}`;
}

function unknownForm(got: unknown): never {
  throw refusal(`signature: wanted ${FORMS.join(' or ')}, got ${JSON.stringify(String(got).slice(0, 100))}.`);
}

function refusal(detail: string): Problem {
  return new Problem('invalid_parameter', detail, {
    errors: [{ pointer: '/query/signature', code: 'invalid', detail }],
  });
}
