import { useState } from 'preact/hooks';
import { t } from '../text/translate.ts';
import { takeFocus } from './focus.ts';

interface ConfirmButtonProps {
  readonly text: string;
  /** What the button does and to which, for screen readers. */
  readonly label: string;
  readonly question?: string;
  /** Of the button that does it. */
  readonly sure: string;
  readonly onSure: () => void;
}

/** A button for what cannot be undone: it has to be confirmed. Keys go along with the question, Escape takes it back. */
export function ConfirmButton({ text, label, question, sure, onSure }: ConfirmButtonProps) {
  const [state, setState] = useState<'fresh' | 'confirming' | 'left'>('fresh');
  if (state !== 'confirming')
    return (
      <button
        type="button"
        class="button small danger"
        aria-label={label}
        ref={state === 'left' ? takeFocus : null}
        onClick={() => setState('confirming')}
      >
        {text}
      </button>
    );
  return (
    <span
      class="actions"
      role="group"
      aria-label={question ?? label}
      onKeyDown={(event) => event.key === 'Escape' && setState('left')}
    >
      {question !== undefined && <span class="small">{question}</span>}
      <button type="button" class="button small danger" ref={takeFocus} onClick={onSure}>
        {sure}
      </button>
      <button type="button" class="button small" onClick={() => setState('left')}>
        {t('cancel')}
      </button>
    </span>
  );
}
