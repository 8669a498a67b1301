import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { never } from '../../../test/facility-sources.ts';
import { json, MISBEHAVIOURS, openLiveSite, type LiveHandler } from '../../../test/live-site.ts';
import type { ColumnQuestion } from '../../locations/columns/column-question.ts';
import type { AnswerCache, CachedAnswer } from '../live/answer-cache.ts';
import { createUpstreamState } from '../live/upstream.ts';
import { openModel } from './open-model.ts';
import { columnProposer } from './propose-columns.ts';

const QUESTION: ColumnQuestion = {
  table: 'Deliveries',
  unsure: [{ column: 'Entity', shapes: ['Aaaa Aaaa'] }],
  known: [{ column: 'lat', field: 'latitude' }],
  fields: ['supplier_name', 'name'],
};

function memoryCache(): AnswerCache {
  const kept = new Map<string, CachedAnswer>();
  return {
    get: (key) => Promise.resolve(kept.get(key) ?? null),
    put: (key, answer) => Promise.resolve(void kept.set(key, answer)),
  };
}

const replying = (content: string): LiveHandler =>
  json({
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });

function proposer(url: string, cache: AnswerCache | null = null) {
  return columnProposer({
    open: () => openModel({ provider: 'openai-compatible', model: 'm', key: null, url: `${url}/v1` }),
    model: 'm',
    deadlineMs: 300,
    state: createUpstreamState(2),
    cache,
    freshMs: 60_000,
  });
}

const site = openLiveSite();

describe('a language model that proposes columns', () => {
  it('is queried once for the same columns, and null is no proposal', async () => {
    const columns = [
      { column: 'Entity', field: 'supplier_name' },
      { column: 'Other', field: null },
    ];
    site.handler = replying(JSON.stringify({ columns }));
    const queryModel = proposer(site.base, memoryCache());
    const first = await queryModel(QUESTION, never);
    assert.deepEqual(first, [{ column: 'Entity', field: 'supplier_name' }]);
    assert.deepEqual(await queryModel(QUESTION, never), first);
    assert.equal(site.requests.length, 1);
  });

  for (const [name, handler] of Object.entries(MISBEHAVIOURS))
    it(`fails with a sentence within its deadline when the server ${name}`, async () => {
      site.handler = handler;
      await assert.rejects(proposer(site.base)(QUESTION, never), /The language model that proposes columns /);
    });
});
