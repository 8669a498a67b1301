import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptedLanguage } from './languages.ts';

describe('the language of an answer', () => {
  it('is the one the header likes best', () => {
    const wishes = {
      '': 'en',
      de: 'de',
      'de-AT,de;q=0.9,en;q=0.8': 'de',
      'pt-PT': 'pt-BR',
      'PT-br': 'pt-BR',
      'en;q=0.4, th;q=0.7, vi;q=0.6': 'th',
      'sv, nl;q=0.9': 'en',
      'sv, fr;q=0.2': 'fr',
      '*': 'en',
      'fr;q=0, id': 'id',
      'fr;q=0': 'en',
      'en-GB,es;q=0.9': 'en',
      ';;;,,=,q': 'en',
    };
    for (const [header, language] of Object.entries(wishes)) assert.equal(acceptedLanguage(header), language, header);
    assert.equal(acceptedLanguage(undefined), 'en');
  });
});
