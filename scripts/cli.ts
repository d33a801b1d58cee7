import { runCli } from './cli/run.ts';

// The reader of a pipe has closed it, as in `organization export … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(1);
});

// The operator's tool: `npm run -s waymark -- <command>`.
process.exitCode = await runCli(process.argv.slice(2), process);
