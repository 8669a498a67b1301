import type { Config } from '../../config/settings.ts';
import type { FacilitySources } from '../../facilities/sources.ts';
import type { ProposeColumns } from '../../locations/columns/column-question.ts';
import type { ProseReader } from '../../readers/language-model/read-prose.ts';
import type { AnswerCache } from '../../readers/live/answer-cache.ts';
import type { UpstreamState } from '../../readers/live/upstream.ts';
import type { LanguageModelName } from '../../config/parsers.ts';

/** What a language model is used for. */
interface LanguageModelUses {
  /** Words the comment on a facility. */
  readonly comment: NonNullable<FacilitySources['comment']>;
  /** Finds places in prose. */
  readonly readProse: ProseReader;
  /** Proposes fields for columns. */
  readonly proposeColumns: ProposeColumns;
}

interface LanguageModelOptions {
  readonly state: UpstreamState;
  readonly cache: AnswerCache | null;
  /** Time for a comment, in milliseconds. */
  readonly commentMs: number;
  /** Age up to which a kept reply is used, in milliseconds. */
  readonly freshMs: number;
}

/** Time a language model has for a piece of a text, and for proposing what the columns of a table are. */
const MODEL_MS = { prose: 60_000, columns: 15_000 } as const;

/** Prepares the uses of a language model; the packages it takes are loaded when the first of them is needed. */
export function openLanguageModel(
  { provider, model: name }: LanguageModelName,
  { languageModelKey: key, languageModelUrl: url }: Pick<Config, 'languageModelKey' | 'languageModelUrl'>,
  { state, cache, commentMs, freshMs }: LanguageModelOptions,
): LanguageModelUses {
  const model = `${provider}:${name}`;
  const open = async () =>
    (await import('../../readers/language-model/open-model.ts')).openModel({ provider, model: name, key, url });
  const comment = once(async () =>
    (await import('../../readers/language-model/comment-source.ts')).commentSource({
      open,
      model,
      deadlineMs: commentMs,
      state,
      cache,
      freshMs,
    }),
  );
  const prose = once(async () =>
    (await import('../../readers/language-model/read-prose.ts')).proseReader({
      open,
      deadlineMs: MODEL_MS.prose,
      state,
    }),
  );
  const columns = once(async () =>
    (await import('../../readers/language-model/propose-columns.ts')).columnProposer({
      open,
      model,
      deadlineMs: MODEL_MS.columns,
      state,
      cache,
      freshMs,
    }),
  );
  return {
    comment: async (facts, signal) => (await comment())(facts, signal),
    readProse: async (text, signal) => (await prose())(text, signal),
    proposeColumns: async (question, signal) => (await columns())(question, signal),
  };
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => (loading ??= load());
}
