import { Problem } from '../../errors.ts';
import type { Answer, FacilitySources, MaybeAnswer } from '../../facilities/sources.ts';
import { firstAnswerOrFailure } from '../../first-answer.ts';

/** The questions that several datasets can answer. */
const QUESTIONS = [
  'whereabouts',
  'commodityShare',
  'plantationShare',
  'nearestRoad',
  'nearestWater',
  'nearestPort',
  'buildings',
  'businesses',
  'density',
  'producer',
] as const satisfies readonly (keyof FacilitySources)[];

type Question = (typeof QUESTIONS)[number];
export type SourceLayer = Partial<Pick<FacilitySources, Question>>;
type Source = (...question: never[]) => MaybeAnswer<unknown>;
type Report = NonNullable<FacilitySources['reportFailure']>;

/**
 * Queries to layers of sources, best first: the first one that covers the place answers. One that fails is
 * passed over where a later one answers, and the receipt of that answer says so; with none left its failure stands. A
 * question that no layer knows is covered nowhere. Sources that answer at once are queried at once.
 */
export function layerSources(layers: readonly SourceLayer[], reportFailure: Report): Required<SourceLayer> {
  const joined = QUESTIONS.map((question) => {
    const sources = layers.flatMap((layer) => (layer[question] === undefined ? [] : [bound(layer, question)]));
    return [question, sources.length === 1 ? sources[0] : inTurn(question, sources, reportFailure)] as const;
  });
  return Object.fromEntries(joined) as Required<SourceLayer>;
}

function bound(layer: SourceLayer, question: Question): Source {
  return (layer[question] as Source).bind(layer);
}

function inTurn(question: Question, sources: readonly Source[], report: Report): Source {
  const note = (answer: Answer<unknown>, failure: Failure): Answer<unknown> => noted(answer, failure, question, report);
  return (...args) => firstAnswerOrFailure(sources, (source) => source(...args), { note });
}

export interface Failure {
  readonly error: unknown;
}

/** An answer in whose receipt an earlier failure is reported. */
export function noted(
  answer: Answer<unknown>,
  failure: Failure | null,
  question: Question,
  report: Report,
): Answer<unknown> {
  if (failure === null) return answer;
  report(question, failure.error);
  const reason = failure.error instanceof Problem ? failure.error.message : 'A dataset that was queried before failed';
  const { dataset } = answer;
  const note = `${reason}, so another dataset answered.`;
  const said = { code: 'note.other_dataset_answered', message: note };
  return {
    ...answer,
    dataset: {
      ...dataset,
      note: dataset.note === undefined ? note : `${dataset.note} ${note}`,
      notes: [...(dataset.notes ?? []), said],
    },
  };
}
