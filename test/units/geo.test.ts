import { describeGroup } from './groups.ts';

describeGroup('geo');
