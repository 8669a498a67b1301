import { language, t } from '../../text/translate.ts';

interface ColumnTableProps {
  readonly columns: readonly {
    readonly column: string;
    readonly field: string | null;
    readonly why: string;
  }[];
}

/** What each column of a table was taken for, and why. */
export function ColumnTable({ columns }: ColumnTableProps) {
  // The service says why in English alone.
  const saysWhy = language.value === 'en';
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">{t('report.column')}</th>
          <th scope="col">{t('report.field')}</th>
          {saysWhy && <th scope="col">{t('report.why')}</th>}
        </tr>
      </thead>
      <tbody>
        {columns.map(({ column, field, why }) => (
          <tr key={column}>
            <td>{column}</td>
            <td>{field ?? '–'}</td>
            {saysWhy && <td class="muted">{why}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
