import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { deliveriesQuery, type Webhook, webhookListQuery } from '#console/api/webhooks.ts';
import { Icon } from '#console/ui/icon.tsx';
import { webhookLabel } from '#core/webhooks/label.ts';
import { hasTrouble } from './health.tsx';
import { useWebhookWords } from './words.ts';
import css from './mark.module.css';

/** The mark in the menu while a webhook fails; it leads to the deliveries to look at. */
export default function WebhookMark() {
  const { data } = useQuery(webhookListQuery);
  const [first, ...others] = (data?.data ?? []).filter(hasTrouble);
  return first === undefined ? null : <Mark webhook={first} others={others.length} />;
}

function Mark({ webhook, others }: { webhook: Webhook; others: number }) {
  const words = useWebhookWords().mark;
  const { id, isActive } = webhook;
  // Where none has failed for good, those that wait for their next attempt, or that the end of the webhook held back.
  const { data } = useQuery({ ...deliveriesQuery(id, { status: 'failed' }, 0, 1), refetchInterval: 30_000 });
  const status = data?.count === 0 ? (isActive ? 'pending' : 'held') : 'failed';
  const label = words.label(webhookLabel(webhook), others);
  return (
    <Link to="/webhooks/$id" params={{ id }} search={{ status }} className={css.mark} aria-label={label} title={label}>
      <Icon name="warning" size={14} />
      <span className="wide-only">{words.text}</span>
    </Link>
  );
}
