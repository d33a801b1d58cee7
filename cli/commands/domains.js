import { findDomain } from '../references.js';

const stateOf = ({ isVerified, isPrimary, createdAt }) => {
  if (createdAt === null) return 'of the installation';
  if (!isVerified) return 'not verified';
  return isPrimary ? 'verified, primary' : 'verified';
};

const recordColumns = { type: ({ type }) => type, name: ({ name }) => name, value: ({ value }) => value };

export const domainCommands = [
  {
    name: 'domain list',
    summary: 'List the domains of the organization and of the installation.',
    async run({ client, output }) {
      output.list(await client.domains.listAll(), { domain: ({ domain }) => domain, state: stateOf });
    },
  },
  {
    name: 'domain add',
    summary: 'Add a domain, and print the records that verify it.',
    takes: 'DOMAIN',
    async run({ client, positionals: [name], output }) {
      const created = await client.domains.create({ domain: name });
      output.list(created.dns.records, recordColumns, created);
      for (const { message } of created.warnings ?? []) output.warn(message);
      output.note(`Publish these, then \`waymark domain check ${created.domain}\`.`);
    },
  },
  {
    name: 'domain check',
    summary: 'Ask the name servers now whether a domain is verified.',
    takes: 'DOMAIN',
    async run({ client, positionals: [name], output }) {
      const domain = await findDomain(client, name);
      await client.domains.checkDns(domain.id);
      const dns = await client.domains.getDns(domain.id);
      if (dns.state === 'verified') {
        output.result(dns, `${domain.domain} is verified.`);
        return 0;
      }
      output.list(dns.needed, recordColumns, dns);
      output.note(`${domain.domain} is ${dns.state}. Publish one of the records, then check again.`);
      return 1;
    },
  },
];
