import { keepBrowser } from '../console/browser.ts';
import { describeShare } from '../groups.ts';

keepBrowser();
describeShare('console', 4);
