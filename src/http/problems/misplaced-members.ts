import { Problem } from '../../errors.ts';

/** Where an option goes that does not belong into a body of points, as the end of a sentence. */
type MisplacedMembers = Readonly<Record<string, string>>;

/** What no body of points may say, whatever the endpoint. */
export const NEVER_CHOSEN: MisplacedMembers = {
  source_year: 'it cannot be chosen: the newest year there is always answers',
  commodity_type: 'this endpoint takes no commodity',
};

/** Refuses members of a GeoJSON body that are options in the wrong place. Other foreign members are ignored. */
export function refuseMisplaced(body: object, misplaced: MisplacedMembers): void {
  const errors = Object.keys(body)
    .filter((name) => Object.hasOwn(misplaced, name))
    .map((name) => ({
      pointer: `/${name}`,
      code: 'misplaced',
      detail: `/${name} is not read in the body; ${misplaced[name]!}.`,
    }));
  if (errors.length > 0) throw new Problem('invalid_body', errors.map(({ detail }) => detail).join(' '), { errors });
}
