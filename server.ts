import { runToExit, stopSignal } from './adapters/machine/process.ts';
import { runServer } from './start/server.ts';
import { isOperatorError } from './start/shared.ts';

/**
 * The server process: the REST API, the edge, or both (SERVE). The edge serves without a database what it has in memory;
 * the API waits for its database. Ends with 0 on SIGTERM or SIGINT, or when its supervisor goes.
 */
await runToExit(() => runServer(stopSignal()), isOperatorError);
