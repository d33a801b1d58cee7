import { useQuery } from '@tanstack/react-query';
import { urlProblem } from '#core/links/destination.ts';
import { type LinkPreview, linkPreviewQuery } from '#console/api/links/link-preview.ts';
import { useDelayed } from '#console/ui/browser/delayed.ts';
import { destinationOf } from './destination.ts';

// People pause while they type an address; each look asks somebody else's server.
const restMs = 800;

/** What the page at a destination tells, once the text has rested; undefined: nothing yet, or it is no page of the web. */
export function useDestinationPage(destination: string): LinkPreview | undefined {
  const rested = useDelayed(destination, restMs);
  const { type, value } = destinationOf(rested);
  const isPage = type === 'link' && urlProblem(value) === undefined && /^https?:\/\/[^/]*\.[^/]/i.test(value);
  const { data } = useQuery({ ...linkPreviewQuery(value), enabled: isPage });
  return isPage && rested === destination ? data : undefined;
}
