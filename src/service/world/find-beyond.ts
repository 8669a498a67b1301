import { classOf } from '../../facilities/checks/building.ts';
import type {
  Answer,
  BuildingsNearby,
  BusinessesNearby,
  FacilitySources,
  MaybeAnswer,
} from '../../facilities/sources.ts';
import { noted, type Failure, type SourceLayer } from './source-layers.ts';

/** What the last resort may answer: whether an answer found nothing, and whether one found enough to change that. */
interface Rule<T> {
  isNothing(value: T): boolean;
  isEnough(value: T): boolean;
}

const NEAREST: Rule<unknown> = { isNothing: (value) => value === null, isEnough: (value) => value !== null };
const RULES = {
  nearestRoad: NEAREST,
  nearestWater: NEAREST,
  nearestPort: NEAREST,
  buildings: {
    isNothing: ({ count, industrial }: BuildingsNearby) => count === 0 && !industrial,
    // Small buildings alone would say that there are no others, which nobody knows there.
    isEnough: (value: BuildingsNearby) => classOf(value) !== 'none',
  },
  businesses: {
    isNothing: ({ count }: BusinessesNearby) => count === 0,
    isEnough: ({ count }: BusinessesNearby) => count > 0,
  },
} as const;

type Question = keyof typeof RULES;
type Questions = Pick<FacilitySources, Question>;
type Report = NonNullable<FacilitySources['reportFailure']>;
/** The four questions of three values, and that of four. */
type Source = (a: never, b: never, c: never, d: never) => MaybeAnswer<unknown>;

/**
 * The same questions, with `beyond` queried last, where the answer is unknown or that nothing was found: it answers for places that its data does
 * not cover, so what it finds counts and nothing else. Where it fails, the answer before it stands.
 */
export function findBeyondLast(questionsOf: Questions, beyond: SourceLayer, report: Report): Questions {
  const questions = Object.keys(RULES) as readonly Question[];
  return Object.fromEntries(
    questions.map((question) => [question, inTurn(question, questionsOf[question], beyond[question], report)]),
  ) as Questions;
}

function inTurn(question: Question, first: Source, last: Source | undefined, report: Report): Source {
  if (last === undefined) return first;
  const { isNothing, isEnough } = RULES[question] as Rule<unknown>;
  const isFound = (answer: Answer<unknown> | null): boolean => answer !== null && !isNothing(answer.value);

  // No closure here: most questions end with what is found at once.
  return (a, b, c, d) => {
    let answer: MaybeAnswer<unknown>;
    try {
      answer = first(a, b, c, d);
    } catch (error) {
      return queryLast(null, { error }, a, b, c, d);
    }
    if (answer instanceof Promise) return settle(answer, a, b, c, d);
    return isFound(answer) ? answer : queryLast(answer, null, a, b, c, d);
  };

  function settle(
    pending: Promise<Answer<unknown> | null>,
    ...args: Parameters<Source>
  ): Promise<Answer<unknown> | null> {
    return pending.then(
      (answer) => (isFound(answer) ? answer : queryLast(answer, null, ...args)),
      (error: unknown) => queryLast(null, { error }, ...args),
    );
  }

  function queryLast(
    before: Answer<unknown> | null,
    failure: Failure | null,
    ...args: Parameters<Source>
  ): MaybeAnswer<unknown> {
    let answer: MaybeAnswer<unknown> = null;
    try {
      answer = (last as Source)(...args);
    } catch (error) {
      report(question, error);
    }
    if (!(answer instanceof Promise)) return chosen(before, answer, failure);
    const reported = answer.catch((error: unknown) => (report(question, error), null));
    return reported.then((later) => chosen(before, later, failure));
  }

  function chosen(
    before: Answer<unknown> | null,
    answer: Answer<unknown> | null,
    failure: Failure | null,
  ): Answer<unknown> | null {
    if (answer !== null && isEnough(answer.value)) return noted(answer, failure, question, report);
    if (failure !== null) throw failure.error;
    return before;
  }
}
