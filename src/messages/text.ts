import type { Params, Said } from './said.ts';

/** A text of one sentence or a few, each as code, parameters and English. */
export type Text = readonly Said[];

/** A sentence of a text as answers give it: without its English, which stands next to it as a whole. */
export interface TextPart {
  readonly code: string;
  readonly params: Params;
}

/** A sentence, its English written where it is made. */
export function said(code: string, message: string, params: Params = {}): Said {
  return { code, params, message };
}

/** The English of a text. */
export function english(text: Text): string {
  return text.map(({ message }) => message).join(' ');
}

/** The codes of a text. */
export function partsOf(text: Text): readonly TextPart[] {
  return text.map(({ code, params = {} }) => ({ code, params }));
}
