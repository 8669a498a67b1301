import { useId, useRef, useState } from 'preact/hooks';
import { t } from '../../text/translate.ts';

interface FileDropProps {
  readonly label: string;
  readonly hint: string;
  readonly onFile: (file: File) => void;
  readonly accept?: string;
  readonly disabled?: boolean;
  /** Takes little room, where a file was chosen already. */
  readonly isSmall?: boolean;
}

/** A place to drop a file on, which is a button that opens a dialog as well. */
export function FileDrop({ label, hint, onFile, accept, disabled = false, isSmall = false }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const hintId = useId();
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file !== undefined && !disabled) onFile(file);
  };
  return (
    <div
      class="drop"
      data-over={isOver}
      data-small={isSmall}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <svg aria-hidden="true" viewBox="0 0 24 24" class="drop-icon">
        <path d="M12 16V4m0 0L7.5 8.5M12 4l4.5 4.5M4 15v3a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-3" />
      </svg>
      <button
        type="button"
        class={isSmall ? 'button' : 'button primary'}
        disabled={disabled}
        aria-describedby={hintId}
        onClick={() => input.current?.click()}
      >
        {label}
      </button>
      <p id={hintId} class="muted">
        {t('drop.or')} {hint}
      </p>
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        tabIndex={-1}
        aria-hidden="true"
        accept={accept}
        onChange={(event) => {
          take(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
