import type { ComponentChildren } from 'preact';
import { ErrorNotice, Loading } from './notice.tsx';
import type { Loaded } from './use-load.ts';

export interface WhenLoadedProps<T> {
  readonly loaded: Loaded<T>;
  /** Sends the request again after a failure. */
  readonly onAgain: () => void;
  /** Said while it is on its way. */
  readonly waiting?: string;
  readonly children: (value: T) => ComponentChildren;
}

/** What was requested; before that, that it is on its way, or why it did not come. */
export function WhenLoaded<T>({ loaded, onAgain, waiting, children }: WhenLoadedProps<T>) {
  if (loaded.state === 'loading') return waiting === undefined ? <Loading /> : <Loading text={waiting} />;
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} onAgain={onAgain} />;
  return <>{children(loaded.value)}</>;
}
