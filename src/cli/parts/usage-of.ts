import { UsageError } from '../command.ts';

/** What `answer` returns; a value that cannot be understood is a call that cannot be. */
export function usageOf<T>(answer: () => T): T {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Error && error.name === 'Problem')
      throw new UsageError(`--${error.message}`, { cause: error });
    throw error;
  }
}
