export { fileSweep } from './file-sweep.ts';
export { threatScan } from './threat-scan.ts';
