import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { t } from '../../text/translate.ts';
import { AddressField } from './address-field.tsx';
import type { AddressWarnings, Webhook } from './webhook.ts';

interface AddressFormProps {
  readonly webhook: Webhook;
  readonly onChanged: (warnings: AddressWarnings) => void;
  readonly onLeave: () => void;
}

/** Changes where events go; the secret and the choice of events stay. Escape leaves it. */
export function AddressForm({ webhook, onChanged, onLeave }: AddressFormProps) {
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
