import { TRACES_LIMITS } from '../interface-v3.ts';
import type { Filing, OperatorIdentifier, RepresentedOperator } from '../messages/statement.ts';
import { checkText, quoted } from './check-text.ts';
import type { Report } from './filing-issues.ts';
import { IDENTIFIER_TYPES, isAtBorder, PATTERNS, REPRESENTATIVE_ROLES, TEXT_LENGTHS } from './simple-types.ts';

const AT = 'statement.representedOperator';

/** The operator that a representative files for; with every other role there is none. */
export function checkOperator(filing: Filing, report: Report): void {
  const { statement, kind, operatorRole } = filing;
  const operator = statement.representedOperator ?? null;
  const isRepresentative = operatorRole === REPRESENTATIVE_ROLES[kind];
  if (operator === null) {
    if (isRepresentative) report('operator_missing', AT, 'wanted the operator you file for, got nothing');
    else if (isAtBorder(statement.activityType))
      report('eori_in_profile', 'operatorRole', 'the EORI of your own operator profile is not visible from here');
    return;
  }
  if (operatorRole && !isRepresentative)
    report('operator_not_wanted', AT, `wanted none with the role ${operatorRole}, got one`);
  checkNamed(operator, report);
  const identifiers = operator.operatorReferenceNumber ?? [];
  checkIdentifiers(identifiers, report);
  if (isAtBorder(statement.activityType) && !identifiers.some(({ identifierType }) => identifierType === 'eori'))
    report('eori_missing', `${AT}.operatorReferenceNumber`, 'wanted an identifier of type eori, got none');
}

function checkNamed(operator: RepresentedOperator, report: Report): void {
  const address = operator.operatorAddress;
  if (!operator.operatorName) report('operator_incomplete', `${AT}.operatorName`, 'wanted a name, got nothing');
  if (!address)
    report('operator_incomplete', `${AT}.operatorAddress`, 'wanted country, street, postal code and city, got nothing');
  else {
    for (const name of ['country', 'street', 'postalCode', 'city'] as const)
      if (!address[name]) report('operator_incomplete', `${AT}.operatorAddress.${name}`, 'wanted a text, got nothing');
    if (address.country && !PATTERNS.country.test(address.country))
      report('operator_invalid', `${AT}.operatorAddress.country`, `wanted two letters, got ${quoted(address.country)}`);
    for (const name of ['street', 'postalCode', 'city', 'fullAddress'] as const)
      checkText(address[name], TEXT_LENGTHS[name], `${AT}.operatorAddress.${name}`, report);
  }
  checkText(operator.operatorName, TEXT_LENGTHS.name, `${AT}.operatorName`, report);
  const { operatorEmail: email, operatorPhone: phone } = operator;
  if (email && !PATTERNS.email.test(email))
    report('operator_invalid', `${AT}.operatorEmail`, `wanted an email address, got ${quoted(email)}`);
  checkText(email, TEXT_LENGTHS.email, `${AT}.operatorEmail`, report);
  checkText(phone, TEXT_LENGTHS.phone, `${AT}.operatorPhone`, report);
}

function checkIdentifiers(identifiers: readonly OperatorIdentifier[], report: Report): void {
  const at = `${AT}.operatorReferenceNumber`;
  if (identifiers.length === 0) report('operator_incomplete', at, 'wanted at least one identifier, got none');
  if (identifiers.length > TRACES_LIMITS.identifiers)
    report(
      'operator_invalid',
      at,
      `wanted at most ${TRACES_LIMITS.identifiers} identifiers, got ${identifiers.length}`,
    );
  for (const [i, { identifierType: type, identifierValue: value }] of identifiers.entries()) {
    const field = `${at}[${i}]`;
    if (!IDENTIFIER_TYPES.includes(type))
      report(
        'operator_invalid',
        `${field}.identifierType`,
        `wanted one of ${IDENTIFIER_TYPES.join(', ')}, got ${quoted(type)}`,
      );
    if (!value) report('operator_incomplete', `${field}.identifierValue`, 'wanted a value, got nothing');
    else if (type === 'tin' && !PATTERNS.digits.test(value))
      report('operator_invalid', `${field}.identifierValue`, `wanted digits alone in a tin, got ${quoted(value)}`);
    else if (type === 'eori' && !PATTERNS.eori.test(value))
      report(
        'operator_invalid',
        `${field}.identifierValue`,
        `wanted two letters and up to 15 capitals or digits, got ${quoted(value)}`,
      );
    checkText(value, TEXT_LENGTHS.identifierValue, `${field}.identifierValue`, report);
  }
}
