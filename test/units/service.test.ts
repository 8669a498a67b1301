import { describeGroup } from './groups.ts';

describeGroup('service');
