import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { formatTraceparent, parseTraceparent } from './tracing.ts';

const hex = (digits: number) =>
  fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: digits, maxLength: digits }).map((all) => all.join(''));

describe('a traceparent', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, sampled) => {
        fc.pre(!/^0+$/.test(traceId) && !/^0+$/.test(spanId));
        const context = { traceId, spanId, sampled };
        assert.deepEqual(parseTraceparent(formatTraceparent(context)), context);
      }),
    );
  });

  it('is nothing else, whatever a client sends', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        assert.equal(parseTraceparent(text), null);
      }),
    );
    const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    for (const text of [
      `ff-${trace}-${span}-01`,
      `00-${trace}-${span}-01-more`,
      `00-${'0'.repeat(32)}-${span}-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
      `00-${trace.toUpperCase()}-${span}-01`,
    ])
      assert.equal(parseTraceparent(text), null, text);
    assert.deepEqual(parseTraceparent(`01-${trace}-${span}-03-more`), { traceId: trace, spanId: span, sampled: true });
  });
});
