import type { Param, Params, Said } from '../said.ts';
import { recognise, recogniseReason } from './recognise.ts';

/** What says a code with parameters in another language; null where that lacks it. */
interface Speaker {
  readonly say: (code: string, params?: Params) => string | null;
}

/** An English text of ours in another language; as it is where a part of it is none of ours, or the language lacks one. */
export function inLanguage(text: string, { say }: Speaker): string {
  const found = recognise(text);
  if (found === null) {
    // A reason that stands alone, without the stop of a sentence.
    const reason = recogniseReason(text);
    return isSaid(reason) ? (say(reason.code, reason.params) ?? text) : text;
  }
  const sentences = found.map(({ code, params }) => say(code, params));
  return sentences.every((sentence) => sentence !== null) ? sentences.join(' ') : text;
}

function isSaid(param: Param): param is Said {
  return typeof param === 'object' && 'code' in param;
}
