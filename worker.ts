import { runToExit, stopSignal } from './adapters/machine/process.ts';
import { isWorkerMistake, runWorker } from './start/worker.ts';

/**
 * The worker process: Temporal's worker with its activities, and the relay that feeds it from the outbox. It waits for the
 * database and for Temporal while they are unreachable. Ends with 0 on SIGTERM or SIGINT, or when its supervisor goes.
 */
await runToExit(() => runWorker(stopSignal()), isWorkerMistake);
