import type { DeliveryStatus } from '#core/webhooks/standing.ts';
import { deliveryStatuses } from '#core/webhooks/standing.ts';
import { deliveredTypes, type DeliveredType } from '#core/webhooks/events.ts';
import { countParameter, type Parameters, wordParameter } from '#console/app/search.ts';

/** Parameters of /webhooks/<id>: which deliveries are shown. */
export interface WebhookSearch {
  status?: DeliveryStatus;
  type?: DeliveredType;
  /** Days in the person's time zone, YYYY-MM-DD; both count. */
  since?: string;
  until?: string;
  /** Id of an event. */
  event?: string;
  page?: number;
}

const dayPattern = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const dayParameter = {
  read: (value: unknown) =>
    typeof value === 'string' && dayPattern.test(value) && !Number.isNaN(startOf(value)) ? value : undefined,
};
const idParameter = { read: (value: unknown) => (typeof value === 'string' && isId(value) ? value : undefined) };

export const webhookParameters: Parameters<WebhookSearch> = {
  status: wordParameter(deliveryStatuses),
  type: wordParameter(deliveredTypes),
  since: dayParameter,
  until: dayParameter,
  event: idParameter,
  page: countParameter,
};

/** Whether a text is an id as the API writes them. */
export function isId(text: string): boolean {
  return idPattern.test(text);
}

/** Milliseconds of the first moment of a day in the person's time zone. */
function startOf(day: string, later = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).getTime();
}

/** The range of moments that the API filters by; `until` is the end of its day. */
export function rangeOf({ since, until }: Pick<WebhookSearch, 'since' | 'until'>) {
  return {
    since: since === undefined ? undefined : new Date(startOf(since)).toISOString(),
    until: until === undefined ? undefined : new Date(startOf(until, 1)).toISOString(),
  };
}
