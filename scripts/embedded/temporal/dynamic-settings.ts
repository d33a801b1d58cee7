/**
 * Dynamic settings of the embedded Temporal server, `key=JSON value`. They suit the dev server, which has a single
 * history shard; a real cluster gets the same effect from more shards. Used alike by npm start, tests and benchmarks.
 */
export const temporalDynamicSettings: readonly string[] = [
  // One shard polls for every queue: at the default of 20 each dispatch of a task waits up to 50 ms.
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=500',
  // Timers otherwise fire up to a second late, which makes up for clocks of a cluster's machines that differ.
  'history.timerProcessorMaxTimeShift="1ms"',
  // Four partitions on one small machine only pass tasks around, at times for two seconds.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // By default continue-as-new is held to one per second and workflow id.
  'history.workflowIdReuseMinimalInterval="0s"',
  // Ceilings that one small machine does not reach.
  'frontend.rps=100000',
  'frontend.namespaceRPS=100000',
  'history.rps=100000',
  'matching.rps=100000',
  'frontend.persistenceMaxQPS=100000',
  'history.persistenceMaxQPS=100000',
  'matching.persistenceMaxQPS=100000',
  // No call to the outside.
  'frontend.enableServerVersionCheck=false',
];
