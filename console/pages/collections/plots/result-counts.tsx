import { goTo, hrefOf, param } from '../../../state/address.ts';
import { formatNumber } from '../../../text/translate.ts';
import { ResultBadge } from './result-badge.tsx';
import { RESULTS, type Result } from './result-status.ts';

interface ResultCountsProps {
  readonly counts: Readonly<Record<string, number>>;
  /** Without links, for plots that are not of this collection alone. */
  readonly isPlain?: boolean;
}

/** Plots by result, as a bar and as links to the plots themselves. */
export function ResultCounts({ counts, isPlain = false }: ResultCountsProps) {
  const shown = RESULTS.filter((result) => (counts[result] ?? 0) > 0);
  const target = (res: string) => ({ id: param('id'), tab: 'plots', from: param('from'), to: param('to'), res });
  return (
    <>
      <div class="result-bar" aria-hidden="true">
        {shown.map((result) => (
          <span key={result} data-result={result} style={{ flexGrow: counts[result] ?? 0 }} />
        ))}
      </div>
      <ul class="result-counts">
        {shown.map((result) => (
          <li key={result}>
            {isPlain ? (
              <Count result={result} count={counts[result] ?? 0} />
            ) : (
              <a
                href={hrefOf('collections', target(result))}
                onClick={(event) => {
                  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                  event.preventDefault();
                  goTo('collections', target(result));
                }}
              >
                <Count result={result} count={counts[result] ?? 0} />
              </a>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Count({ result, count }: { readonly result: Result; readonly count: number }) {
  return (
    <>
      <strong>{formatNumber(count)}</strong> <ResultBadge result={result} />
    </>
  );
}
