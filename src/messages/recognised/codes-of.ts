import { partsOf, type TextPart } from '../text.ts';
import type { Text } from '../text.ts';
import { recognise, recogniseReason } from './recognise.ts';

/** English texts of ours by the name of the property that holds them. */
type Texts = Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** What a text says, or each text of a list; null: it has no code. */
type Codes = readonly TextPart[] | readonly (readonly TextPart[] | null)[];

/**
 * The codes of texts that the service put together in English, or has stored so, as `messages` next to them. Only ever called with
 * texts of our own: words of a caller have no codes. A text of which a part has no code is left out, and stays English.
 */
export function codesOf(texts: Texts): { readonly messages?: Readonly<Record<string, Codes>> } {
  const messages: Record<string, Codes> = {};
  for (const [name, value] of Object.entries(texts)) {
    const codes = typeof value === 'string' ? partsIn(value) : value == null ? null : value.map(partsIn);
    if (codes !== null && codes.some((one) => one !== null)) messages[name] = codes;
  }
  return Object.keys(messages).length === 0 ? {} : { messages };
}

/** The same objects, each with the codes of the text that it holds under a name. */
export function eachWithCodes<Name extends string, Item extends { readonly [N in Name]: string }>(
  items: readonly Item[],
  name: Name,
): (Item & ReturnType<typeof codesOf>)[] {
  return items.map((item) => ({ ...item, ...codesOf({ [name]: item[name] }) }));
}

function partsIn(value: string): readonly TextPart[] | null {
  const text = textIn(value);
  return text === null ? null : partsOf(text);
}

/** The sentences of a text of ours; null where a part of it has no code. */
export function textIn(value: string): Text | null {
  const found = recognise(value);
  if (found !== null) return found;
  // A reason that stands alone, without the stop of a sentence.
  const reason = recogniseReason(value);
  return typeof reason === 'object' && 'code' in reason ? [reason] : null;
}
