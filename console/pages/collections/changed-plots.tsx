import type { Answer } from '../../api/client.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { formatFixed, t, tWord } from '../../text/translate.ts';

type Run = Answer<'getWatchRun'>;
type Change = Run['changes'][number];
type Unmeasured = Run['not_measured'][number];
type Numbered<Plot> = Plot & {
  /** Its row in the file, where that is known. */
  readonly row?: number;
};

interface ChangedPlotsProps {
  /** The collection that the plots are in. */
  readonly id: string;
  readonly changes: readonly Numbered<Change>[];
  readonly missing: readonly Numbered<Unmeasured>[];
  /** Plots that were not there before, and on which something is to be looked at. */
  readonly fresh?: Run['only_after_not_cleared'];
  /** Plots of each kind that are listed; the counts are of all. */
  readonly most: number;
}

/** The plots of which something else is found than before, and those that could not be measured. */
export function ChangedPlots({ id, changes, missing, fresh = [], most }: ChangedPlotsProps) {
  const hasRows = changes.some(({ row }) => row !== undefined);
  return (
    <>
      {changes.length > 0 && (
        <div class="scroll-x" tabIndex={0} role="region" aria-label={t('watch.details')}>
          <table class="plain">
            <thead>
              <tr>
                {hasRows && (
                  <th scope="col" class="number">
                    #
                  </th>
                )}
                <th scope="col">{t('watch.plot')}</th>
                <th scope="col">{t('watch.before')}</th>
                <th scope="col">{t('watch.after')}</th>
              </tr>
            </thead>
            <tbody>
              {changes.slice(0, most).map(({ row, plot, number, before, after }) => (
                <tr key={number}>
                  {hasRows && <td class="number">{row}</td>}
                  <th scope="row">
                    <PlotLink id={id} number={number} name={plot} />
                  </th>
                  <td>{findingInWords(before)}</td>
                  <td>{findingInWords(after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {fresh.length > 0 && (
        <>
          <p>{t('watch.newPlots')}</p>
          <ul class="reasons">
            {fresh.slice(0, most).map(({ plot, number, after }) => (
              <li key={number}>
                <PlotLink id={id} number={number} name={plot} />: {findingInWords(after)}
              </li>
            ))}
          </ul>
        </>
      )}
      {missing.length > 0 && (
        <>
          <p>{t('watch.missing')}</p>
          <ul class="reasons">
            {missing.slice(0, most).map(({ row, plot, number, reasons }) => (
              <li key={number}>
                {row !== undefined && `${row} · `}
                <PlotLink id={id} number={number} name={plot} />: {reasons.join('; ')}
              </li>
            ))}
          </ul>
        </>
      )}
      {Math.max(changes.length, fresh.length, missing.length) > most && (
        <p class="hint">{t('watch.more', { count: most })}</p>
      )}
    </>
  );
}

/** How many plots were found otherwise, the same or not at all. */
export function changeCounts(
  counts: Pick<NonNullable<Run['counts']>, 'changed' | 'worse' | 'better' | 'unchanged' | 'not_measured'>,
): string {
  return t('watch.counts', {
    changed: counts.changed,
    worse: counts.worse,
    better: counts.better,
    unchanged: counts.unchanged,
    missing: counts.not_measured,
  });
}

/** What was found of a plot, in a few words. */
function findingInWords({ verdict, eudr_status: status, loss_m2: loss, rules }: Change['before']): string {
  const word = verdict === null ? tWord('result', status) : tWord('convergence', verdict);
  const lost = loss === null ? t('watch.lossUnknown') : t('watch.loss', { ha: formatFixed(loss / 10_000, 2) });
  return [word, lost, ...(rules.length === 0 ? [] : [rules.join(', ')])].join(' · ');
}

interface PlotLinkProps {
  readonly id: string;
  readonly number: number;
  readonly name: string;
}

function PlotLink({ id, number, name }: PlotLinkProps) {
  return (
    <PageLink to="collections" values={{ id, tab: 'plots', sel: number }}>
      {name}
    </PageLink>
  );
}
