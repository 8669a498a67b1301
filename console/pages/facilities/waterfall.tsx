import { formatFixed, t, tWord } from '../../text/translate.ts';
import type { EvidenceItem } from './evidence.ts';
import type { ResultRow } from './result-row.ts';
import { waterfallSteps } from './waterfall-steps.ts';

/** The score from 1.00 down, one bar for each penalty: the arithmetic of the receipt. What is not known is hatched. */
export function Waterfall({
  evidence,
  score,
  range,
}: {
  readonly evidence: readonly EvidenceItem[];
  readonly score: number;
  readonly range: ResultRow['range'];
}) {
  const steps = waterfallSteps(evidence);
  return (
    <table class="waterfall">
      <caption class="visually-hidden">{t('facility.waterfall')}</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">{t('facility.indicator')}</th>
          <th scope="col">{t('facility.change')}</th>
          <th scope="col">{t('facility.rest')}</th>
        </tr>
      </thead>
      <tbody>
        <Bar name={t('facility.start')} from={0} to={100} kind="total" text="" rest={100} />
        {steps.map(({ indicator, penalty, before, after, isUnknown }) => (
          <Bar
            key={indicator}
            name={
              isUnknown
                ? t('facility.unknownStep', { indicator: tWord('indicator', indicator) })
                : tWord('indicator', indicator)
            }
            from={after}
            to={before}
            kind={isUnknown ? 'unknown' : 'penalty'}
            text={`−${formatFixed(penalty / 100, 2)}`}
            rest={after}
          />
        ))}
        <Bar
          name={t('facility.score')}
          from={0}
          to={Math.round(score * 100)}
          kind="score"
          text=""
          rest={Math.round(score * 100)}
          open={range}
        />
      </tbody>
    </table>
  );
}

interface BarProps {
  readonly name: string;
  /** Hundredths. */
  readonly from: number;
  readonly to: number;
  readonly kind: 'total' | 'penalty' | 'unknown' | 'score';
  readonly text: string;
  readonly rest: number;
  /** Scores that what is not known allows. */
  readonly open?: ResultRow['range'];
}

/** Hundredths of the width that the text of a change takes at most. */
const ROOM = 25;

/** Left of the bar where there is room, else right of it. */
function nextToBar(from: number, to: number): { readonly right: string } | { readonly left: string } {
  return from >= ROOM ? { right: `${100 - from}%` } : { left: `${to}%` };
}

function Bar({ name, from, to, kind, text, rest, open = null }: BarProps) {
  return (
    <tr data-kind={kind}>
      <th scope="row">{name}</th>
      <td class="waterfall-bar">
        <span class="waterfall-fill" style={{ left: `${from}%`, width: `${Math.max(0.5, to - from)}%` }} />
        {open !== null && (
          <span class="waterfall-open" style={{ left: `${100 * open[0]}%`, width: `${100 * (open[1] - open[0])}%` }} />
        )}
        {text !== '' && (
          <span class="waterfall-change" style={nextToBar(from, to)}>
            {text}
          </span>
        )}
      </td>
      <td class="waterfall-rest">{formatFixed(rest / 100, 2)}</td>
    </tr>
  );
}
