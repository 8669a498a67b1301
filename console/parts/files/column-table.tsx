import { t } from '../../text/translate.ts';

interface ColumnTableProps {
  readonly columns: readonly {
    readonly column: string;
    readonly field: string | null;
    readonly why: string;
  }[];
}

/** What each column of a table was taken for, and why. */
export function ColumnTable({ columns }: ColumnTableProps) {
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">{t('report.column')}</th>
          <th scope="col">{t('report.field')}</th>
          <th scope="col">{t('report.why')}</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(({ column, field, why }) => (
          <tr key={column}>
            <td>{column}</td>
            <td>{field ?? '–'}</td>
            <td class="muted" lang="en">
              {why}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
