import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiTypes } from './api-types.ts';

describe('the types of the API', () => {
  it('say what is optional, what may be null and what is a list', () => {
    const text = apiTypes({
      paths: {
        '/x/{id}': {
          get: {
            operationId: 'getX',
            parameters: [
              { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
              { name: 'limit', in: 'query', schema: { type: 'integer' } },
            ],
            responses: {
              200: {
                content: {
                  'application/json': {
                    schema: {
                      type: 'object',
                      required: ['list', 'kind'],
                      properties: {
                        list: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
                        kind: { enum: ['a', 'b'] },
                        more: { $ref: '#/components/schemas/Other' },
                      },
                    },
                  },
                },
              },
              404: { content: { 'application/problem+json': { schema: { type: 'string' } } } },
            },
          },
        },
      },
      components: { schemas: { Other: { type: ['number', 'null'] } } },
    });
    assert.match(text, /export type Other = number \| null;/);
    assert.match(text, /path: \{\n\s+id: string;\n\s+\};\n\s+query: \{\n\s+limit\?: number;/);
    assert.match(text, /list: \(string \| null\)\[\];\n\s+kind: 'a' \| 'b';\n\s+more\?: Other;/);
    assert.match(text, /getX: \['GET', '\/x\/\{id\}'\]/);
  });
});
