import type { Static } from 'typebox';
import { Problem } from '../../errors.ts';
import { findCrs } from '../../geo/crs/find-crs.ts';
import { type Field, FIELDS } from '../../locations/columns/fields.ts';
import type { LocationOptions } from '../../locations/options.ts';
import { commodityName, commodityOption } from '../../facilities/commodity/commodity-names.ts';
import type { NormalizeFields } from '../routes/locations/schemas.ts';
import { nearestName } from '../../nearest-name.ts';
import type { Config } from '../../config/settings.ts';
import type { FacilityOptions } from '../../facilities/options.ts';
import type { ValidateFacilitiesFields } from '../routes/facilities/schemas.ts';

/** Turns the form fields of a request for locations into options; throws `Problem('invalid_body')` that names the field. */
export function locationOptions(
  fields: Static<typeof NormalizeFields>,
  countryCode: (text: string) => string | null,
): LocationOptions {
  const country = fields.country?.trim() ?? '';
  const code = country === '' ? null : countryCode(country);
  if (country !== '' && code === null)
    throw refused('country', `wanted an ISO code or a usual name of a country, got ${shown(country)}`);
  return {
    locationType: fields.location_type ?? null,
    commodity: commodityName(fields.commodity_type),
    country: code,
    mapping: mappingOf(fields.mapping ?? ''),
    geocode: fields.geocode ?? true,
    crs: crsOf(fields.crs ?? ''),
    sheets: sheetsOf(fields.sheets ?? ''),
  };
}

function mappingOf(text: string): LocationOptions['mapping'] {
  if (text.trim() === '') return {};
  const parsed = json(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw refused('mapping', 'wanted a JSON object of column names and fields, got something else');
  const mapping: Record<string, Field | null> = Object.create(null);
  for (const [column, field] of Object.entries(parsed)) {
    if (field !== null && !isField(field)) {
      const nearest = typeof field === 'string' ? nearestName(field, FIELDS) : null;
      throw refused(
        'mapping',
        `wanted one of ${FIELDS.join(', ')} or null for ${shown(column)}, got ${shown(field)}${nearest === null ? '' : `; did you mean "${nearest}"?`}`,
      );
    }
    mapping[column] = field;
  }
  return mapping;
}

function isField(value: unknown): value is Field {
  return (FIELDS as readonly unknown[]).includes(value);
}

function crsOf(text: string): string | null {
  if (text.trim() === '') return null;
  const found = findCrs(/^\d+$/.test(text.trim()) ? `EPSG:${text.trim()}` : text);
  if ('refused' in found) throw refused('crs', found.refused);
  return found.name;
}

/** One name, or a JSON list of names. */
function sheetsOf(text: string): readonly string[] | null {
  if (text.trim() === '') return null;
  if (!text.trim().startsWith('[')) return [text];
  const parsed = json(text);
  if (!Array.isArray(parsed) || !parsed.every((name) => typeof name === 'string'))
    throw refused('sheets', 'wanted the name of a sheet or a JSON list of names, got something else');
  return parsed;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function refused(field: string, detail: string): Problem {
  return new Problem('invalid_body', `${field}: ${detail}.`, {
    errors: [{ pointer: `/form/${field}`, code: 'invalid', detail: `${field}: ${detail}.` }],
  });
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 80);
}

/** The options of facility checks from the fields of a request. */
export function facilityOptions(
  fields: ValidateFacilitiesFields,
  { checkTimeoutMs }: Pick<Config, 'checkTimeoutMs'>,
): FacilityOptions {
  return {
    ...commodityOption(fields.commodity_type),
    commodityRadiusM: fields.commodity_radius ?? 5000,
    checkWater: fields.check_water_access ?? false,
    checkPort: fields.check_port_proximity ?? false,
    checkRoad: fields.check_road_access ?? true,
    checkTimeoutMs,
  };
}
