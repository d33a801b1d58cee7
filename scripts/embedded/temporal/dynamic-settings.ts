/**
 * Dynamic settings of the embedded Temporal server, `key=JSON value`. They suit the dev server with its single history shard; a
 * cluster gets the same effect from more shards. npm start, tests and benchmarks share them.
 */
export const temporalDynamicSettings: readonly string[] = [
  // One shard polls for all queues: with the default of 20 each dispatch waits up to 50 ms.
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=500',
  // By default timers fire up to a second late, to allow for clock skew within a cluster.
  'history.timerProcessorMaxTimeShift="1ms"',
  // Four partitions on one small machine forward tasks to each other, for up to two seconds.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // Organizations take turns: a task's fairness key is its organization.
  'matching.useNewMatcher=true',
  'matching.enableFairness=true',
  // Operators pause single workflows.
  'frontend.WorkflowPauseEnabled=true',
  // By default a workflow id may continue as new once per second.
  'history.workflowIdReuseMinimalInterval="0s"',
  // Limits above the capacity of one small machine.
  'frontend.rps=100000',
  'frontend.namespaceRPS=100000',
  'history.rps=100000',
  'matching.rps=100000',
  'frontend.persistenceMaxQPS=100000',
  'history.persistenceMaxQPS=100000',
  'matching.persistenceMaxQPS=100000',
  // No call to the internet.
  'frontend.enableServerVersionCheck=false',
];
