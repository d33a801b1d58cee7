import { findDomain } from '../references.js';

const stateOf = ({ isVerified, isPrimary }) =>
  [isVerified ? 'verified' : 'not verified', ...(isPrimary ? ['primary'] : [])].join(', ');

function showRecords(output, domain, dns) {
  output.list(dns.needed, { type: ({ type }) => type, name: ({ name }) => name, value: ({ value }) => value });
  output.note(
    `${domain.domain} is ${dns.state}. Publish one of the records, then \`waymark domain check ${domain.domain}\`.`,
  );
}

export const domainCommands = [
  {
    name: 'domain list',
    summary: 'List domains.',
    takes: '',
    least: 0,
    most: 0,
    options: {},
    async run({ client, output }) {
      const domains = [];
      for await (const domain of client.domains.list()) domains.push(domain);
      output.list(domains, { domain: ({ domain }) => domain, state: stateOf });
    },
  },
  {
    name: 'domain add',
    summary: 'Add a domain, and print the records that verify it.',
    takes: 'DOMAIN',
    least: 1,
    most: 1,
    options: {},
    async run({ client, positionals: [name], output }) {
      const domain = await client.domains.create({ domain: name });
      showRecords(output, domain, await client.domains.getDns(domain.id));
    },
  },
  {
    name: 'domain check',
    summary: 'Ask the name servers now whether a domain is verified.',
    takes: 'DOMAIN',
    least: 1,
    most: 1,
    options: {},
    async run({ client, positionals: [name], output }) {
      const domain = await findDomain(client, name);
      const dns = await client.domains.checkDns(domain.id).then(() => client.domains.getDns(domain.id));
      if (dns.state === 'verified') return output.result(dns, `${domain.domain} is verified.`);
      showRecords(output, domain, dns);
      return 1;
    },
  },
];
