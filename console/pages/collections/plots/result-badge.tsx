import { t } from '../../../text/translate.ts';
import { RESULT_LOOKS, type Result } from './result-status.ts';

/** The result of a plot as a dot and words; the dots differ in shape as well as in colour. */
export function ResultBadge({ result }: { readonly result: Result | null }) {
  if (result === null) return <span class="muted">–</span>;
  return (
    <span class="level" data-level={RESULT_LOOKS[result]}>
      <span class="level-dot" aria-hidden="true" />
      {t(`result.${result}`)}
    </span>
  );
}
