import { formatNumber, t } from '../../text/translate.ts';
import type { Collection } from './collection.ts';
import { Confidence } from './plots/confidence.tsx';

/** How many locations there are, and how far they can be relied on. */
export function Summary({ collection }: { readonly collection: Collection }) {
  const {
    counts,
    locations_confidence: confidence,
    confidence_counts: levels,
    confidence_reasons: reasons,
  } = collection;
  if (counts === null) return null;
  return (
    <section class="card" aria-labelledby="summary-title">
      <h2 id="summary-title">{t('collection.summary')}</h2>
      <dl class="figures">
        {(['locations', 'plots', 'facilities', 'measured', 'problems'] as const).map((name) => (
          <div key={name} class="figure">
            <dt>{t(`counts.${name}`)}</dt>
            <dd>{formatNumber(counts[name])}</dd>
          </div>
        ))}
        <div class="figure">
          <dt>{t('collections.confidence')}</dt>
          <dd>{confidence === null ? t('confidence.notRequested') : <Confidence value={confidence} />}</dd>
        </div>
      </dl>
      {levels !== null && (
        <p class="confidence-counts">
          {Object.entries(levels).map(([level, count]) => (
            <span key={level}>
              <Confidence value={level as Collection['locations_confidence']} /> {formatNumber(count)}
            </span>
          ))}
        </p>
      )}
      {reasons !== null && reasons.length > 0 && (
        <details>
          <summary>{t('confidence.reasons')}</summary>
          <ul class="reasons" lang="en">
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
