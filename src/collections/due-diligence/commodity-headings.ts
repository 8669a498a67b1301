/**
 * Headings and subheadings of the Harmonized System that Annex I of Regulation (EU) 2023/1115 lists for a commodity, as
 * adopted on 31 May 2023; `first` are those a plot's own produce usually falls under. Proposals alone: which one applies
 * depends on the goods, and the annex may have been amended.
 */
interface CommodityHeadings {
  readonly name: string;
  readonly first: readonly string[];
  readonly others: readonly string[];
}

export const HEADINGS_SOURCE = 'Regulation (EU) 2023/1115, Annex I, as adopted on 31 May 2023';

export const COMMODITY_HEADINGS: Readonly<Record<string, CommodityHeadings>> = {
  cattle: {
    name: 'Cattle',
    first: ['010221', '010229'],
    others: ['0201', '0202', '020610', '020622', '020629', '160250', '4101', '4104', '4107'],
  },
  cocoa: { name: 'Cocoa', first: ['1801'], others: ['1802', '1803', '1804', '1805', '1806'] },
  coffee: { name: 'Coffee', first: ['0901'], others: [] },
  palm: {
    name: 'Oil palm',
    first: ['120710', '1511'],
    others: ['151321', '151329', '230660', '290545', '291570', '291590', '382311', '382312', '382319', '382370'],
  },
  rubber: {
    name: 'Rubber',
    first: ['4001'],
    others: ['4005', '4006', '4007', '4008', '4010', '4011', '4012', '4013', '4015', '4016', '4017'],
  },
  soy: { name: 'Soya', first: ['1201'], others: ['120810', '1507', '2304'] },
  timber: {
    name: 'Wood',
    first: ['4401', '4403'],
    others: [
      '4402',
      ...Array.from({ length: 18 }, (_, i) => String(4404 + i)),
      '47',
      '48',
      '49',
      '9401',
      '940330',
      '940340',
      '940350',
      '940360',
      '940391',
      '940610',
    ],
  },
};
