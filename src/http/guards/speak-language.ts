import { Readable } from 'node:stream';
import { parseJson } from '../../geo/parse-json.ts';
import { acceptedLanguage, LANGUAGE_CODES, type Language } from '../../messages/languages.ts';
import { localise } from '../../messages/localise.ts';
import { translatorFor, type Translator } from '../../messages/translator.ts';
import { PROBLEM_TYPE } from '../problems/send-problem.ts';
import type { AnyReply, App } from '../server/app.ts';
import { addVary } from './vary.ts';

/** Answers with sentences that are given in other languages. The description of the API is the same for everybody. */
const WITH_SENTENCES = /^application\/(json|geo\+json|x-ndjson)(?:;|$)/;
const THE_SAME_FOR_ALL: ReadonlySet<string> = new Set(['/openapi.json', '/mcp']);

/** The language of the answer that a request has already, where it names one. */
const wantedLanguages = new WeakMap<object, Language>();

/** A longer line, in characters, is passed on as it is: no single feature is that long. */
const LONGEST_LINE = 64_000_000;

/**
 * Answers in the language that `Accept-Language` wants. Every answer is made in English with codes and parameters next to the
 * sentences, stored ones too; here, last, the sentences are written again from those. What is wanted in English passes
 * untouched. CSV, files for download and what leads elsewhere keep their English.
 */
export function speakLanguages(app: App): void {
  app.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    const tags = headers['if-none-match'];
    if (tags !== undefined && TAG_OF_LANGUAGE.test(tags)) {
      const language = acceptedLanguage(headers['accept-language']);
      const own = tagsIn(tags, language);
      if (own === '') delete headers['if-none-match'];
      else {
        headers['if-none-match'] = own;
        wantedLanguages.set(raw, language);
      }
    }
    done();
  });
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    if (reply.statusCode === 304) {
      tagUnchanged(reply, wantedLanguages.get(request.raw));
      return payload;
    }
    if (isProblem(reply)) return problemIn(acceptedLanguage(request.headers['accept-language']), reply, payload);
    if (!isLocalised(reply, request.routeOptions.url)) return payload;
    addVary(reply, 'accept-language');
    const language = acceptedLanguage(request.headers['accept-language']);
    reply.header('content-language', language);
    tagLanguage(reply, language);
    const translator = await translatorFor(language);
    if (translator === null) return payload;
    if (payload instanceof Readable) {
      reply.removeHeader('content-length');
      return Readable.from(inLines(payload, translator), { objectMode: false });
    }
    const text = Buffer.isBuffer(payload) ? payload.toString('utf8') : payload;
    if (typeof text !== 'string' || text === '') return payload;
    reply.removeHeader('content-length');
    return isNdjson(reply)
      ? text
          .split('\n')
          .map((line) => inLanguage(line, translator))
          .join('\n')
      : whole(text, translator);
  });
}

function isLocalised(reply: AnyReply, url: string | undefined): boolean {
  return (
    WITH_SENTENCES.test(String(reply.getHeader('content-type') ?? '')) &&
    !reply.hasHeader('content-encoding') &&
    !reply.hasHeader('content-disposition') &&
    !THE_SAME_FOR_ALL.has(url ?? '')
  );
}

function isProblem(reply: AnyReply): boolean {
  return String(reply.getHeader('content-type') ?? '').startsWith(PROBLEM_TYPE);
}

/**
 * A problem in a language: its title, and each detail whose sentences are known. `Content-Language` names English too where
 * one of them stays so.
 */
async function problemIn(language: Language, reply: AnyReply, payload: unknown): Promise<unknown> {
  addVary(reply, 'accept-language');
  const translator = await translatorFor(language);
  if (translator === null || typeof payload !== 'string') {
    reply.header('content-language', 'en');
    return payload;
  }
  const problem = JSON.parse(payload) as ProblemJson;
  const details = [problem, ...(problem.errors ?? [])];
  const english = details.map(({ detail }) => detail);
  localise(problem, translator);
  const isWhole = details.every(({ detail }, i) => detail !== english[i]);
  problem.title = translator.say(`problem.${problem.code}`) ?? problem.title;
  reply.header('content-language', isWhole ? language : `${language}, en`);
  const text = JSON.stringify(problem);
  if (reply.hasHeader('content-length')) reply.header('content-length', Buffer.byteLength(text));
  return text;
}

/** What of a problem is words. */
interface ProblemJson {
  title: string;
  detail: string;
  readonly code: string;
  readonly errors?: { detail: string }[];
}

function isNdjson(reply: AnyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('application/x-ndjson');
}

/** A whole JSON text; what cannot be read, or is too deep to be gone through, is passed on as it is. */
function whole(text: string, translator: Translator): string {
  try {
    const value = parseJson(text);
    localise(value, translator);
    return JSON.stringify(value);
  } catch {
    return text;
  }
}

/**
 * A stream of features, each on a line of its own, as NDJSON and our GeoJSON both are: a line is one JSON object, which in
 * GeoJSON a comma follows, or the end of the collection with its `properties`.
 */
async function* inLines(chunks: Readable, translator: Translator): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  // Pieces of the line that has not ended, joined once it has: a long one is not gone through again with each chunk.
  let rest: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk as Uint8Array, { stream: true });
    const end = text.lastIndexOf('\n');
    if (end >= 0) {
      const lines = `${rest.join('')}${text.slice(0, end)}`.split('\n');
      yield `${lines.map((line) => inLanguage(line, translator)).join('\n')}\n`;
      [rest, length] = [[], 0];
    }
    const open = text.slice(end + 1);
    rest.push(open);
    length += open.length;
    if (length <= LONGEST_LINE) continue;
    yield rest.join('');
    [rest, length] = [[], 0];
  }
  const last = rest.join('') + decoder.decode();
  if (last !== '') yield inLanguage(last, translator);
}

const END_OF_COLLECTION = /^(\],"properties":)(\{.*\})\}$/;

function inLanguage(line: string, translator: Translator): string {
  const end = END_OF_COLLECTION.exec(line);
  if (end !== null) return `${end[1]}${whole(end[2]!, translator)}}`;
  if (!line.startsWith('{')) return line;
  return line.endsWith(',') ? `${whole(line.slice(0, -1), translator)},` : whole(line, translator);
}

/** How the tag of an answer with sentences ends. */
const TAG_OF_LANGUAGE = new RegExp(`\\.(${LANGUAGE_CODES.join('|')})"`);

/** Tags as handlers know them: those of the wanted language without it, and none of another language. */
function tagsIn(tags: string, language: Language): string {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => (TAG_OF_LANGUAGE.exec(tag)?.[1] ?? language) === language)
    .map((tag) => tag.replace(TAG_OF_LANGUAGE, '"'))
    .join(', ');
}

/** An answer that a client has already, in its language. */
function tagUnchanged(reply: AnyReply, language: Language | undefined): void {
  if (language === undefined) return;
  addVary(reply, 'accept-language');
  reply.header('content-language', language);
  tagLanguage(reply, language);
}

/** The same answer in another language is another one to a cache. */
function tagLanguage(reply: AnyReply, language: Language): void {
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string') reply.header('etag', etag.replace(/"$/, `.${language}"`));
}
