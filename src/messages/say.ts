import { formatEnglish } from './format-english.ts';
import type { Params, Said } from './said.ts';

/** The English sentences of a subject: code -> template in ICU message syntax. */
type Templates = Readonly<Record<string, string>>;

/** Says it in English. The code is that of `templates`; the catalogues of the other languages know it by the same. */
export function say(templates: Templates, code: string, params: Params = {}): Said {
  return { code, params, message: formatEnglish(templates[code]!, params) };
}
