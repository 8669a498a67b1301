import { describeGroup } from './groups.ts';

describeGroup('data');
