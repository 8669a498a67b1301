import { Problem } from '../../src/errors.ts';
import type { TracesService } from '../../src/service/traces/traces.ts';

/** Filing of nobody: for tests of everything that only needs the routes to be there. */
export function noTraces(): TracesService {
  const none = async (): Promise<never> => {
    throw new Problem('submission_not_found', 'You have no submission with this id.');
  };
  return {
    status: async () => ({ environments: ['acceptance'], credentials: [] }),
    setCredentials: none,
    removeCredentials: async () => false,
    check: none,
    submit: none,
    list: async () => [],
    find: none,
    refresh: none,
    cancel: none,
    retract: none,
    amend: none,
    confirmationOf: () => null,
    echo: none,
    verify: none,
    retrieve: none,
  };
}
