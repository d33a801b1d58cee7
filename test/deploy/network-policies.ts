import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A resource of Kubernetes. */
export interface Resource {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  data?: Record<string, string>;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs of many kinds
  spec?: any;
}

/** Components that a selector of pods names. */
export function selectedBy({ matchLabels = {}, matchExpressions = [] }: Selector): string[] {
  const key = 'app.kubernetes.io/component';
  return [matchLabels[key] ?? [], matchExpressions.flatMap(({ values }) => values)].flat();
}

interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: { matchLabels: Record<string, string> };
  podSelector?: { matchLabels: Record<string, string> };
}

/**
 * Whether a policy lets pods of a component out to `address:port`, or to `namespace[/app]:port`: policies add up, and a pod that
 * none names goes nowhere.
 */
export function reaches(policies: readonly Resource[], component: string, target: string): boolean {
  const [, host = '', port = ''] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(target) ?? [];
  const [namespace, app] = host.split('/');
  const matches = ({ ipBlock, namespaceSelector, podSelector }: Peer): boolean => {
    if (ipBlock === undefined) {
      const isNamespace = namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === namespace;
      return isNamespace && podSelector?.matchLabels['k8s-app'] === app;
    }
    if (isIP(host) === 0) return false;
    const address = ipaddr.parse(host);
    return [ipBlock.cidr, ...(ipBlock.except ?? [])].every((cidr, index) => {
      const [base, bits] = ipaddr.parseCIDR(cidr);
      return (base.kind() === address.kind() && address.match(base, bits)) === (index === 0);
    });
  };
  return policies.some(({ spec }) => {
    if (!selectedBy(spec.podSelector as Selector).includes(component)) return false;
    return ((spec.egress ?? []) as { to: Peer[]; ports: { port: number; endPort?: number }[] }[]).some(
      ({ to, ports }) =>
        to.some(matches) &&
        ports.some(({ port: first, endPort = first }) => Number(port) >= first && Number(port) <= endPort),
    );
  });
}
