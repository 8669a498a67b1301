import type { ComponentChildren } from 'preact';
import { FirstmileError } from '../../clients/typescript/problems.ts';
import { hasText, language, t, tWord } from '../text/translate.ts';
import { useReturn } from './use-return.ts';

interface ErrorNoticeProps {
  readonly error: unknown;
  /** Tries once more, unless what was wanted is not there at all. */
  readonly onAgain?: () => void;
  /** What else can be done, or is to be known. */
  readonly children?: ComponentChildren;
}

/** Why something did not work, and the way out, in words; what finds it in the logs is folded. */
export function ErrorNotice({ error, onAgain, children }: ErrorNoticeProps) {
  const api = error instanceof FirstmileError ? error : null;
  useReturn(error, onAgain);
  const canTryAgain = onAgain !== undefined && api?.status !== 404;
  const isUnreachable = api?.code === 'unreachable';
  const message = error instanceof Error ? error.message : String(error);
  const inWords = api === null ? null : faultIn(api);
  // Some details of the service come in English alone.
  const isForeign = api !== null && !isInLanguage(api);
  const text = isUnreachable ? t('error.unreachableFix') : (inWords ?? (isForeign ? t('error.inEnglish') : message));
  // An only fault is already said by the message.
  const faults = inWords === null && !isForeign ? (api?.errors.filter(({ detail }) => detail !== message) ?? []) : [];
  const wayOut = api === null || isUnreachable ? null : wayOutOf(api);
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
      {wayOut !== null && <p class="way-out">{wayOut}</p>}
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
      {api !== null && !isUnreachable && <Details error={api} />}
    </div>
  );
}

/** Whether the words of the service are in the language of the page. */
function isInLanguage({ language: given }: FirstmileError): boolean {
  return (given ?? 'en').split('-', 1)[0] === language.value;
}

/** An only fault that has a sentence for those who never saw the format from inside; null: the service's own words are shown. */
function faultIn({ errors }: FirstmileError): string | null {
  const [{ code } = {}, ...others] = errors;
  return code !== undefined && others.length === 0 && hasText(`fault.${code}`) ? tWord('fault', code) : null;
}

/** What can be done about an error of its kind; null where its own words say it. */
function wayOutOf({ code }: FirstmileError): string | null {
  const key = `wayOut.${code}`;
  return hasText(key) ? tWord('wayOut', code) : null;
}

/** What whoever runs the service needs to find it. */
function Details({ error }: { readonly error: FirstmileError }) {
  const { code, status, requestId, errors, message } = error;
  return (
    <details class="error-details small">
      <summary>{t('error.details')}</summary>
      <ul class="mono">
        <li>
          {code} ({status})
        </li>
        {(faultIn(error) !== null || !isInLanguage(error)) && <li lang={error.language ?? 'en'}>{message}</li>}
        {requestId && <li>{t('error.requestId', { id: requestId })}</li>}
        {errors.slice(0, 10).map(({ pointer, code: fault, index }, i) => (
          <li key={i}>{[pointer, fault, index === undefined ? null : `#${index}`].filter(Boolean).join(' · ')}</li>
        ))}
      </ul>
    </details>
  );
}

/** What fills the blanks of a message of the service: texts, numbers, or other messages. */
type MessageParams = Readonly<Record<string, unknown>>;

/** Where a program finds what a message is about, folded: for whoever mends the file with one. */
export function MessageDetails({ params }: { readonly params: MessageParams | undefined }) {
  const where = whereIn(params);
  if (where === null) return null;
  return (
    <details class="error-details small">
      <summary>{t('error.details')}</summary>
      <code>{where}</code>
    </details>
  );
}

/** The place in a geometry that a message, or the reason in it, names. */
function whereIn(params: MessageParams | undefined): string | null {
  if (params === undefined) return null;
  const { where, reason } = params as {
    readonly where?: unknown;
    readonly reason?: { readonly params?: MessageParams };
  };
  if (typeof where === 'string') return where === 'geometry' ? null : where;
  return typeof reason === 'object' && reason !== null ? whereIn(reason.params) : null;
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
