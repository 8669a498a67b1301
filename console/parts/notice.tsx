import type { ComponentChildren } from 'preact';
import { FirstmileError } from '../../clients/typescript/problems.ts';
import { t, tWord } from '../text/translate.ts';

interface ErrorNoticeProps {
  readonly error: unknown;
  /** Tries once more, unless what was wanted is not there at all. */
  readonly onAgain?: () => void;
  /** What else can be done, or is to be known. */
  readonly children?: ComponentChildren;
}

/** Why something did not work, in words, with what finds it in the logs. */
export function ErrorNotice({ error, onAgain, children }: ErrorNoticeProps) {
  const api = error instanceof FirstmileError ? error : null;
  const canTryAgain = onAgain !== undefined && api?.status !== 404;
  const isUnreachable = api?.code === 'unreachable';
  const text = isUnreachable ? t('error.unreachableFix') : error instanceof Error ? error.message : String(error);
  // An only fault is already said by the message.
  const faults = api?.errors.filter(({ detail }) => detail !== text) ?? [];
  return (
    <div class="notice" data-kind="error" role="alert">
      <strong>
        {api === null ? t('error.unexpected') : isUnreachable ? t('error.unreachable') : tWord('error', api.code)}
      </strong>
      <p>{text}</p>
      {faults.length > 0 && (
        <ul>
          {faults.slice(0, 10).map((item) => (
            <li key={item.detail}>
              {item.index === undefined ? '' : `${t('error.feature', { number: item.index + 1 })}: `}
              {item.detail}
            </li>
          ))}
        </ul>
      )}
      {api?.requestId && <p class="muted small">{t('error.requestId', { id: api.requestId })}</p>}
      {(canTryAgain || children !== undefined) && (
        <div class="actions">
          {canTryAgain && (
            <button type="button" class="button" onClick={onAgain}>
              {t('again')}
            </button>
          )}
          {children}
        </div>
      )}
    </div>
  );
}

/** Where there is nothing yet: what would be here and how it comes. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Said once something is on its way. */
export function Loading({ text }: { readonly text?: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" />
      {text ?? t('loading')}
    </p>
  );
}

/** In place of a page that the token has no right for. */
export function NotAllowed({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div class="page">
      <div class="empty">
        <h1>{title}</h1>
        <p>{text}</p>
      </div>
    </div>
  );
}
