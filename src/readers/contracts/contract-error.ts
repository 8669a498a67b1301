/**
 * What does not hold about a dataset. Only `contract` says that the dataset is another one than its contract describes; the
 * others say that nobody could look.
 */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly kind = 'contract';
}
