import { useRef, useState } from 'preact/hooks';
import { call, type Answer } from '../../api/client.ts';
import { takeFocus } from '../../parts/focus.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { formatMoment, formatNumber, t, tWord } from '../../text/translate.ts';
import { OptionalEvents } from './optional-events.tsx';
import type { AddressWarnings, Webhook } from './webhook.ts';
import { AddressField } from './address-field.tsx';

interface WebhookCardProps {
  readonly webhook: Webhook;
  /** What should be known of its address. */
  readonly warnings: AddressWarnings;
  readonly onSecret: (secret: string) => void;
  readonly onAddress: (warnings: AddressWarnings) => void;
  /** Something was sent, changed, rotated or removed. */
  readonly onChange: () => void;
}

const QUESTIONS = ['change', 'rotate', 'remove'] as const;
type Question = (typeof QUESTIONS)[number];

/** The registered webhook, with what can be done to it. What cannot be undone has to be confirmed. */
export function WebhookCard({ webhook, warnings, onSecret, onAddress, onChange }: WebhookCardProps) {
  const [question, setQuestion] = useState<Question | null>(null);
  const buttons = useRef<HTMLDivElement>(null);
  const leave = (): void => {
    buttons.current?.querySelector<HTMLElement>(`[data-question=${question}]`)?.focus();
    setQuestion(null);
  };
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Answer<'testWebhook'> | null>(null);
  const [error, setError] = useState<unknown>(null);

  async function run(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(null);
    setQuestion(null);
    try {
      await work();
      onChange();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  }

  const test = async (): Promise<void> => setOutcome(await call('testWebhook'));
  const rotate = async (): Promise<void> => onSecret((await call('rotateWebhookSecret')).client_secret);
  const remove = async (): Promise<void> => void (await call('removeWebhook'));

  return (
    <section class="card">
      <h2 class="mono">{webhook.url}</h2>
      <State webhook={webhook} />
      {warnings.map(({ code }) => (
        <p key={code} class="notice" data-kind="warn" role="status">
          {t(`webhooks.${code}`)}
        </p>
      ))}
      <OptionalEvents webhook={webhook} onChange={onChange} />
      <div class="actions" ref={buttons}>
        <button type="button" class="button primary" disabled={isBusy} onClick={() => void run(test)}>
          {t('webhooks.test')}
        </button>
        {QUESTIONS.map((each) => (
          <button
            key={each}
            type="button"
            class={each === 'remove' ? 'button danger' : 'button'}
            disabled={isBusy}
            data-question={each}
            onClick={() => setQuestion(each)}
          >
            {t(`webhooks.${each}`)}
          </button>
        ))}
      </div>
      {question === 'change' && (
        <AddressForm
          webhook={webhook}
          onLeave={leave}
          onChanged={(warnings) => {
            leave();
            setOutcome(null);
            onAddress(warnings);
            onChange();
          }}
        />
      )}
      {(question === 'rotate' || question === 'remove') && (
        <ConfirmDialog
          question={question}
          onConfirm={() => void run(question === 'rotate' ? rotate : remove)}
          onLeave={leave}
        />
      )}
      {outcome !== null && <Outcome outcome={outcome} />}
      {error !== null && <ErrorNotice error={error} />}
    </section>
  );
}

/** Since when it is registered, how often it failed, and until when it rests. */
function State({ webhook }: Pick<WebhookCardProps, 'webhook'>) {
  return (
    <>
      <dl class="figures">
        <div class="figure">
          <dt>{t('webhooks.since')}</dt>
          <dd>{formatMoment(webhook.created_at)}</dd>
        </div>
        <div class="figure">
          <dt>{t('webhooks.failures')}</dt>
          <dd>{formatNumber(webhook.failures)}</dd>
        </div>
        {webhook.rotating_until !== null && (
          <div class="figure">
            <dt>{t('webhooks.rotating')}</dt>
            <dd>{formatMoment(webhook.rotating_until)}</dd>
          </div>
        )}
      </dl>
      {webhook.paused_at !== null && (
        <p class="notice" data-kind="warn">
          {t('webhooks.paused', { since: formatMoment(webhook.paused_at), next: formatMoment(webhook.next_trial_at) })}
        </p>
      )}
    </>
  );
}

interface ConfirmDialogProps {
  readonly question: Exclude<Question, 'change'>;
  readonly onConfirm: () => void;
  readonly onLeave: () => void;
}

/** Escape leaves it. */
function ConfirmDialog({ question, onConfirm, onLeave }: ConfirmDialogProps) {
  return (
    <div
      class="notice question"
      data-kind="warn"
      role="alertdialog"
      aria-label={t(`webhooks.${question}`)}
      aria-describedby="question-text"
      onKeyDown={(event) => event.key === 'Escape' && onLeave()}
    >
      <p id="question-text">{t(`webhooks.${question}Question`)}</p>
      <div class="actions">
        <button type="button" class="button" onClick={onConfirm}>
          {t(`webhooks.${question}`)}
        </button>
        <button type="button" class="button" ref={takeFocus} onClick={onLeave}>
          {t('cancel')}
        </button>
      </div>
    </div>
  );
}

function Outcome({ outcome }: { readonly outcome: Answer<'testWebhook'> }) {
  const { delivered, attempt } = outcome;
  return (
    <div class="notice question" data-kind={delivered ? 'info' : 'error'} role="status">
      <strong>{delivered ? t('webhooks.tested') : t('webhooks.testFailed')}</strong>
      {attempt !== null && (
        <p>
          {attempt.status_code !== null && `HTTP ${attempt.status_code} · `}
          {`${formatNumber(attempt.duration_ms)} ms`}
          {attempt.reason !== null && ` · ${tWord('reason', attempt.reason)}`}
        </p>
      )}
      {attempt?.detail && <p>{attempt.detail}</p>}
    </div>
  );
}

interface AddressFormProps {
  readonly webhook: Webhook;
  readonly onChanged: (warnings: AddressWarnings) => void;
  readonly onLeave: () => void;
}

/** Changes where events go; the secret and the choice of events stay. Escape leaves it. */
function AddressForm({ webhook, onChanged, onLeave }: AddressFormProps) {
  const [url, setUrl] = useState(webhook.url);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const wanted = url.trim();

  async function change(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      onChanged((await call('changeWebhook', { body: { url: wanted } })).warnings);
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  }

  return (
    <form
      class="notice question"
      aria-label={t('webhooks.change')}
      onSubmit={(event) => void change(event)}
      onKeyDown={(event) => event.key === 'Escape' && onLeave()}
    >
      <AddressField label={t('webhooks.newUrl')} value={url} onInput={setUrl} takesFocus />
      <p>{t('webhooks.changeKeeps')}</p>
      {error !== null && <ErrorNotice error={error} />}
      <div class="actions">
        <button type="submit" class="button primary" disabled={isBusy || wanted === '' || wanted === webhook.url}>
          {t('webhooks.changeNow')}
        </button>
        <button type="button" class="button" onClick={onLeave}>
          {t('cancel')}
        </button>
      </div>
    </form>
  );
}
