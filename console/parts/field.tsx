import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  /** What stands between backticks is set as code. */
  readonly hint?: string;
  readonly children: (id: string, describedBy: string | undefined) => ComponentChildren;
}

/** A form control with its label, and a hint that belongs to it. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, hintId)}
      {hint !== undefined && (
        <p id={hintId} class="hint">
          {hint.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: Value) => void;
  readonly hint?: string;
}

/** One of some values. */
export function Choice<Value extends string>({ label, value, options, onChange, ...rest }: ChoiceProps<Value>) {
  return (
    <Field label={label} {...rest}>
      {(id, describedBy) => (
        <select
          id={id}
          value={value}
          aria-describedby={describedBy}
          onChange={(event) => onChange(event.currentTarget.value as Value)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Check({
  label,
  checked,
  onChange,
}: {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
