import { describeGroup } from './groups.ts';

describeGroup('domains');
