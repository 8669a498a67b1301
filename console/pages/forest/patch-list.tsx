import { setParams } from '../../state/address.ts';
import { formatNumber, t, tWord } from '../../text/translate.ts';
import type { ForestAnswer } from './lookup.ts';

/** The answers of a batch, one a line; the chosen one is described below. */
export function PatchList({ answer, chosen }: { readonly answer: ForestAnswer; readonly chosen: number }) {
  const found = answer.features.filter(({ geometry }) => geometry !== null).length;
  return (
    <section>
      <h2>{t('forest.found', { found, count: answer.features.length })}</h2>
      <ol class="patch-list" tabIndex={0} aria-label={t('forest.list')}>
        {answer.features.map(({ properties: p }, i) => (
          <li key={i}>
            <button type="button" aria-pressed={i === chosen} onClick={() => setParams({ sel: i })}>
              <span class="muted">{i + 1}</span>
              <span class="mono">{p.input_point === null ? '–' : `${p.input_point[1]}, ${p.input_point[0]}`}</span>
              <span>
                {p.area_ha === null
                  ? tWord('warning', p.warnings[0]?.code ?? 'invalid_point')
                  : `${formatNumber(p.area_ha)} ha`}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
