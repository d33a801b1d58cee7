import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { configSections, secretNames } from '#config/schema.ts';
import { root } from './lib/paths.ts';

const lineLength = 120;

/** The text of `.env.example`: each variable of config/schema.ts with meaning and default. */
export function renderEnvExample(): string {
  const head = [
    'Every environment variable that Waymark reads. None must be set: each commented line shows a default.',
    `These may also be given as <NAME>_FILE, the path of a file that holds the value: ${secretNames.join(', ')}.`,
  ].flatMap(comment);
  const sections = Object.entries(configSections).map(([title, section]) => {
    const variables = Object.entries<z.ZodType>(section).map(([name, schema]) => renderVariable(name, schema));
    return [`## ${title}`, ...variables].join('\n\n');
  });
  return [head.join('\n'), ...sections].join('\n\n') + '\n';
}

function renderVariable(name: string, schema: z.ZodType): string {
  return [...comment(schema.description ?? ''), `# ${name}=${defaultOf(schema)}`].join('\n');
}

function defaultOf(schema: z.ZodType): string {
  // A transformed text: the default is that of the text.
  if (schema instanceof z.ZodPipe) return defaultOf(schema.def.in as z.ZodType);
  const value: unknown = schema instanceof z.ZodDefault ? schema.def.defaultValue : '';
  return Array.isArray(value) ? value.join(',') : `${value as string | number | boolean}`;
}

/** Wraps a text into comment lines. */
function comment(text: string): string[] {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > lineLength) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

if (import.meta.main) writeFileSync(join(root, '.env.example'), renderEnvExample());
