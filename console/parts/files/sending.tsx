import { t } from '../../text/translate.ts';
import { Loading } from '../notice.tsx';
import { Progress } from '../progress.tsx';

/** Bytes that have left and bytes in all; null before the first were sent. */
export type Sent = readonly [sent: number, total: number] | null;

interface SendingProps {
  readonly sent: Sent;
  /** What is said once all of it has left; default that it is sent. */
  readonly text?: string;
  readonly onCancel: () => void;
}

/** A file on its way to the service. Once all of it has left, the service reads it, which takes as long as it takes. */
export function Sending({ sent, text, onCancel }: SendingProps) {
  const isLeaving = sent !== null && sent[0] < sent[1];
  return (
    <div class="sending">
      {isLeaving ? (
        <Progress
          label={`${t('facilities.sending')} MB`}
          done={Math.floor(sent[0] / 1e6)}
          total={Math.ceil(sent[1] / 1e6)}
        />
      ) : (
        <Loading text={text ?? t('facilities.sending')} />
      )}
      <button type="button" class="button" onClick={onCancel}>
        {t('cancel')}
      </button>
    </div>
  );
}
