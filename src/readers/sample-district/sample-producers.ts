import { DISTRICT, DISTRICT_VERSION } from './district.ts';
import { buildRegistry } from '../producers/build-registry.ts';
import type { RegistryRecord } from '../producers/registry.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import type { Pack } from '../packs/pack-file.ts';
import { SAMPLE_TERMS } from './sample-datasets.ts';
import { MILL_AT, SHEDS_AT } from './sample-features.ts';

const ID = 'sample-district-producers';
const TITLE = 'Sample district registry (synthetic)';

const RECORDS: readonly RegistryRecord[] = [
  { id: 'sample-1', names: ['Kilang Sawit Contoh Sdn Bhd', 'Contoh Palm Oil Mill'], at: MILL_AT, country: 'MY' },
  { id: 'sample-2', names: ['Koperasi Getah Contoh Berhad', 'Gudang Getah Contoh'], at: SHEDS_AT[0], country: 'MY' },
  { id: 'sample-3', names: ['Contoh Cocoa Trading Sdn Bhd', 'Gudang Koko Contoh'], at: SHEDS_AT[1], country: 'MY' },
  { id: 'sample-4', names: ['Kilang Papan Contoh Enterprise'], at: SHEDS_AT[2], country: 'MY' },
];

/** The producers of the sample district, made in memory; the same bytes every time. */
export function sampleRegistry(): Pack {
  return buildRegistry(ID, RECORDS, {
    ...SAMPLE_TERMS,
    title: TITLE,
    version: DISTRICT_VERSION,
    date: `${DISTRICT.year}-01-01`,
  });
}

/** The registry as the catalogue lists it. It knows the district and nothing around it. */
export function sampleRegistryDataset(): Dataset {
  return {
    ...SAMPLE_TERMS,
    id: ID,
    role: 'producers',
    kind: 'registry',
    coverage: { bbox: DISTRICT.bbox },
    version: DISTRICT_VERSION,
    date: `${DISTRICT.year}-01-01`,
    options: { title: TITLE, records: RECORDS.length, located: RECORDS.length },
  };
}

/** Whether a registry is that of the sample district. */
export function isSampleRegistry({ header }: Pack): boolean {
  return header.dataset === ID;
}
