import type { Agent } from '#edge/visitor/agent.ts';

const person: Agent = {
  isBot: false,
  isPreviewer: false,
  isAndroidWebView: false,
  osType: 'other',
  fields: 'other\t\\N\t\\N',
};

/** Takes every browser for the same one. */
export function createAgents(): () => Agent {
  return () => person;
}
