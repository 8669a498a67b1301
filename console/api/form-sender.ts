/** How much of an upload has left, in bytes. */
export type OnSent = (sent: number, total: number) => void;

export interface FormToSend {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: FormData;
  readonly signal: AbortSignal | undefined;
}

/** Sends a form as `fetch` does, and reports how far it has come. */
export type FormSender = (url: string, form: FormToSend, onSent: OnSent) => Promise<Response>;
