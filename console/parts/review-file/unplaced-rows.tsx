import { formatNumber, t, tWord } from '../../text/translate.ts';
import type { Preview } from './reading.ts';
import { sentence } from './sentence.ts';
import { placeText } from './place-text.ts';

/** The rows whose place cannot be read, each with the reason: they can be mended here after the check, or in the file before it. */
export function UnplacedRows({ preview: { unplaced, counts } }: { readonly preview: Preview }) {
  if (unplaced.length === 0) return null;
  return (
    <section class="unplaced" aria-labelledby="unplaced-title">
      <h3 id="unplaced-title">{t('intake.unplaced')}</h3>
      <p class="muted">{t('intake.unplacedHint')}</p>
      <ul>
        {unplaced.map((row) => {
          const reason = row.warnings.find(({ code }) => code !== 'location_type_guessed');
          return (
            <li key={`${row.source_sheet} ${row.source_row}`}>
              {reason === undefined && (
                <span class="number">{t('intake.rowNumber', { number: String(row.source_row) })} </span>
              )}
              <strong>{row.name ?? ''}</strong> {reason === undefined ? placeText(row) : tWord('warning', reason.code)}
              {/* It says which row it is. */}
              {reason !== undefined && <span class="muted"> {sentence(reason.message)}</span>}
            </li>
          );
        })}
      </ul>
      {counts.without_place > unplaced.length && (
        <p class="muted">{t('intake.andMore', { count: formatNumber(counts.without_place - unplaced.length) })}</p>
      )}
    </section>
  );
}
