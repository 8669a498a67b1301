import { useRef, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Check } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { t } from '../../text/translate.ts';
import type { Webhook } from './webhook.ts';

/** The events of a webhook besides those it always gets. */
export function chosenEvents(failedBatches: boolean): 'batch_failed'[] {
  return failedBatches ? ['batch_failed'] : [];
}

/** Whether the registered webhook hears of failed batches; what is chosen is saved at once. */
export function FailedBatches({ webhook, onChange }: { readonly webhook: Webhook; readonly onChange: () => void }) {
  const [isChosen, setChosen] = useState(webhook.events.includes('batch_failed'));
  const [error, setError] = useState<unknown>(null);
  // One after the other, so that the last choice is the one that stays.
  const saved = useRef(Promise.resolve());

  async function save(choice: boolean): Promise<void> {
    try {
      await call('changeWebhook', { body: { events: chosenEvents(choice) } });
      onChange();
    } catch (reason) {
      setChosen(!choice);
      setError(reason);
    }
  }

  return (
    <>
      <Check
        label={t('webhooks.failedBatches')}
        checked={isChosen}
        onChange={(choice) => {
          setChosen(choice);
          setError(null);
          saved.current = saved.current.then(() => save(choice));
        }}
      />
      {error !== null && <ErrorNotice error={error} />}
    </>
  );
}
