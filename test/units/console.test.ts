import { describeGroup } from './groups.ts';

describeGroup('console');
