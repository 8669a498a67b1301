/** The groups of commodities that have a tree each. */
export const CROP_GROUPS = ['perennial', 'annual', 'livestock', 'timber'] as const;
export type CropGroup = (typeof CROP_GROUPS)[number];

/** The group of each commodity. */
const GROUPS: Readonly<Record<string, CropGroup>> = {
  cocoa: 'perennial',
  coffee: 'perennial',
  palm: 'perennial',
  rubber: 'perennial',
  soy: 'annual',
  cattle: 'livestock',
  timber: 'timber',
};

/** The crop group of a commodity; null where none is stated, or one without a tree. */
export function cropGroupOf(commodity: string | null): CropGroup | null {
  return commodity !== null && Object.hasOwn(GROUPS, commodity) ? GROUPS[commodity] : null;
}

/**
 * Whose commodities a group takes for farmland of 2020. The published trees take all of them for every crop, so that a map
 * of soy can clear cocoa; here a map of annual crops does not clear a perennial one, nor the reverse.
 */
export const COUNTED_GROUPS = {
  perennial: ['perennial'],
  annual: ['annual'],
  livestock: ['livestock'],
  timber: ['perennial', 'annual', 'livestock'],
} as const satisfies Readonly<Record<CropGroup, readonly CropGroup[]>>;
