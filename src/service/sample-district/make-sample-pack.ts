import { join } from 'node:path';
import type { Polygons } from '../../readers/formats/osm/assemble-rings.ts';
import type { PackManifest } from '../../readers/packs/manifest.ts';
import type { ThemeFeature, ThemeName } from '../../readers/themes/themes.ts';
import { draftPack } from '../../readers/packs/write-pack.ts';
import { DISTRICT, DISTRICT_VERSION } from '../../readers/sample-district/district.ts';
import { SAMPLE_TERMS } from '../../readers/sample-district/sample-datasets.ts';
import { isThere } from '../world/is-there.ts';

interface SamplePackPlan {
  readonly place: { readonly packsFolder: string; readonly id: string };
  /** Those that are written; default: all. */
  readonly themes?: readonly ThemeName[];
  readonly features: () => Iterable<ThemeFeature>;
  readonly coverage: Polygons;
  readonly options?: NonNullable<PackManifest['options']>;
}

/** Makes a pack of synthetic features unless it is there. Processes that start at once may all make it; all make the same bytes. */
export async function makeSamplePack({ place, themes, features, ...about }: SamplePackPlan): Promise<void> {
  const { packsFolder, id } = place;
  const folder = join(packsFolder, id);
  if (await isThere(folder)) return;
  const draft = await draftPack(packsFolder, themes);
  try {
    for (const feature of features()) await draft.sink(feature);
    if (await isThere(folder)) return;
    await draft.publish({
      mapped: 'whole',
      id,
      version: DISTRICT_VERSION,
      date: `${DISTRICT.year}-01-01`,
      ...SAMPLE_TERMS,
      source: { kind: 'sample', name: 'sample district', bytes: 0 },
      ...about,
    });
  } finally {
    await draft.close();
  }
}
