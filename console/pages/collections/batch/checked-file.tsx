import { ColumnTable } from '../../../parts/files/column-table.tsx';
import { formatNumber, t, tWord } from '../../../text/translate.ts';
import type { CheckedFile } from './batch-order.ts';

const COUNTS = [
  'locations',
  'plots',
  'facilities',
  'with_geometry',
  'to_geocode',
  'without_place',
  'producers',
  'plots_without_producer',
] as const;

/** What a file would become: how its columns are read, what it holds and what is wrong with it. Nothing of it is stored. */
export function Checked({ found }: { readonly found: CheckedFile }) {
  const { mapping, counts, problems, remarks } = found;
  return (
    <section class="checked-file" aria-labelledby="checked-title">
      <h3 id="checked-title">{t('checked.title')}</h3>
      <p role="status">{t('checked.notStored', { format: found.format })}</p>
      <dl class="figures">
        {COUNTS.map((name) => (
          <div key={name} class="figure">
            <dt>{tWord('counts', name)}</dt>
            <dd>{formatNumber(counts[name])}</dd>
          </div>
        ))}
      </dl>
      <h4>{t('checked.problems')}</h4>
      {problems.length === 0 && <p>{t('checked.noProblems')}</p>}
      <ul class="checked-problems">
        {problems.map(({ code, count, example, fix }) => (
          <li key={code}>
            <strong>{tWord('warning', code)}</strong> ({formatNumber(count)}):{' '}
            <span lang="en">
              {example} {fix}
            </span>
          </li>
        ))}
      </ul>
      {remarks.map((remark) => (
        <p key={remark} lang="en">
          {remark}
        </p>
      ))}
      {mapping.map(({ name, skipped, columns }, i) => (
        <div key={i}>
          <h4>{name ?? t('checked.columns')}</h4>
          {skipped !== null && <p lang="en">{skipped}</p>}
          {columns.length > 0 && <ColumnTable columns={columns} />}
        </div>
      ))}
    </section>
  );
}
