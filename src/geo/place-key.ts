/**
 * The name of a place without case, accents, spaces and punctuation: `Hou Jie` and `Houjie`, `São Luís` and `Sao Luis`
 * have one key. Empty for a text without letters or digits.
 */
export function placeKey(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[đøłıðæœß]/g, (letter) => PLAIN[letter] ?? letter)
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

/** Letters that Unicode does not take apart. */
const PLAIN: Readonly<Record<string, string>> = { đ: 'd', ø: 'o', ł: 'l', ı: 'i', ð: 'd', æ: 'ae', œ: 'oe', ß: 'ss' };
