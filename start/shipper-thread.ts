import { collectStartGarbage } from '#adapters/machine/heap.ts';
import { runShipperThread } from '#edge/shipper/thread.ts';

// The thread of an edge that ships its clicks; `serveEdge` names it to the edge.
collectStartGarbage();
runShipperThread();
