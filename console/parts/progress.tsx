import { formatNumber, t } from '../text/translate.ts';

interface ProgressProps {
  readonly label: string;
  readonly done: number;
  /** Null until it is known. */
  readonly total: number | null;
}

/** How far long work has come, as a bar and in words that are read out now and then. */
export function Progress({ label, done, total }: ProgressProps) {
  const share = total === null || total === 0 ? null : Math.min(1, done / total);
  const tenths = share === null ? '' : t('progress.percent', { percent: Math.floor(share * 10) * 10 });
  return (
    <div class="progress">
      <div class="progress-text">
        <span>{label}</span>
        <span>{total === null ? formatNumber(done) : t('progress.of', { done, total })}</span>
      </div>
      <progress aria-label={label} max={1} {...(share === null ? {} : { value: share })} />
      <span class="visually-hidden" role="status">
        {tenths}
      </span>
    </div>
  );
}
