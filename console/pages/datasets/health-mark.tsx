import { t } from '../../text/translate.ts';
import type { Health } from './dataset.ts';

const SIGNS = {
  local: '●',
  held: '✓',
  broken: '✕',
  unreachable: '▲',
  unstated: '○',
  unchecked: '○',
} as const satisfies Record<Health, string>;

/** How well a dataset answers, as a sign and in words. */
export function HealthMark({ state }: { readonly state: Health }) {
  return (
    <span class="health" data-state={state}>
      <span aria-hidden="true">{SIGNS[state]}</span> {t(`datasets.health.${state}`)}
    </span>
  );
}
