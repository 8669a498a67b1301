import { nat, type Arbitrary } from 'fast-check';

/** Half surrogates, which are no characters, lie in between. */
const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Every code point: the unit `binary` of fast-check. That one keeps a map of all 1.1 million to tell which text holds them: a second of
 * processor time and 100 megabytes in each process that draws a text.
 */
export const anyCharacter: Arbitrary<string> = nat(0x10_ff_ff - SURROGATES.count).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (text) => {
    const code = typeof text === 'string' ? (text.codePointAt(0) ?? -1) : -1;
    const isHalf = code >= SURROGATES.first && code < SURROGATES.first + SURROGATES.count;
    if (code < 0 || isHalf || text !== String.fromCodePoint(code)) throw new Error('this is not one character');
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);
