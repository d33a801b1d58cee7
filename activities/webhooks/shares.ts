/** Divides the requests that one organization may have open in this process evenly among its pumps. */
export interface RequestShares {
  /** Counts a pump. `read` gives the most requests that it may have open now, at least one. */
  begin(organizationId: string): { read(): number; end(): void };
}

/**
 * With 200 busy webhooks of one organization and ten requests each, a turn of the event loop took 0.3 s, and every statement of the process
 * at least one turn (bench row W2).
 */
const mostOpenOfOrganization = 200;

export function createRequestShares(): RequestShares {
  const pumps = new Map<string, number>();
  return {
    begin(organizationId) {
      pumps.set(organizationId, (pumps.get(organizationId) ?? 0) + 1);
      return {
        read: () => Math.max(1, Math.floor(mostOpenOfOrganization / pumps.get(organizationId)!)),
        end() {
          const left = pumps.get(organizationId)! - 1;
          if (left > 0) pumps.set(organizationId, left);
          else pumps.delete(organizationId);
        },
      };
    },
  };
}
