/** A model file that cannot be used, and what was wanted of it. Never thrown for a fault of the disk or the network. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}
