import { childOf, childrenOf, type XmlNode } from '../xml/read-xml.ts';
import type {
  DdsCommodity,
  DdsProducer,
  DdsStatement,
  RepresentedOperator,
  SdCommodity,
  SdProducer,
  SdStatement,
} from './statement.ts';

/**
 * A statement as the service or `write-statement.ts` wrote it. Read leniently: elements that are not known are passed
 * over, because samples of the service hold some that its description does not. Text is kept as it is, amounts as text.
 */
export function readStatement(node: XmlNode): DdsStatement & SdStatement {
  const operator = childOf(node, 'representedOperator');
  return {
    internalReferenceNumber: own(node, 'internalReferenceNumber'),
    activityType: own(node, 'activityType'),
    representedOperator: operator === null ? null : readOperator(operator),
    countryOfActivity: own(node, 'countryOfActivity'),
    borderCrossCountry: own(node, 'borderCrossCountry'),
    comment: own(node, 'comment'),
    commodities: childrenOf(node, 'commodities').map(readCommodity),
    geoLocationConfidential: truth(own(node, 'geoLocationConfidential')),
    groupedDeclarations: childrenOf(node, 'groupedDeclarations').flatMap(
      (group) => own(group, 'groupedDeclaration') ?? [],
    ),
  };
}

function readOperator(node: XmlNode): RepresentedOperator {
  const address = childOf(node, 'operatorAddress');
  return {
    operatorReferenceNumber: childrenOf(node, 'operatorReferenceNumber').map((pair) => ({
      identifierType: own(pair, 'identifierType') ?? '',
      identifierValue: own(pair, 'identifierValue') ?? '',
    })),
    operatorAddress:
      address === null
        ? null
        : {
            country: own(address, 'country') ?? '',
            street: own(address, 'street') ?? '',
            postalCode: own(address, 'postalCode') ?? '',
            city: own(address, 'city') ?? '',
            fullAddress: own(address, 'fullAddress'),
          },
    operatorEmail: own(node, 'operatorEmail'),
    operatorPhone: own(node, 'operatorPhone'),
    operatorName: own(node, 'operatorName'),
  };
}

function readCommodity(node: XmlNode): DdsCommodity & SdCommodity {
  const descriptors = childOf(node, 'descriptors');
  const measure = descriptors === null ? null : childOf(descriptors, 'goodsMeasure');
  return {
    position: whole(own(node, 'position')),
    descriptors: {
      descriptionOfGoods: descriptors === null ? null : own(descriptors, 'descriptionOfGoods'),
      goodsMeasure: {
        percentageEstimationOrDeviation: measure && own(measure, 'percentageEstimationOrDeviation'),
        netWeight: measure && own(measure, 'netWeight'),
        supplementaryUnit: measure && own(measure, 'supplementaryUnit'),
        supplementaryUnitQualifier: measure && own(measure, 'supplementaryUnitQualifier'),
      },
    },
    hsHeading: own(node, 'hsHeading'),
    speciesInfo: childrenOf(node, 'speciesInfo').map((species) => ({
      scientificName: own(species, 'scientificName'),
      commonName: own(species, 'commonName'),
    })),
    producers: childrenOf(node, 'producers').map(readProducer),
  };
}

function readProducer(node: XmlNode): DdsProducer & SdProducer {
  const location = childOf(node, 'producerLocation');
  if (location === null)
    return {
      position: whole(own(node, 'position')),
      country: own(node, 'country'),
      name: own(node, 'name'),
      geometryGeojson: own(node, 'geometryGeojson'),
    };
  return {
    producerPosition: whole(own(node, 'producerPosition')),
    producerCountry: own(node, 'producerCountry'),
    producerName: own(node, 'producerName'),
    producerLocation: {
      geometryGeojson: own(location, 'geometryGeojson'),
      postalAddress: childrenOf(location, 'postalAddress').map((address) => ({
        producerStreet: own(address, 'producerStreet'),
        producerPostalCode: own(address, 'producerPostalCode') ?? '',
        producerCity: own(address, 'producerCity') ?? '',
      })),
      cadastralIdentifier: childrenOf(location, 'cadastralIdentifier').map(({ text }) => text),
    },
  };
}

/** The text of a child as it is; null where it is not there or empty. */
function own(node: XmlNode, name: string): string | null {
  const text = childOf(node, name)?.text ?? '';
  return text === '' ? null : text;
}

function whole(text: string | null): number | null {
  return text === null || !/^-?\d+$/.test(text.trim()) ? null : Number(text);
}

function truth(text: string | null): boolean | null {
  const value = text?.trim();
  return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : null;
}
