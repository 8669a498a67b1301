import { t, tWord } from '../../text/translate.ts';
import { FIELDS, type Preview, type Reading } from './reading.ts';
import { placeText } from './place-text.ts';

type Table = Preview['mapping'][number];
type Row = Preview['sample'][number];

interface FirstRowsProps {
  readonly table: Table;
  readonly rows: readonly Row[];
  readonly mapping: Reading['mapping'];
  /** Whether the file has several tables, so that this one says which it is. */
  readonly isNamed: boolean;
  /** Null leaves the column alone; undefined lets it be found out again. */
  readonly onChange: (column: string, field: string | null | undefined) => void;
}

/** Columns of wider tables that are shown; those with a field are all there. */
const MOST_COLUMNS = 40;
/** Values of the menu that are no field. */
const [ALONE, FOUND] = ['', 'found'] as const;

/** The first rows of a table as they stand in the file, with what each column is taken for and what becomes of each row. */
export function FirstRows({ table, rows, mapping, isNamed, onChange }: FirstRowsProps) {
  let unused = 0;
  const columns = table.columns.filter(({ field }) => field !== null || ++unused <= MOST_COLUMNS);
  return (
    <div class="first-rows">
      <h3>{isNamed ? t('intake.rowsOf', { sheet: table.name ?? '' }) : t('intake.firstRows')}</h3>
      <div class="scroll-x" role="region" aria-label={t('intake.firstRows')} tabIndex={0}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">{t('intake.row')}</th>
              {columns.map(({ column, field, why, confidence }) => (
                <th key={column} scope="col" data-field={field ?? ''}>
                  <span class="heading" title={column}>
                    {column}
                  </span>
                  <select
                    aria-label={t('intake.columnIs', { column })}
                    title={why}
                    data-corrected={Object.hasOwn(mapping, column)}
                    value={field ?? ALONE}
                    onChange={(event) => {
                      const { value } = event.currentTarget;
                      onChange(column, value === FOUND ? undefined : value === ALONE ? null : value);
                    }}
                  >
                    <option value={ALONE}>{t('intake.notUsed')}</option>
                    {FIELDS.map((name) => (
                      <option key={name} value={name}>
                        {tWord('field', name)}
                      </option>
                    ))}
                    {Object.hasOwn(mapping, column) && <option value={FOUND}>{t('intake.findOut')}</option>}
                  </select>
                  <span class="sure">
                    {Object.hasOwn(mapping, column)
                      ? t('intake.byYou')
                      : field === null
                        ? ''
                        : t(confidence >= SURE ? 'intake.sure' : 'intake.unsure')}
                  </span>
                </th>
              ))}
              <th scope="col">{t('intake.becomes')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.source_row} data-place={row.place}>
                <td class="number">{row.source_row}</td>
                {columns.map(({ column, field }) => (
                  <td key={column} class={field === null ? 'muted' : ''}>
                    <span class="cell">{String(row.cells[column] ?? '')}</span>
                  </td>
                ))}
                <td class="becomes">{placeText(row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Findings below this are worth a second look. */
const SURE = 0.75;
