import { z } from 'zod';
import { sealLines, checkChains, type ChainReport } from '#db/audit/audit-chains.ts';
import { beginSnapshot } from '#db/connection/lists/cursor.ts';
import { defineCommand } from '#scripts/cli/command.ts';
import { table } from '#scripts/cli/output.ts';
import { idSchema } from '#scripts/cli/values.ts';

const linesAtOnce = 1_000;

const findings = {
  changed: 'was changed after it was sealed',
  missing: 'is missing',
  cut: 'and all after it are missing',
  added: 'was added by something else than Waymark',
} as const;

export const verifyAuditCommand = defineCommand({
  name: 'audit verify',
  about:
    'Check that no line of the audit log was changed, added or taken away since it was sealed. Fails where a chain is broken.',
  isAudited: 'ifPossible',
  options: {
    org: { value: 'ID', about: 'Only the lines of this organization.' },
    head: {
      value: 'HASH',
      about: 'A head that an earlier check printed: the check fails where no chain has it any more.',
    },
  },
  schema: z.strictObject({
    org: idSchema.optional(),
    head: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
      .optional(),
  }),
  run: ({ org, head }, context) =>
    context.withEntities(async (em) => {
      while (await sealLines(em, new Date(), linesAtOnce));
      const chains: ChainReport[] = [];
      await em.transactional(
        async (em) => {
          await beginSnapshot(em);
          for await (const report of checkChains(em, { organizationId: org, noted: head })) chains.push(report);
        },
        { statementTimeoutMs: 0 },
      );
      const broken = chains.filter((chain) => chain.broken !== undefined);
      const isLost = head !== undefined && !chains.some(({ hasNoted }) => hasNoted);
      const rows = chains.map(({ organizationId, lines, erased, head: last, broken: found }) => [
        organizationId ?? 'Installation',
        found === undefined ? 'whole' : `line ${found.position} ${findings[found.kind]}`,
        String(lines),
        String(erased),
        last,
      ]);
      const text = [
        table([['Organization', 'Chain', 'Lines', 'Erased', 'Head'], ...rows]),
        ...(isLost ? ['No chain has the given head: lines were taken away or written anew.'] : []),
        broken.length === 0 && !isLost
          ? 'The audit log is as it was written.'
          : 'The audit log is not as it was written.',
      ].join('\n');
      return {
        json: {
          isWhole: broken.length === 0 && !isLost,
          hasHead: head === undefined ? null : !isLost,
          chains: chains.map(({ hasNoted: _hasNoted, broken: found, ...chain }) => ({
            ...chain,
            broken: found ?? null,
          })),
        },
        text,
        hasFailed: broken.length > 0 || isLost,
      };
    }),
});
