import { useState } from 'preact/hooks';
import { FirstmileError } from '../../../clients/typescript/problems.ts';
import { call } from '../../api/client.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { NotAllowed, ErrorNotice } from '../../parts/notice.tsx';
import { useLive } from '../../parts/use-live.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { param, setParams } from '../../state/address.ts';
import { may } from '../../state/session.ts';
import { t } from '../../text/translate.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { DeliveryLog, QUIET_MS } from './delivery-log.tsx';
import { VerifyForm } from './verify-form.tsx';
import { WebhookCard } from './webhook-card.tsx';
import type { AddressWarnings, Webhook } from './webhook.ts';

import { AddressField } from './address-field.tsx';
import { EventChecks, type OptionalEvent } from './optional-events.tsx';

const TABS = ['log', 'verify'] as const;

/** The webhook: where it goes, its secret once, a test, the log of deliveries, and help with signatures. */
export function WebhooksPage() {
  const isAllowed = may('webhooks');
  const [loaded, reload] = useLive(isAllowed ? 'webhook' : null, webhookOrNull, () => QUIET_MS);
  const [secret, setSecret] = useState<string | null>(null);
  const [warnings, setWarnings] = useState<AddressWarnings>([]);
  const [round, setRound] = useState(0);
  const tab = TABS.find((name) => name === param('tab')) ?? 'log';
  const delivery = param('delivery');
  const changed = (): void => {
    reload();
    setRound((before) => before + 1);
  };
  if (!isAllowed) return <NotAllowed title={t('webhooks.notAllowed')} text={t('webhooks.needsScope')} />;
  return (
    <div class="page">
      <header class="page-head">
        <h1>{t('webhooks.title')}</h1>
        <p class="lead">{t('webhooks.lead')}</p>
      </header>
      <div class="stack">
        {secret !== null && <Secret secret={secret} onKept={() => setSecret(null)} />}
        <WhenLoaded loaded={loaded} onAgain={reload}>
          {(webhook) =>
            webhook === null ? (
              <RegisterForm
                onRegistered={(given, doubts) => {
                  setSecret(given);
                  setWarnings(doubts);
                  changed();
                }}
              />
            ) : (
              <WebhookCard
                webhook={webhook}
                warnings={warnings}
                onSecret={setSecret}
                onAddress={setWarnings}
                onChange={changed}
              />
            )
          }
        </WhenLoaded>
        <div class="segmented tabs" role="group" aria-label={t('webhooks.parts')}>
          {TABS.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={tab === name}
              onClick={() => setParams({ tab: name === 'log' ? null : name }, 'push')}
            >
              {t(`webhooks.${name}`)}
            </button>
          ))}
        </div>
        {tab === 'verify' ? <VerifyForm /> : <DeliveryLog round={round} chosen={delivery} onChange={changed} />}
        {tab === 'log' && delivery !== null && (
          <DeliveryDetail key={delivery} id={delivery} round={round} onChange={changed} />
        )}
      </div>
    </div>
  );
}

/** Null where none is registered. */
async function webhookOrNull(signal: AbortSignal): Promise<Webhook | null> {
  try {
    return await call('getWebhook', { signal });
  } catch (error) {
    if (error instanceof FirstmileError && error.code === 'webhook_not_found') return null;
    throw error;
  }
}

function Secret({ secret, onKept }: { readonly secret: string; readonly onKept: () => void }) {
  return (
    <section class="card" role="status" aria-labelledby="secret-title">
      <h2 id="secret-title">{t('webhooks.secret')}</h2>
      <p>{t('webhooks.secretOnce')}</p>
      <div class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} />
        <button type="button" class="button small" onClick={onKept}>
          {t('tokens.kept')}
        </button>
      </div>
    </section>
  );
}

interface RegisterFormProps {
  readonly onRegistered: (secret: string, warnings: AddressWarnings) => void;
}

/** Registers the webhook; the secret comes back once. */
function RegisterForm({ onRegistered }: RegisterFormProps) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly OptionalEvent[]>([]);
  const [error, setError] = useState<unknown>(null);

  async function register(event: Event): Promise<void> {
    event.preventDefault();
    setError(null);
    try {
      const body = { url: url.trim(), ...(events.length > 0 && { events: [...events] }) };
      const { client_secret: secret, warnings } = await call('registerWebhook', { body });
      onRegistered(secret, warnings);
    } catch (reason) {
      setError(reason);
    }
  }

  return (
    <form class="card" onSubmit={(event) => void register(event)}>
      <h2>{t('webhooks.register')}</h2>
      <AddressField label={t('webhooks.url')} value={url} onInput={setUrl} />
      <EventChecks chosen={events} onChange={setEvents} />
      {error !== null && <ErrorNotice error={error} />}
      <button type="submit" class="button primary" disabled={url.trim() === ''}>
        {t('webhooks.registerNow')}
      </button>
    </form>
  );
}
