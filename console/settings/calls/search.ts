import { type DayRange, dayParameters } from '#console/app/days.ts';
import { type Parameters, textParameter, wordParameter } from '#console/app/places/search.ts';

export type StatusClass = '2xx' | '4xx' | '5xx';

/** Parameters of /settings/calls. */
export interface CallsSearch extends DayRange {
  status?: StatusClass;
  /** A type of callers, or `all`; none: API keys. */
  by?: string;
  /** The id of one caller: of a person, where `by` says so, else of a key. */
  caller?: string;
  search?: string;
  /** The request id of the call that is shown alone. */
  call?: string;
}

export const callsParameters: Parameters<CallsSearch> = {
  status: wordParameter<StatusClass>(['2xx', '4xx', '5xx']),
  by: textParameter,
  caller: textParameter,
  search: textParameter,
  call: textParameter,
  ...dayParameters,
};
