import { Problem } from '../errors.ts';

/** For a page after something that is not there: an empty one would look like the last. */
export function pageIsGone(what: string, before: string): Problem {
  const detail = `before: wanted \`next\` of the page before, whose last ${what} is still there, got "${before}"; begin again without it.`;
  return new Problem('invalid_parameter', detail, {
    errors: [{ pointer: '/query/before', code: 'not_found', detail }],
  });
}
