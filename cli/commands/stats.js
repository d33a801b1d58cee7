import { findLink } from '../references.js';

export const statsCommand = {
  name: 'stats',
  summary: 'Count clicks by group, of a link or of all.',
  takes: '[LINK]',
  options: {
    by: {
      type: 'string',
      help: 'country, city, device, browser, os, referer, utmSource, shortLinks … Default: country.',
    },
    from: { type: 'string', help: 'First day, like 2026-11-01. Default: 30 days ago.' },
    to: { type: 'string', help: 'Day after the last one.' },
    timezone: { type: 'string', help: 'Whose days, like Europe/Berlin. Default: this computer’s.' },
    limit: { type: 'string', help: 'How many groups, at most 20. Default: 10.' },
  },
  async run({ client, values, positionals: [name], output }) {
    const link = name === undefined ? undefined : await findLink(client, name);
    const timezone = values.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    const { data, totalClicks } = await client.stats.overview({
      groupBy: values.by ?? 'country',
      timezone,
      ...(link !== undefined && { shortLinkIds: [link.id] }),
      ...(values.from !== undefined && { startDate: values.from }),
      ...(values.to !== undefined && { endDate: values.to }),
      ...(values.limit !== undefined && { limit: Number(values.limit) }),
    });
    const columns = {
      [values.by ?? 'country']: ({ group, label }) => label ?? group,
      clicks: ({ count }) => count,
      share: ({ count }) => `${Math.round((count / totalClicks) * 100)} %`,
    };
    output.list(data, columns, { data, totalClicks });
    output.note(`${totalClicks} clicks in all.`);
  },
};
