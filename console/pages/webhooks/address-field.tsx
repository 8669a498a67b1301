import { Field } from '../../parts/field.tsx';
import { takeFocus } from '../../parts/focus.ts';
import { t } from '../../text/translate.ts';

interface AddressFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Whether it appears in place of a button that was pressed. */
  readonly takesFocus?: boolean;
}

/** Where events go. */
export function AddressField({ label, value, onInput, takesFocus = false }: AddressFieldProps) {
  return (
    <Field label={label} hint={t('webhooks.urlHint')}>
      {(id, describedBy) => (
        <input
          id={id}
          aria-describedby={describedBy}
          type="url"
          required
          placeholder="https://hooks.example.org/firstmile"
          value={value}
          ref={takesFocus ? takeFocus : null}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
