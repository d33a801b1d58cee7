import { runCli } from './cli/run.ts';

// The operator's tool: `npm run -s waymark -- <command>`.
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
