import { useState } from 'preact/hooks';
import { call, type Answer } from '../../api/client.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { useLive } from '../../parts/use-live.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { formatNumber, formatSecond, language, t, tWord } from '../../text/translate.ts';
import { isOpen, OPEN_MS, QUIET_MS, STATE_LOOKS } from './delivery-log.tsx';

type Attempt = Answer<'getWebhookDelivery'>['attempts_log'][number];

interface DeliveryDetailProps {
  readonly id: string;
  readonly round: number;
  readonly onChange: () => void;
}

/** One delivery: what was sent, and every attempt with how it ended. */
export function DeliveryDetail({ id, round, onChange }: DeliveryDetailProps) {
  const [loaded, reload] = useLive(
    `${id} ${round}`,
    (signal) => call('getWebhookDelivery', { path: { delivery_id: id }, signal }),
    (delivery) => (isOpen(delivery) ? OPEN_MS : QUIET_MS),
  );
  return (
    <WhenLoaded loaded={loaded} onAgain={reload}>
      {(delivery) => <Shown delivery={delivery} onChange={onChange} />}
    </WhenLoaded>
  );
}

interface ShownProps {
  readonly delivery: Answer<'getWebhookDelivery'>;
  readonly onChange: () => void;
}

function Shown({ delivery, onChange }: ShownProps) {
  const [error, setError] = useState<unknown>(null);
  const redeliver = (): void =>
    void call('redeliverWebhook', { path: { delivery_id: delivery.id } }).then(
      () => {
        setError(null);
        onChange();
      },
      (reason: unknown) => setError(reason),
    );
  return (
    <section class="card" aria-labelledby="delivery-title">
      <div class="row spread">
        <h2 id="delivery-title">
          {tWord('event', delivery.type)}{' '}
          <span class="status" data-status={STATE_LOOKS[delivery.status]}>
            {t(`delivery.${delivery.status}`)}
          </span>
        </h2>
        <button type="button" class="button" disabled={delivery.sending} onClick={redeliver}>
          {t('webhooks.redeliver')}
        </button>
      </div>
      {error !== null && <ErrorNotice error={error} />}
      <dl class="pairs">
        <div>
          <dt>{t('webhooks.eventId')}</dt>
          <dd class="mono">{delivery.event_id}</dd>
        </div>
        <div>
          <dt>{t('webhooks.url')}</dt>
          <dd class="mono">{delivery.url}</dd>
        </div>
      </dl>
      <h3>{t('webhooks.attempts')}</h3>
      {delivery.attempts_log.length === 0 && <p class="muted">{t('webhooks.noAttempts')}</p>}
      <ol class="evidence">
        {delivery.attempts_log.map((attempt) => (
          <AttemptItem key={attempt.number} attempt={attempt} />
        ))}
      </ol>
      {delivery.payload !== null && (
        <details>
          <summary>{t('webhooks.payload')}</summary>
          <pre tabIndex={0}>{delivery.payload}</pre>
          <CopyButton text={delivery.payload} />
        </details>
      )}
    </section>
  );
}

function AttemptItem({ attempt }: { readonly attempt: Attempt }) {
  const { dns_ms: dns, connect_ms: connect, tls_ms: tls, first_byte_ms: first } = attempt.timings;
  const steps = [
    ['DNS', dns],
    [t('webhooks.connect'), connect],
    ['TLS', tls],
    [t('webhooks.firstByte'), first],
  ] as const;
  return (
    <li>
      <div class="evidence-head">
        <span class="evidence-name">{t('webhooks.attempt', { number: attempt.number })}</span>
        <span class="status" data-status={attempt.reason === null ? 'present' : 'absent'}>
          {attempt.reason === null ? t('delivery.delivered') : tWord('reason', attempt.reason)}
        </span>
        {attempt.status_code !== null && <span>HTTP {attempt.status_code}</span>}
        <span class="muted">{formatSecond(attempt.started_at)}</span>
        <span class="muted">{formatNumber(attempt.duration_ms)} ms</span>
      </div>
      {/* The reason above says the same in the present language. */}
      {attempt.detail !== null && language.value === 'en' && <p>{attempt.detail}</p>}
      <p class="muted small">
        {attempt.address !== null && <span class="mono">{attempt.address} </span>}
        {steps
          .filter(([, ms]) => ms !== null)
          .map(([name, ms]) => `${name} ${formatNumber(ms ?? 0)} ms`)
          .join(' · ')}
      </p>
      {attempt.response_excerpt !== null && attempt.response_excerpt !== '' && (
        <details>
          <summary>{t('webhooks.answer')}</summary>
          <pre tabIndex={0}>{attempt.response_excerpt}</pre>
        </details>
      )}
    </li>
  );
}
