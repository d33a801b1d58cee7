import type { DeliveryStatus } from '#core/webhooks/standing.ts';
import { deliveryStatuses } from '#core/webhooks/standing.ts';
import { deliveredTypes, type DeliveredType } from '#core/webhooks/events.ts';
import { type DayRange, dayParameters } from '#console/app/days.ts';
import { countParameter, type Parameters, wordParameter } from '#console/app/places/search.ts';

/** Parameters of /webhooks/<id>: which deliveries are shown. */
export interface WebhookSearch extends DayRange {
  status?: DeliveryStatus;
  type?: DeliveredType;
  event?: string;
  page?: number;
}

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const idParameter = { read: (value: unknown) => (typeof value === 'string' && isId(value) ? value : undefined) };

export const webhookParameters: Parameters<WebhookSearch> = {
  status: wordParameter(deliveryStatuses),
  type: wordParameter(deliveredTypes),
  ...dayParameters,
  event: idParameter,
  page: countParameter,
};

/** Whether a text is an id as the API writes them. */
export function isId(text: string): boolean {
  return idPattern.test(text);
}
