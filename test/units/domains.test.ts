import { describeUnits } from '../groups.ts';

describeUnits('domains');
