/** The digit 0 of scripts in which numbers of tables are written; the other nine follow it. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10] as const;
/** Marks of numbers outside ASCII: the Arabic decimal and thousands separators and comma, the ideographic comma and space. */
const MARKS: Readonly<Record<string, string>> = { '٫': '.', '٬': ',', '،': ',', '、': ',', '\u3000': ' ' };

/**
 * A text with the digits of other scripts, the full-width letters and marks of East Asian keyboards and the separators of Arabic
 * numbers as ASCII has them, and without marks of direction. `６．５`, `٦٫٥` and `6.5` are then the same.
 */
export function plainCharacters(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[\p{Nd}\uff01-\uff5e٫٬،、\u3000]/gu, (character) => MARKS[character] ?? plainCharacter(character));
}

function plainCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const zero = ZEROS.find((first) => code >= first && code <= first + 9);
  if (zero !== undefined) return String(code - zero);
  return code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - 0xfee0) : character;
}
