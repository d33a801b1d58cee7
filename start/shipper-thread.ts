import { collectStartGarbage } from '#adapters/machine/heap.ts';
import { yieldToOtherThreads } from '#adapters/machine/thread-priority.ts';
import { runShipperThread } from '#edge/shipper/thread.ts';

// The thread of an edge that ships its clicks; `serveEdge` names it to the edge.
collectStartGarbage();
// Visitors wait for the thread beside it; clicks may wait for two seconds (5.5).
yieldToOtherThreads();
runShipperThread();
