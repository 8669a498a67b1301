import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { testServer } from '../../test/memory/test-server.ts';

interface Content {
  readonly schema?: TSchema & { readonly examples?: readonly unknown[] };
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

describe('the examples of answers', () => {
  it('are what their schemas say', async () => {
    await using server = testServer();
    const { paths } = (await server.app.inject('/openapi.json')).json<{
      paths: Record<string, Record<string, Operation>>;
    }>();
    let seen = 0;
    const wrong: string[] = [];
    for (const { operationId, responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
      for (const [status, { content = {} }] of Object.entries(responses)) {
        // A problem is a schema that all of them share.
        if (!status.startsWith('2')) continue;
        for (const { schema, example } of Object.values(content)) {
          if (schema === undefined) continue;
          const compiled = Compile(schema);
          for (const one of [...(example === undefined ? [] : [example]), ...(schema.examples ?? [])]) {
            seen++;
            const [fault] = compiled.Errors(one);
            if (fault !== undefined) wrong.push(`${operationId} ${status} ${fault.instancePath}: ${fault.message}`);
          }
        }
      }
    assert.deepEqual(wrong, []);
    assert.ok(seen >= 10, String(seen));
  });
});
