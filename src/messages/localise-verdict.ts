import { isRecord } from '../is-record.ts';
import { word, type Said } from './said.ts';
import type { Translator } from './translator.ts';

type Members = Record<string, unknown>;

/** What an indicator of a verdict says, as the receipt gives it. */
interface Outcome {
  readonly indicator: string;
  readonly state: string;
  readonly agreement: string;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/** Shown next to a verdict; no rule needs them. */
const DECIDE_NOTHING: ReadonlySet<string> = new Set(['natural_land', 'protected_land']);

/** Whether the members are the verdict of all sources together: its comment can be made again from what stands next to it. */
export function isVerdict(members: Members): boolean {
  return (
    typeof members['verdict'] === 'string' &&
    typeof members['comment'] === 'string' &&
    typeof members['is_open'] === 'boolean' &&
    Array.isArray(members['rules']) &&
    Array.isArray(members['indicators']) &&
    Array.isArray(members['votes'])
  );
}

/** Writes the comment of a verdict in another language: what decided or is not known, and who disagrees. */
export function localiseVerdict(members: Members, { say }: Translator): void {
  const { rules, is_open: isOpen, crop_group: cropGroup, votes } = members;
  const verdict = word(`term.verdict.${String(members['verdict'])}`, String(members['verdict']));
  const indicators = members['indicators'] as readonly Outcome[];
  const unknown = indicators.filter((one) => one.state === 'unknown' && !DECIDE_NOTHING.has(one.indicator));
  const first =
    isOpen === false
      ? say('verdict.by_rules', { verdict, rules_list: rules as readonly string[] })
      : cropGroup === null
        ? say('verdict.no_commodity', { verdict })
        : say('verdict.unknown', { verdict, unknown_list: unknown.map(indicatorWord) });
  const disagreements = indicators
    .filter(({ agreement }) => agreement === 'disagree')
    .map((one) => say('verdict.disagreement', { indicator: indicatorWord(one), yes_list: one.yes, no_list: one.no }));
  const isSynthetic = (votes as readonly unknown[]).some((vote) => isRecord(vote) && vote['synthetic'] === true);
  const sentences = [first, ...disagreements, ...(isSynthetic ? [say('verdict.synthetic')] : [])];
  if (sentences.every((sentence) => sentence !== null)) members['comment'] = sentences.join(' ');
}

function indicatorWord({ indicator }: Outcome): Said {
  return word(`term.indicator.${indicator}`, indicator.replaceAll('_', ' '));
}
