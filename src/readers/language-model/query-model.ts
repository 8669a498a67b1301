import { generateText, NoObjectGeneratedError, Output, type LanguageModel } from 'ai';
import type { z } from 'zod';
import { Problem } from '../../errors.ts';
import { createBreaker } from '../live/circuit-breaker.ts';
import { sharedGate } from '../live/shared-gate.ts';
import type { UpstreamState } from '../live/upstream.ts';

export interface ModelQueryOptions {
  /** Opens the model when it is first needed. */
  readonly open: () => Promise<LanguageModel>;
  /** Time for one question, waiting for its turn and one more attempt included, in milliseconds. */
  readonly deadlineMs: number;
  readonly state: UpstreamState;
  /** What messages call it, such as `The language model that reads text`. */
  readonly name: string;
}

interface ModelQuestion<T> {
  readonly instructions: string;
  readonly prompt: string;
  /** Shape of the reply. */
  readonly schema: z.ZodType<T>;
  readonly maxTokens: number;
}

/** Requests from a language model replies of a given shape, in turn with its other users. Rejects with `Problem` when it fails. */
export function createModelQuery({ open, deadlineMs, state, name }: ModelQueryOptions) {
  const gate = sharedGate(state.gate, { leaseMs: deadlineMs + 1_000 });
  const breaker = createBreaker(state.breaker);
  let opened: Promise<LanguageModel> | null = null;

  return async <T>({ instructions, prompt, schema, maxTokens }: ModelQuestion<T>, signal: AbortSignal): Promise<T> => {
    const both = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    try {
      return await gate.run(both, async () => {
        if (breaker.refuses() !== null)
          throw new Problem('dependency_unavailable', `${name} failed before and is left alone for a while.`);
        opened ??= open();
        opened.catch(() => (opened = null));
        const { output } = await generateText({
          model: await opened,
          instructions,
          prompt,
          output: Output.object({ schema }),
          maxOutputTokens: maxTokens,
          maxRetries: 1,
          abortSignal: both,
        });
        breaker.succeeded();
        return output as T;
      });
    } catch (error) {
      if (signal.aborted || error instanceof Problem) throw error;
      // A reply of the wrong shape comes from a model that is there.
      const isShape = NoObjectGeneratedError.isInstance(error);
      if (!isShape) breaker.failed();
      const what = isShape ? 'gave a reply of another shape' : 'failed or gave no reply in time';
      throw new Problem('dependency_unavailable', `${name} ${what}.`, { cause: error });
    }
  };
}
