import { Worker } from '@temporalio/worker';

/**
 * Loaded before `worker.ts` (`node --import`): at SIGUSR2 Temporal's worker is as the SDK leaves it when its polls fail for good, after a
 * minute without the namespace: in the state FAILED, and `run` never settles.
 */
process.on('SIGUSR2', () => {
  Worker.prototype.getState = () => 'FAILED';
});
