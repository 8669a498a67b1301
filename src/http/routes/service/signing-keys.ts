import { Type } from 'typebox';
import type { Signatures } from '../../../service/signatures/signatures.ts';
import { keySetOf, pemOf } from '../../../signatures/signing-key.ts';
import type { App } from '../../server/app.ts';

const KEYS_PATH = '/.well-known/firstmile-signing-keys';

const TimeOrNull = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });

const KeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.Literal('OKP'),
        crv: Type.Literal('Ed25519'),
        x: Type.String({ description: 'The key in base64url.' }),
        kid: Type.String({ description: 'RFC 7638 thumbprint of the key.' }),
        alg: Type.Literal('EdDSA'),
        use: Type.Literal('sig'),
        created_at: TimeOrNull('Since when it signs.'),
        retired_at: TimeOrNull('Since when it signs no more; null: it is the one in use.'),
      }),
    ),
  },
  { description: 'A JWK set, the newest key first. Keys that are retired stay, so that old files verify.' },
);

/** The public keys of signatures, for anybody. */
export function signingKeyRoutes(signatures: Pick<Signatures, 'keys'>) {
  return (app: App): void => {
    app.get(
      `${KEYS_PATH}.json`,
      {
        config: { access: 'public', produces: ['application/json'] },
        schema: {
          operationId: 'getSigningKeys',
          summary: 'The public keys that files and answers are signed with',
          description: 'Ed25519, as a JWK set. `firstmile verify` and the page `/verify` take it. See docs/verify.md.',
          tags: ['service'],
          response: { 200: KeySet },
        },
      },
      async (_request, reply) => {
        reply.header('cache-control', 'public, max-age=60');
        return reply.send(keySetOf(await signatures.keys()) as never);
      },
    );
    app.get(
      `${KEYS_PATH}.pem`,
      {
        config: { access: 'public', produces: [] },
        schema: {
          operationId: 'getSigningKeysPem',
          summary: 'The same keys as PEM',
          description: 'One after the other, the newest first, each after a line with its id. openssl reads the first.',
          tags: ['service'],
          response: {
            200: { description: 'The keys.', content: { 'application/x-pem-file': { schema: Type.String() } } },
          },
        },
      },
      async (_request, reply) => {
        reply.header('cache-control', 'public, max-age=60').type('application/x-pem-file');
        return reply.send(pemOf(await signatures.keys()));
      },
    );
  };
}
