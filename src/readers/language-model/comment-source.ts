import { generateText, NoObjectGeneratedError, Output, type LanguageModel } from 'ai';
import { z } from 'zod';
import { Problem } from '../../errors.ts';
import type { Answer, CommentFacts } from '../../facilities/sources.ts';
import type { AnswerCache } from '../live/answer-cache.ts';
import { createBreaker, type BreakerOptions } from '../live/circuit-breaker.ts';
import { liveAnswer } from '../live/live-answer.ts';
import { sharedGate } from '../live/shared-gate.ts';
import type { UpstreamState } from '../live/upstream.ts';
import { commentPrompt, LANGUAGE_MODEL_ID, type CommentPrompt } from './comment-prompt.ts';

/** Most characters of a reply before names are filled in. */
const LONGEST_REPLY = 1_200;

interface CommentSourceOptions {
  /** Opens the model when the first comment is requested. */
  readonly open: () => Promise<LanguageModel>;
  /** What the model is called in keys of kept replies. */
  readonly model: string;
  /** Time for one comment, waiting for its turn and one more attempt included, in milliseconds. */
  readonly deadlineMs: number;
  readonly state: UpstreamState;
  readonly cache: AnswerCache | null;
  /** Age up to which a kept reply to the same facts is used, in milliseconds. */
  readonly freshMs: number;
  readonly breaker?: BreakerOptions;
}

const SCHEMA = z.object({ comment: z.string().min(1).max(2_000) });
/** More than three sentences take. */
const MAX_TOKENS = 400;

/** Has a language model word a facility's comment. What fails or is refused throws, and the comment is composed instead. */
export function commentSource(options: CommentSourceOptions) {
  const { deadlineMs, state, cache, freshMs, model } = options;
  const gate = sharedGate(state.gate, { leaseMs: deadlineMs + 1_000 });
  const breaker = createBreaker(state.breaker, options.breaker);
  let opened: Promise<LanguageModel> | null = null;
  const open = (): Promise<LanguageModel> => {
    opened ??= options.open();
    opened.catch(() => (opened = null));
    return opened;
  };

  async function requestComment(prompt: CommentPrompt, signal: AbortSignal): Promise<string> {
    const deadline = AbortSignal.timeout(deadlineMs);
    const both = AbortSignal.any([signal, deadline]);
    try {
      return await gate.run(both, async () => {
        if (breaker.refuses() !== null)
          throw new Problem('dependency_unavailable', 'The language model failed before and is left alone for a while');
        const { output } = await generateText({
          model: await open(),
          instructions: prompt.system,
          prompt: prompt.facts,
          output: Output.object({ schema: SCHEMA }),
          maxOutputTokens: MAX_TOKENS,
          maxRetries: 1,
          abortSignal: both,
        });
        breaker.succeeded();
        return output.comment;
      });
    } catch (error) {
      if (signal.aborted || error instanceof Problem) throw error;
      // A reply of the wrong shape comes from a model that is there.
      if (!NoObjectGeneratedError.isInstance(error)) breaker.failed();
      throw failure(error, deadline.aborted, deadlineMs);
    }
  }

  return async (facts: CommentFacts, signal: AbortSignal): Promise<Answer<string>> => {
    const prompt = commentPrompt(facts);
    const key = `${LANGUAGE_MODEL_ID} ${model} ${prompt.system} ${prompt.facts}`;
    const kept = (await cache?.get(key)) ?? null;
    const isFresh = kept !== null && Date.now() - kept.retrievedAt <= freshMs;
    const reply = isFresh ? kept.body : await requestComment(prompt, signal);
    const comment = readReply(reply, prompt);
    const retrievedAt = isFresh ? kept.retrievedAt : Date.now();
    if (!isFresh) await cache?.put(key, { body: reply, retrievedAt });
    return liveAnswer(LANGUAGE_MODEL_ID, { retrievedAt, ageMs: 0, failure: null }, comment);
  };
}

function failure(error: unknown, isLate: boolean, deadlineMs: number): Problem {
  const words = isLate
    ? `gave no reply within ${deadlineMs} ms`
    : NoObjectGeneratedError.isInstance(error)
      ? 'gave a reply of another shape'
      : 'failed';
  return new Problem('dependency_unavailable', `The language model ${words}`, { cause: error });
}

/**
 * The comment a model's reply makes: placeholders filled in with the names they stand for. Throws a `Problem` for a reply that
 * says what it was not given: another placeholder, or a number that is no distance of the facts.
 */
function readReply(reply: string, { names, numbers }: Pick<CommentPrompt, 'names' | 'numbers'>): string {
  const text = reply.trim();
  if (text === '') throw refused('is empty');
  if (text.length > LONGEST_REPLY) throw refused(`is longer than ${LONGEST_REPLY} characters`);
  const plain = text.replaceAll(/\{\{\w*\}\}/g, (placeholder) => {
    if (!names.has(placeholder)) throw refused('has a placeholder that stands for nothing');
    return '';
  });
  if (/[{}]/.test(plain)) throw refused('has braces in addition to its placeholders');
  for (const [number] of plain.matchAll(/\d[\d,.]*/g))
    if (!isAllowed(number, numbers)) throw refused('has a number that is not among the facts');
  return text.replaceAll(/\{\{\w*\}\}/g, (placeholder) => names.get(placeholder) ?? '');
}

function isAllowed(text: string, numbers: ReadonlySet<string>): boolean {
  const bare = text.replace(/[.,]+$/, '');
  return numbers.has(bare) || numbers.has(bare.replaceAll(',', ''));
}

function refused(why: string): Problem {
  return new Problem('dependency_unavailable', `The reply of the language model ${why}`);
}
