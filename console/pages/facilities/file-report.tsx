import { ColumnTable } from '../../parts/files/column-table.tsx';
import { formatNumber, t, tWord } from '../../text/translate.ts';
import { formatName } from '../../parts/files/format-name.ts';

interface Table {
  readonly name: string | null;
  readonly rows: number;
  readonly skipped: string | null;
  readonly columns: readonly {
    readonly column: string;
    readonly field: string | null;
    readonly confidence: number;
    readonly why: string;
  }[];
}

/** How the file was understood: its format, what each column was taken for, and what was assumed. */
export function FileReport({ summary }: { readonly summary: Readonly<Record<string, unknown>> | null }) {
  if (summary === null) return null;
  const tables = (summary['tables'] ?? []) as readonly Table[];
  const remarks = (summary['remarks'] ?? []) as readonly string[];
  const warnings = (summary['warnings'] ?? []) as readonly { code: string; count: number; fix: string }[];
  return (
    <details class="file-report">
      <summary>{t('report.title', { format: formatName(String(summary['format'] ?? '')) })}</summary>
      {remarks.map((remark) => (
        <p key={remark}>{remark}</p>
      ))}
      {warnings.map(({ code, count, fix }) => (
        <p key={code}>
          <strong>{tWord('warning', code)}</strong> ({formatNumber(count)}): {fix}
        </p>
      ))}
      {tables.map(({ name, rows, skipped, columns }, i) => (
        <section key={i}>
          <h2>
            {name ?? t('report.table')} · {t('report.rows', { count: rows })}
          </h2>
          {skipped !== null && <p>{skipped}</p>}
          <ColumnTable columns={columns} />
        </section>
      ))}
    </details>
  );
}
