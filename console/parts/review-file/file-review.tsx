import type { ComponentChildren } from 'preact';
import { ErrorNotice } from '../notice.tsx';
import { Choice } from '../field.tsx';
import { fileSize } from '../files/file-size.ts';
import { Sending } from '../files/sending.tsx';
import { formatName } from '../files/format-name.ts';
import { formatNumber, t, tWord } from '../../text/translate.ts';
import { FirstRows } from './first-rows.tsx';
import './review-file.css';
import { COMMODITIES, NO_COMMODITY, tablesRead, type Preview } from './reading.ts';
import { sentence } from './sentence.ts';
import { RegionData } from './region-data.tsx';
import { UnplacedRows } from './unplaced-rows.tsx';
import type { FileReview } from './use-file-review.ts';

interface FileReviewProps {
  readonly review: FileReview;
  /** What can be done with a file that is too large here. */
  readonly tooLargeHint?: string;
  /** What else is to be known where it cannot be read. */
  readonly refusedHint?: string;
  /** How it is worked on, and the buttons that begin it. */
  readonly children?: ComponentChildren;
}

/** What was understood of a file before anything runs, with all that can be corrected. */
export function FileReviewCard({ review, tooLargeHint, refusedHint, children }: FileReviewProps) {
  const { file, preview, looking, error, tooLarge } = review;
  return (
    <section class="file-review" aria-labelledby="file-review-title">
      <header class="file-review-head">
        <h2 id="file-review-title">{t('intake.title')}</h2>
        <p class="mono chosen-file" role="status">
          {file.name} · {fileSize(file.size)}
          {preview !== null && preview.size.most_bytes !== null && (
            <span class="muted"> {t('intake.ofMost', { most: fileSize(preview.size.most_bytes) })}</span>
          )}
        </p>
      </header>
      {tooLarge !== null && (
        <div class="notice" data-kind="error" role="alert">
          <strong>{t('intake.tooLarge', { size: fileSize(file.size), most: fileSize(tooLarge.most) })}</strong>
          <p>
            {t('intake.tooLargeFix')} {tooLargeHint}
          </p>
        </div>
      )}
      {error !== null && (
        <ErrorNotice error={error} onAgain={() => review.again()}>
          {refusedHint !== undefined && <p>{refusedHint}</p>}
          {Object.keys(review.reading.mapping).length > 0 && (
            <button type="button" class="button" onClick={() => review.forget()}>
              {t('intake.asFound')}
            </button>
          )}
        </ErrorNotice>
      )}
      {review.unfetched > 0 && (
        <p class="notice" data-kind="warn" role="alert">
          {t('intake.notFetched', { count: review.unfetched })}
        </p>
      )}
      {looking !== null && (
        <Sending
          sent={looking.sent}
          {...(looking.isFetching
            ? { text: t('intake.fetching') }
            : preview === null
              ? {}
              : { text: t('intake.again') })}
          onCancel={() => review.stop()}
        />
      )}
      {review.isStopped && (
        <p class="notice" role="status">
          {t('intake.stopped')}{' '}
          <button type="button" class="button small" onClick={() => review.again()}>
            {t('again')}
          </button>
        </p>
      )}
      {preview !== null && (
        <div class="file-review-body" data-busy={looking !== null}>
          <Understood review={review} preview={preview} />
          {children}
        </div>
      )}
    </section>
  );
}

function Understood({ review, preview }: { readonly review: FileReview; readonly preview: Preview }) {
  const { counts } = preview;
  const tables = tablesRead(preview);
  return (
    <>
      <p>
        {t('intake.found', { format: formatName(preview.format) })}{' '}
        <strong>{t('intake.rows', { count: counts.locations })}</strong>
        {': '}
        {[
          t('intake.placed', { count: counts.with_geometry }),
          ...(counts.to_geocode > 0 ? [t('intake.toGeocode', { count: counts.to_geocode })] : []),
          ...(counts.without_place > 0 ? [t('intake.withoutPlace', { count: counts.without_place })] : []),
        ].join(' · ')}
        {'. '}
        {t('intake.types', {
          facilities: formatNumber(counts.facilities),
          plots: formatNumber(counts.plots),
        })}
      </p>
      {preview.remarks.map((remark) => (
        <p key={remark} class="muted small">
          {remark}
        </p>
      ))}
      <div class="row file-review-choices">
        <Commodity review={review} preview={preview} />
        <Sheets review={review} preview={preview} />
      </div>
      {review.isRemembered && (
        <p class="notice remembered" role="status">
          {t('intake.remembered')}{' '}
          <button type="button" class="button small" onClick={() => review.forget()}>
            {t('intake.forget')}
          </button>
        </p>
      )}
      {tables.map((table) => (
        <FirstRows
          key={table.name}
          table={table}
          rows={preview.sample.filter((row) => tables.length === 1 || row.source_sheet === table.name)}
          mapping={review.reading.mapping}
          isNamed={preview.mapping.length > 1}
          onChange={(column, field) => review.change({ mapping: corrected(review.reading.mapping, column, field) })}
        />
      ))}
      <UnplacedRows preview={preview} />
      <Problems preview={preview} />
      <RegionData region={preview.region} isBusy={review.looking !== null} onFetch={() => review.fetchData()} />
    </>
  );
}

