import type { AnyReply } from '../server/app.ts';

/** Adds the name of a header of the request that the answer depends on. */
export function addVary(reply: AnyReply, header: string): void {
  const names = String(reply.getHeader('vary') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (!names.some((name) => name.toLowerCase() === header)) reply.header('vary', [...names, header].join(', '));
}
