import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Field } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { t } from '../../text/translate.ts';

/** Registers the webhook; the secret comes back once. */
export function RegisterForm({ onRegistered }: { readonly onRegistered: (secret: string) => void }) {
  const [url, setUrl] = useState('');
  const [error, setError] = useState<unknown>(null);

  async function register(event: Event): Promise<void> {
    event.preventDefault();
    setError(null);
    try {
      onRegistered((await call('registerWebhook', { body: { url: url.trim() } })).client_secret);
    } catch (reason) {
      setError(reason);
    }
  }

  return (
    <form class="card" onSubmit={(event) => void register(event)}>
      <h2>{t('webhooks.register')}</h2>
      <Field label={t('webhooks.url')} hint={t('webhooks.urlHint')}>
        {(id, describedBy) => (
          <input
            id={id}
            aria-describedby={describedBy}
            type="url"
            required
            placeholder="https://hooks.example.org/firstmile"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        )}
      </Field>
      {error !== null && <ErrorNotice error={error} />}
      <button type="submit" class="button primary" disabled={url.trim() === ''}>
        {t('webhooks.registerNow')}
      </button>
    </form>
  );
}
