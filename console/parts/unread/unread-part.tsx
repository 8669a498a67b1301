import { useEffect, useState } from 'preact/hooks';
import { ErrorNotice, Loading, MessageDetails } from '../notice.tsx';
import { formatNumber, t, tWord } from '../../text/translate.ts';
import '../review-file/review-file.css';
import { sentence } from '../review-file/sentence.ts';
import {
  correctedFile,
  unreadRow,
  withoutRow,
  type Corrections,
  type ListedRow,
  type ReadTable,
  type UnreadRow,
} from './unread-rows.ts';

interface UnreadPartProps {
  /** The rows whose place cannot be read; the same list as long as nothing about it changes. */
  readonly rows: readonly ListedRow[];
  readonly tables: readonly ReadTable[];
  /** Name of the file that was checked. */
  readonly file: string;
  /** The whole feature of a row. */
  readonly detail: (index: number) => Promise<unknown>;
  readonly onSelect: (index: number) => void;
  /** What becomes of the corrected rows, where that is not to be expected. */
  readonly hint?: string;
  /** Checks some rows alone, with the columns as they were read before. */
  readonly onCheck: (file: File, mapping: Readonly<Record<string, string | null>>) => Promise<void>;
}

/** Rows that are listed at most; the others come into view as these are mended. */
const SHOWN = 50;
/** Rows that are shown at first. */
const FIRST = 3;

/** The rows whose place cannot be read, with the reason and boxes to correct it, and a check of these alone. */
export function UnreadPart({ rows: found, tables, file, hint, detail, onSelect, onCheck }: UnreadPartProps) {
  const [unread, setUnread] = useState<readonly UnreadRow[] | null>(null);
  const [corrections, setCorrections] = useState<Corrections>(new Map());
  const [error, setError] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  const [isWhole, setWhole] = useState(false);

  useEffect(() => {
    let isLeft = false;
    const shown = found.slice(0, SHOWN);
    Promise.all(shown.map(async (row) => unreadRow((await detail(row.index)) as never, row, tables))).then(
      (read) => isLeft || setUnread(read),
      (reason: unknown) => isLeft || setError(reason),
    );
    return () => {
      isLeft = true;
    };
  }, [found, tables]);

  if (found.length === 0) return null;

  function correct({ index, cells }: UnreadRow, column: string, text: string): void {
    const { [column]: _, ...others } = corrections.get(index) ?? {};
    const own = text === textOf(cells[column]) ? others : { ...others, [column]: text };
    const rest = [...corrections].filter(([key]) => key !== index);
    setCorrections(new Map(Object.keys(own).length === 0 ? rest : [...rest, [index, own]]));
  }

  async function check(): Promise<void> {
    setSending(true);
    setError(null);
    try {
      const corrected = correctedFile(unread ?? [], corrections, tables, file);
      await onCheck(corrected.file, corrected.mapping);
    } catch (reason) {
      setError(reason);
    }
    setSending(false);
  }

  return (
    <details class="unread-rows" open>
      <summary>{t('unread.title', { count: found.length })}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        <p class="muted">
          {t('unread.hint')} {hint}
        </p>
        {error !== null && <ErrorNotice error={error} />}
        {unread === null ? (
          <Loading />
        ) : (
          <ul>
            {unread.slice(0, isWhole ? SHOWN : FIRST).map((row) => (
              <Item
                key={row.index}
                row={row}
                own={corrections.get(row.index) ?? {}}
                onSelect={() => onSelect(row.index)}
                onText={(column, text) => correct(row, column, text)}
              />
            ))}
          </ul>
        )}
        {isWhole && found.length > SHOWN && (
          <p class="muted">{t('intake.andMore', { count: formatNumber(found.length - SHOWN) })}</p>
        )}
        <div class="actions">
          {!isWhole && found.length > FIRST && (
            <button type="button" class="button small" onClick={() => setWhole(true)}>
              {t('unread.all', { count: formatNumber(found.length) })}
            </button>
          )}
          <button type="submit" class="button small primary" disabled={corrections.size === 0 || isSending}>
            {t('unread.check', { count: corrections.size })}
          </button>
        </div>
      </form>
    </details>
  );
}

interface ItemProps {
  readonly row: UnreadRow;
  readonly own: Readonly<Record<string, string>>;
  readonly onSelect: () => void;
  readonly onText: (column: string, text: string) => void;
}

function Item({ row, own, onSelect, onText }: ItemProps) {
  const number = t('intake.rowNumber', { number: String(row.row) });
  return (
    <li data-corrected={Object.keys(own).length > 0}>
      <p>
        <button type="button" class="link" onClick={onSelect}>
          {number}
        </button>{' '}
        <strong>{row.name}</strong>
      </p>{' '}
      <Reasons of={row.reasons} row={row.row} />
      <div class="row">
        {row.columns.map((column) => (
          <label key={column} class="cell-edit">
            <span>{column}</span>
            <input
              aria-label={`${number}, ${column}`}
              value={own[column] ?? textOf(row.cells[column])}
              onInput={(event) => onText(column, event.currentTarget.value)}
            />
          </label>
        ))}
      </div>
    </li>
  );
}

/** Why the place of a row cannot be read, and what can be done about it. */
export function Reasons({ of, row }: { readonly of: UnreadRow['reasons']; readonly row: number }) {
  return of.map(({ code, params, message, fix }) => (
    <div key={message} class="reason">
      {/* Its message begins with these words. */}
      {code !== 'invalid_geometry' && `${tWord('warning', code)}. `}
      <span class="muted">
        {sentence(withoutRow(message, row))} {fix}
      </span>
      <MessageDetails params={params} />
    </div>
  ));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
