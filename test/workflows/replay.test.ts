// @module-tag slow

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, expect, test } from 'vitest';
import { historiesFolder, replay } from '#test/support/histories.ts';
import { installSilentRuntime } from '#test/support/test-worker.ts';
import * as workflows from '#workflows/index.ts';

const names = readdirSync(historiesFolder).filter((name) => name.endsWith('.json'));
const read = (name: string): unknown => JSON.parse(readFileSync(join(historiesFolder, name), 'utf8'));

/** The errors of the committed histories by name; undefined: the history replays. One worker replays all of them. */
let errors: ReadonlyMap<string, Error | undefined>;
beforeAll(async () => {
  installSilentRuntime();
  errors = await replay(names.map((name) => ({ workflowId: name, history: read(name) })));
});

test('every workflow has a committed history', () => {
  const types = names.map((name) => {
    const { events } = read(name) as {
      events: [{ workflowExecutionStartedEventAttributes: { workflowType: { name: string } } }];
    };
    return events[0].workflowExecutionStartedEventAttributes.workflowType.name;
  });
  expect([...new Set(types)].toSorted()).toEqual(Object.keys(workflows).toSorted());
});

// Running workflows of an older release continue with the code of this one.
test.each(names)('the current workflow replays %s', (name) => {
  expect(errors.has(name)).toBe(true);
  expect(errors.get(name)).toBeUndefined();
});

test('replaying a history of other commands fails', async () => {
  const history = JSON.stringify(read('threat-scan-completed.json'));
  const tampered = JSON.parse(history.replaceAll('scanUrls', 'somethingElse'));
  const replayed = await replay([{ workflowId: 'tampered', history: tampered }]);
  expect(replayed.get('tampered')).toBeInstanceOf(DeterminismViolationError);
});
