/** What a client may know of each kind of failed read. Addresses, paths and words of servers stay in the log. */
const READ_FAULTS: Readonly<Record<string, string>> = {
  transport: 'it could not be reached',
  offline: 'this machine has no network',
  timeout: 'it did not answer in time',
  status: 'it refused to be read',
  short: 'an answer ended early',
  changed: 'it was replaced while it was read',
  contract: 'it is no longer what its contract says; GET /datasets says more',
};

/** Why a source failed, as the end of a sentence. Holds nothing of the error's own words. */
export function describeFailure(error: unknown): string {
  const { name, kind } = error as { readonly name?: unknown; readonly kind?: unknown };
  if (name === 'TimeoutError') return 'it did not answer in time';
  return (typeof kind === 'string' ? READ_FAULTS[kind] : undefined) ?? 'its data could not be read';
}
