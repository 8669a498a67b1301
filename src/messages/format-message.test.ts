import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatEnglish } from './format-english.ts';
import { MissingParam } from './format-message.ts';

describe('a sentence from its template', () => {
  it('has each blank as its name says, and what stands between them', () => {
    const template = '{name}: {count} of {least_share} within {within_m}.';
    const params = { name: 'Mill', count: 1_234, least_share: 0.31, within_m: 5_000 };
    assert.equal(formatEnglish(template, params), 'Mill: 1234 of 31 % within 5,000 m.');
    assert.equal(formatEnglish('{name}', params), 'Mill');
    assert.equal(formatEnglish('No blanks.', {}), 'No blanks.');
    assert.equal(formatEnglish('', {}), '');
  });

  it('has the form of the number, exact ones first, with the number for each #', () => {
    const template = '{n, plural, =0 {none} one {# plot} other {# of # plots, {what}}}';
    const written = [0, 1, 7].map((n) => formatEnglish(template, { n, what: 'x' }));
    assert.deepEqual(written, ['none', '1 plot', '7 of 7 plots, x']);
  });

  it('has the form that was chosen, the last one where there is none of that name', () => {
    const template = 'a{site, select, none {} other { ({site}, {n, plural, one {#} other {#s}})}}';
    assert.equal(formatEnglish(template, { site: 'none' }), 'a');
    assert.equal(formatEnglish(template, { site: 'toString', n: 1 }), 'a (toString, 1)');
  });

  it('is refused where a blank has no value, or a template what is not written here', () => {
    assert.throws(() => formatEnglish('{name}.', {}), MissingParam);
    assert.throws(() => formatEnglish('{n, plural, other {#}}', {}), MissingParam);
    assert.throws(() => formatEnglish('{at, date}', { at: 1 }), TypeError);
  });
});
