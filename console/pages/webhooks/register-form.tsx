import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Check } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { t } from '../../text/translate.ts';
import { AddressField } from './address-field.tsx';
import { chosenEvents } from './failed-batches.tsx';
import type { AddressWarnings } from './webhook.ts';

interface RegisterFormProps {
  readonly onRegistered: (secret: string, warnings: AddressWarnings) => void;
}

/** Registers the webhook; the secret comes back once. */
export function RegisterForm({ onRegistered }: RegisterFormProps) {
  const [url, setUrl] = useState('');
  const [failedBatches, setFailedBatches] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function register(event: Event): Promise<void> {
    event.preventDefault();
    setError(null);
    try {
      const body = { url: url.trim(), ...(failedBatches && { events: chosenEvents(true) }) };
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
      <Check label={t('webhooks.failedBatches')} checked={failedBatches} onChange={setFailedBatches} />
      {error !== null && <ErrorNotice error={error} />}
      <button type="submit" class="button primary" disabled={url.trim() === ''}>
        {t('webhooks.registerNow')}
      </button>
    </form>
  );
}
