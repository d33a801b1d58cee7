import { dayParameters } from '#console/app/days.ts';
import { type SearchOf, textParameter, wordParameter } from '#console/app/places/search.ts';

export const statusClasses = ['2xx', '4xx', '5xx'] as const;

/** Parameters of /settings/calls. */
export const callsParameters = {
  status: wordParameter(statusClasses),
  /** A type of callers, or `all`; none: API keys. */
  by: textParameter,
  /** The id of one caller: of a person, where `by` says so, else of a key. */
  caller: textParameter,
  search: textParameter,
  /** The request id of the call that is shown alone. */
  call: textParameter,
  ...dayParameters,
};
export type CallsSearch = SearchOf<typeof callsParameters>;
