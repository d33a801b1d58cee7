import { useCallback, useEffect } from 'react';
import { readSession } from '#console/api/people/session.ts';
import type { Session } from '#console/api/types.ts';
import { createWords } from '#console/i18n/words.ts';
import { sayDone } from '#console/ui/messages.tsx';
import { useShowOrganization } from './use-organization-switch.ts';

const channelName = 'waymark.session';

const useWords = createWords({
  en: { moved: (name: string) => `Another tab has switched to ${name}` },
  de: { moved: (name: string) => `Ein anderer Tab ist zu ${name} gewechselt` },
});

const ownerOf = ({ user, organization }: Session): string => `${user.id} ${organization.id}`;

/**
 * Follows the other tabs of the browser to another organization or person: all tabs share one session, and a tab that still showed the
 * one before would change the other.
 */
export default function OtherTabs({ session }: { session: Session }) {
  const words = useWords();
  const show = useShowOrganization();
  const own = ownerOf(session);
  const follow = useCallback(async () => {
    const now = await readSession();
    // The tab that tells it may be the one that is behind.
    if (now === null || ownerOf(now) === own) return;
    await show(now);
    sayDone(words.moved(now.organization.name));
  }, [own, show, words]);

  useEffect(() => {
    const channel = new BroadcastChannel(channelName);
    channel.addEventListener('message', ({ data }) => {
      if (data !== own) void follow().catch(() => {});
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
    channel.postMessage(own);
    return () => channel.close();
  }, [own, follow]);

  return null;
}
