import { loadRefusalWords } from '#console/api/refusal.ts';

// The console loads them as it starts. Files share loaded modules, so that what a test reads would hang on which files ran before it.
await loadRefusalWords();
