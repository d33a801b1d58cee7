export { threatScan } from './threat-scan.ts';
