import { useRef } from 'preact/hooks';
import { t } from '../../text/translate.ts';
import {
  chooseColumns,
  choosable,
  columnChoice,
  isShown,
  moved,
  ordered,
  ownName,
  turned,
  type TableName,
} from './column-choice.ts';

interface ColumnsMenuProps {
  readonly table: TableName;
  readonly columns: readonly { readonly key: string; readonly title: string }[];
  /** Called when it opens: which columns the file has is found out then. */
  readonly onOpen?: () => void;
}

/** Chooses the columns of a table and their order, by keys or by dragging. */
export function ColumnsMenu({ table, columns, onOpen }: ColumnsMenuProps) {
  const choice = columnChoice(table).value;
  const dragged = useRef<number | null>(null);
  const all = choosable(ordered(columns, choice));
  const keys = all.map(({ key }) => key);
  const move = (from: number, to: number): void => chooseColumns(table, { ...choice, order: moved(keys, from, to) });
  const toggle = (key: string): void => chooseColumns(table, turned({ ...choice, order: keys }, key));
  return (
    <details
      class="columns-menu"
      onToggle={(event) => {
        if (event.currentTarget.open) onOpen?.();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.open = false;
      }}
    >
      <summary class="button small">{t('columns.title')}</summary>
      <div class="columns-list">
        <ul>
          {all.map(({ key, title }, i) => (
            <li
              key={key}
              draggable
              onDragStart={() => void (dragged.current = i)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => {
                event.preventDefault();
                if (dragged.current !== null) move(dragged.current, i);
                dragged.current = null;
              }}
            >
              <label>
                <input type="checkbox" checked={isShown(key, choice)} onChange={() => toggle(key)} /> {title}
                {ownName(key) !== null && <span class="tag">{t('columns.own')}</span>}
              </label>
              <span>
                <button
                  type="button"
                  aria-label={t('columns.up', { name: title })}
                  disabled={i === 0}
                  onClick={() => move(i, i - 1)}
                >
                  ↑
                </button>
                <button
                  type="button"
                  aria-label={t('columns.down', { name: title })}
                  disabled={i === all.length - 1}
                  onClick={() => move(i, i + 1)}
                >
                  ↓
                </button>
              </span>
            </li>
          ))}
        </ul>
        <button type="button" class="button small" onClick={() => chooseColumns(table, null)}>
          {t('columns.reset')}
        </button>
      </div>
    </details>
  );
}
