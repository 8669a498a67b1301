import { DetailPart } from '../../../parts/detail.tsx';
import { hrefOf } from '../../../state/address.ts';
import { formatFixed, t, tWord } from '../../../text/translate.ts';
import { formatQuantity } from '../format-quantity.ts';
import type { PlotFeature } from './plot-row.ts';

type ConvergenceReceipt = NonNullable<PlotFeature['properties']['convergence']>;
type Vote = ConvergenceReceipt['votes'][number];
type Change = ConvergenceReceipt['would_change'][number];

/** The looks of levels that verdicts and states have: colour and shape. */
const VERDICT_LOOKS = { low: 'high', more_information_needed: 'medium', high: 'low' } as const;
const STATE_LOOKS = { yes: 'medium', no: 'none', unknown: 'invalid' } as const;

/** What all layers together say of a plot: the verdict, every vote by its question, and what would change it. */
export function Convergence({ convergence }: { readonly convergence: ConvergenceReceipt }) {
  const { verdict, crop_group: group, rules, comment, indicators, votes, would_change: changes } = convergence;
  return (
    <DetailPart title={t('convergence.title')}>
      <p class="detail-line">
        <Level look={VERDICT_LOOKS[verdict]} text={t(`convergence.${verdict}`)} />
        <span class="muted small">{[group, ...rules].filter((word) => word !== null).join(' · ')}</span>
      </p>
      <p class="notice">{comment}</p>
      <ul class="evidence">
        {indicators.map(({ indicator, state, agreement }) => (
          <li key={indicator}>
            <div class="evidence-head">
              <span class="evidence-name">{tWord('layer', indicator)}</span>
              <Level look={STATE_LOOKS[state]} text={t(`vote.${state}`)} />
              {agreement === 'disagree' && <span class="tag">{t('convergence.disagree')}</span>}
            </div>
            {votes
              .filter((vote) => vote.indicator === indicator)
              .map((vote) => (
                <VoteLine key={`${vote.dataset} ${vote.commodity}`} vote={vote} />
              ))}
          </li>
        ))}
      </ul>
      {changes.length > 0 && (
        <>
          <h4>{t('convergence.wouldChange')}</h4>
          <ul class="small">
            {changes.map((change) => (
              <li key={`${change.indicator} ${change.from} ${change.to}`}>{changeText(change)}</li>
            ))}
          </ul>
        </>
      )}
    </DetailPart>
  );
}

function VoteLine({ vote }: { readonly vote: Vote }) {
  const { dataset, version, commodity, state, area_ha: area, share, date, reason, counts, synthetic, contract } = vote;
  // What a detection head was evaluated on.
  const ground = vote.embeddings === null ? null : `${vote.embeddings.dataset} ${vote.embeddings.year}`;
  const isEntry = contract !== 'derived';
  return (
    <p class="small">
      {t(`vote.${state}`)}: {isEntry ? <a href={hrefOf('datasets', { id: dataset })}>{dataset}</a> : dataset}{' '}
      <span class="muted">
        {[version, commodity, ground ?? date, counts ? null : t('vote.notCounted')]
          .filter((word) => word !== null)
          .join(' · ')}
        {area !== null && share !== null && (
          <>
            {' '}
            · {formatQuantity(area)} {t('unit.ha')} ({formatFixed(share * 100, 1)} %)
          </>
        )}
        {reason !== null && <> · {reason}</>}
      </span>{' '}
      {synthetic && <span class="tag">{t('synthetic')}</span>}
    </p>
  );
}

function Level({ look, text }: { readonly look: string; readonly text: string }) {
  return (
    <span class="level" data-level={look}>
      <span class="level-dot" aria-hidden="true" />
      {text}
    </span>
  );
}

/** A vote of any of the datasets, and the verdict that it would lead to. */
function changeText({ indicator, datasets, to, verdict }: Change): string {
  const who = datasets.length === 0 ? t('convergence.anyDataset') : datasets.join(' / ');
  return `${tWord('layer', indicator)}: ${t(`vote.${to}`)} (${who}) → ${t(`convergence.${verdict}`)}`;
}
