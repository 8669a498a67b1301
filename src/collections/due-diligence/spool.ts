/** A place for text that is needed after what is being written now: on disk in the service, in memory in a test. */
export interface Spool extends AsyncDisposable {
  write(text: string): Promise<void>;
  /** Everything written, from the beginning. Nothing is written any more then. */
  read(): AsyncIterable<Uint8Array>;
}
