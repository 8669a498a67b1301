import { Problem } from '../errors.ts';
import type { Principal, Scope } from './principal.ts';

/** Throws `Problem('forbidden')` when the credential lacks `scope`. No scope contains another one, `admin` included. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.includes(scope)) return;
  const got = principal.scopes.length === 0 ? 'no scope' : principal.scopes.join(', ');
  throw new Problem('forbidden', `This request needs the scope ${scope}; the credential has ${got}.`);
}
