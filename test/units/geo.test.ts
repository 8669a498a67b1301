import { describeUnits } from '../groups.ts';

describeUnits('geo');
