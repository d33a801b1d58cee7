import { deliveryStatuses } from '#core/webhooks/standing.ts';
import { deliveredTypes } from '#core/webhooks/events.ts';
import { dayParameters } from '#console/app/days.ts';
import { countParameter, isId, type Parameter, type SearchOf, wordParameter } from '#console/app/places/search.ts';

const idParameter: Parameter<string> = {
  read: (value) => (typeof value === 'string' && isId(value) ? value : undefined),
};

/** Parameters of /webhooks/<id>: which deliveries are shown. */
export const webhookParameters = {
  status: wordParameter(deliveryStatuses),
  type: wordParameter(deliveredTypes),
  ...dayParameters,
  event: idParameter,
  page: countParameter,
};
export type WebhookSearch = SearchOf<typeof webhookParameters>;
