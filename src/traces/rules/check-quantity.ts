import { decimalText, type Amount, type GoodsMeasure } from '../messages/statement.ts';
import type { Report } from './filing-issues.ts';
import { isAtBorder, PATTERNS, PERCENTAGE, UNIT_QUALIFIERS, unitOfHeading } from './simple-types.ts';

/**
 * The quantities of a commodity. Import and export: net weight, no percentage, a supplementary unit if and only if the
 * heading is in the list. Domestic: net weight with a percentage, or a unit with its qualifier, or both.
 */
export function checkQuantity(
  measure: GoodsMeasure,
  heading: string,
  activity: string | null | undefined,
  at: string,
  report: Report,
): void {
  const field = `${at}.descriptors.goodsMeasure`;
  const { netWeight, supplementaryUnit, supplementaryUnitQualifier: qualifier } = measure;
  const hasUnit = isGiven(supplementaryUnit);
  for (const name of ['netWeight', 'supplementaryUnit'] as const)
    if (isGiven(measure[name]) && !isAmount(measure[name]))
      report('quantity_invalid', `${field}.${name}`, `wanted a number above 0, got ${JSON.stringify(measure[name])}`);
  if (hasUnit !== Boolean(qualifier))
    report(
      'unit_incomplete',
      `${field}.supplementaryUnit`,
      `wanted number and qualifier, got ${hasUnit ? 'the number' : 'the qualifier'} alone`,
    );
  if (qualifier && !UNIT_QUALIFIERS.includes(qualifier))
    report(
      'unit_invalid',
      `${field}.supplementaryUnitQualifier`,
      `wanted one of ${UNIT_QUALIFIERS.join(', ')}, got ${JSON.stringify(qualifier)}`,
    );
  if (isAtBorder(activity)) {
    if (!isGiven(netWeight)) report('net_weight_missing', `${field}.netWeight`, 'wanted kilograms, got nothing');
    checkBorder(measure, heading, field, report);
  } else if (!isGiven(netWeight) && !hasUnit) report('quantity_missing', field, 'wanted a quantity, got none');
  else if (activity === 'DOMESTIC') checkDomestic(measure, hasUnit, field, report);
}

function checkBorder(measure: GoodsMeasure, heading: string, field: string, report: Report): void {
  const hasUnit = isGiven(measure.supplementaryUnit);
  if (isGiven(measure.percentageEstimationOrDeviation))
    report(
      'percentage_not_allowed',
      `${field}.percentageEstimationOrDeviation`,
      'wanted none at import and export, got one',
    );
  const wanted = unitOfHeading(heading);
  if (wanted !== null && !hasUnit)
    report(
      'unit_missing',
      `${field}.supplementaryUnit`,
      `wanted a number of ${wanted} for heading ${heading}, got nothing`,
    );
  if (wanted === null && hasUnit && PATTERNS.heading.test(heading))
    report('unit_not_allowed', `${field}.supplementaryUnit`, `wanted none for heading ${heading}, got one`);
  const qualifier = measure.supplementaryUnitQualifier;
  if (wanted !== null && qualifier && qualifier !== wanted)
    report(
      'unit_invalid',
      `${field}.supplementaryUnitQualifier`,
      `wanted ${wanted} for heading ${heading}, got ${qualifier}`,
    );
}

function checkDomestic(measure: GoodsMeasure, hasUnit: boolean, field: string, report: Report): void {
  const percentage = measure.percentageEstimationOrDeviation;
  const at = `${field}.percentageEstimationOrDeviation`;
  if (!isGiven(percentage)) {
    if (!hasUnit) report('percentage_missing', at, 'wanted a percentage, got nothing');
    return;
  }
  const text = decimalText(percentage);
  if (text === null || !PATTERNS.percentage.test(text) || Number(text) > PERCENTAGE.most)
    report('percentage_invalid', at, `wanted 0 to ${PERCENTAGE.most}, got ${JSON.stringify(percentage)}`);
  else if (Number(text) > PERCENTAGE.sure)
    report('percentage_high', at, `${text} per cent; surely taken are ${PERCENTAGE.sure}`);
}

function isGiven(amount: Amount | null | undefined): amount is Amount {
  return amount !== null && amount !== undefined && amount !== '';
}

function isAmount(amount: Amount | null | undefined): boolean {
  const text = isGiven(amount) ? decimalText(amount) : null;
  return text !== null && PATTERNS.amount.test(text) && Number(text) > 0;
}
