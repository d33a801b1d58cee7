import { describe, expect, test } from 'vitest';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { JournalError } from '#edge/journal/journal.ts';
import { createVisitCounts } from '#edge/metrics.ts';
import { createBotClicks } from '#edge/visit/bot-clicks.ts';
import type { EnrichedVisitor } from '#edge/visitor/enricher.ts';

function scene() {
  const counts = createVisitCounts();
  const lines: string[] = [];
  const state = { waitingBytes: 0, isFull: false };
  const { record } = createBotClicks({
    enricher: { botClick: ({ organizationId }) => organizationId },
    journal: {
      append(line, onWritten) {
        if (!state.isFull) lines.push(line);
        onWritten(state.isFull ? new JournalError('full') : undefined);
      },
    },
    waitingBytes: () => state.waitingBytes,
    maxWaitingBytes: 1_000,
    counts,
    perMinute: { organization: 3, process: 5 },
  });
  const visit = (organizationId: string, nowMs = 0): void =>
    record({ link: { organizationId } as CompiledLink, visitor: {} as EnrichedVisitor, nowMs }, 'https://example.com/');
  return { counts, lines, state, visit };
}

describe('visits of bots (5.10)', () => {
  test('are kept up to a number a minute, of an organization and of all', () => {
    const { counts, lines, visit } = scene();
    for (let index = 0; index < 4; index += 1) visit('a');
    for (let index = 0; index < 4; index += 1) visit('b');
    expect(lines).toEqual(['a', 'a', 'a', 'b', 'b']);
    visit('a', 59_999);
    visit('a', 60_000);
    expect(lines).toHaveLength(6);
    expect(counts).toMatchObject({ botClicks: 6, botClicksNotKept: 4, clicks: 0 });
  });

  test('leave the journal to clicks while it is late or full', () => {
    const { counts, lines, state, visit } = scene();
    state.waitingBytes = 1_001;
    visit('a');
    state.waitingBytes = 1_000;
    visit('a');
    state.isFull = true;
    visit('a');
    expect(lines).toEqual(['a']);
    expect(counts).toMatchObject({ botClicks: 1, botClicksNotKept: 2 });
  });
});