/** Why it cannot be worked on yet; nothing while it is looked at, or where it can. */
export function NotReady({ review }: { readonly review: FileReview }) {
  const { preview, isReady, isStopped, looking, error } = review;
  if (isReady || isStopped || looking !== null || error !== null || preview === null) return null;
  return (
    <span class="hint" role="status">
      {t(preview.counts.locations === 0 ? 'intake.noRows' : 'intake.needsCommodity')}
    </span>
  );
}

/** A column with another field; undefined: found out again. */
function corrected(
  mapping: Readonly<Record<string, string | null>>,
  column: string,
  field: string | null | undefined,
): Readonly<Record<string, string | null>> {
  const others = Object.entries(mapping).filter(([name]) => name !== column);
  return Object.fromEntries(field === undefined ? others : [...others, [column, field]]);
}

/** What the rows name; and for those that name none a menu that has to be answered. */
function Commodity({ review, preview }: { readonly review: FileReview; readonly preview: Preview }) {
  const { stated, without, proposed } = preview.commodity;
  const named = stated.map(({ commodity, rows }) => `${tWord('commodity', commodity)} (${formatNumber(rows)})`);
  if (without === 0)
    return (
      <p class="field">
        <strong>{t('options.commodity')}</strong>
        <span>{named.join(', ')}</span>
      </p>
    );
  const { commodity } = review.reading;
  const hint =
    commodity !== '' && proposed?.commodity === commodity
      ? t(`proposed.${proposed.from}`, { text: proposed.text })
      : named.length > 0
        ? t('intake.commodityRest', { named: named.join(', '), count: without })
        : t('intake.commodityWhy');
  const isListed = COMMODITIES.some((name) => name === commodity);
  return (
    <div class="commodity-choice" data-open={commodity === ''}>
      <Choice
        label={t('options.commodity')}
        value={commodity}
        hint={hint}
        options={[
          ...(commodity === '' ? [['', t('intake.chooseCommodity')] as const] : []),
          ...COMMODITIES.map((name) => [name, tWord('commodity', name)] as const),
          ...(commodity !== '' && !isListed && commodity !== NO_COMMODITY ? [[commodity, commodity] as const] : []),
          [NO_COMMODITY, t('intake.noCommodity')],
        ]}
        onChange={(value) => review.change({ commodity: value })}
      />
    </div>
  );
}

/** Which sheet is read, where there are several. */
function Sheets({ review, preview }: { readonly review: FileReview; readonly preview: Preview }) {
  const { mapping } = preview;
  if (mapping.length < 2) return null;
  const skipped = mapping.filter((table) => table.skipped !== null && review.reading.sheet === null);
  return (
    <div>
      <Choice
        label={t('intake.sheet')}
        value={review.reading.sheet ?? ''}
        options={[
          ['', t('intake.allSheets')],
          ...mapping.map(
            ({ name, rows }) =>
              [name ?? '', rows === null ? (name ?? '') : `${name} (${t('report.rows', { count: rows })})`] as const,
          ),
        ]}
        onChange={(sheet) => review.change({ sheet: sheet === '' ? null : sheet, mapping: {} })}
      />
      {skipped.map(({ name, skipped: why }) => (
        <p key={name} class="hint">
          {name}: {why}
        </p>
      ))}
    </div>
  );
}

function Problems({ preview: { problems } }: { readonly preview: Preview }) {
  if (problems.length === 0) return null;
  return (
    <details class="checked-problems">
      <summary>{t('intake.problems', { count: problems.length })}</summary>
      <ul>
        {problems.map(({ code, count, fix, first }) => (
          <li key={code}>
            <strong>{tWord('warning', code)}</strong> ({formatNumber(count)}): {sentence(first.message)} {fix}
          </li>
        ))}
      </ul>
    </details>
  );
}
