import type { Config } from '../../config/settings.ts';
import { commodityOption } from '../../facilities/commodity/commodity-names.ts';
import type { FacilityOptions } from '../../facilities/options.ts';
import type { ValidateFacilitiesFields } from '../routes/facilities/schemas.ts';

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
