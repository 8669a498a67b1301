import { useRef, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Check } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { t } from '../../text/translate.ts';
import type { Webhook } from './webhook.ts';

/** The events that a webhook gets if its user wishes. */
const OPTIONAL = ['batch_failed', 'collection_changed'] as const;
export type OptionalEvent = (typeof OPTIONAL)[number];

interface EventChecksProps {
  readonly chosen: readonly OptionalEvent[];
  readonly onChange: (chosen: readonly OptionalEvent[]) => void;
}

/** Which of them are wanted. */
export function EventChecks({ chosen, onChange }: EventChecksProps) {
  return OPTIONAL.map((type) => (
    <Check
      key={type}
      label={t(`webhooks.wants.${type}`)}
      checked={chosen.includes(type)}
      onChange={(isWanted) => onChange(OPTIONAL.filter((one) => (one === type ? isWanted : chosen.includes(one))))}
    />
  ));
}

/** Which events the registered webhook gets; what is chosen is saved at once. */
export function OptionalEvents({ webhook, onChange }: { readonly webhook: Webhook; readonly onChange: () => void }) {
  const [chosen, setChosen] = useState(OPTIONAL.filter((type) => webhook.events.includes(type)));
  const [error, setError] = useState<unknown>(null);
  // One after the other, so that the last choice is the one that stays.
  const saved = useRef(Promise.resolve());

  async function save(now: readonly OptionalEvent[], before: typeof chosen): Promise<void> {
    try {
      await call('changeWebhook', { body: { events: [...now] } });
      onChange();
    } catch (reason) {
      setChosen(before);
      setError(reason);
    }
  }

  return (
    <>
      <EventChecks
        chosen={chosen}
        onChange={(now) => {
          setChosen([...now]);
          setError(null);
          saved.current = saved.current.then(() => save(now, chosen));
        }}
      />
      {error !== null && <ErrorNotice error={error} />}
    </>
  );
}
