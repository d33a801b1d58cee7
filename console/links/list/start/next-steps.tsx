import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { plans } from '#core/organizations/plans.ts';
import { domainListQuery } from '#console/api/domains.ts';
import { importListQuery } from '#console/api/links/imports.ts';
import { keysQuery } from '#console/api/people/keys.ts';
import { webhookListQuery } from '#console/api/webhooks.ts';
import { useCan } from '#console/app/can.ts';
import { setPreferences, usePreferences } from '#console/app/preferences.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { IconButton } from '#console/ui/button.tsx';
import { Icon, type IconName } from '#console/ui/icon.tsx';
import css from './next-steps.module.css';
import { useStepWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';

type Step = 'domain' | 'import' | 'key' | 'webhook';

const places = {
  domain: { to: '/domains', icon: 'globe' },
  import: { to: '/imports/new', icon: 'import' },
  key: { to: '/settings/keys', icon: 'key' },
  webhook: { to: '/webhooks', icon: 'webhook' },
} as const satisfies Record<Step, { to: string; icon: IconName }>;

/**
 * What a new organization may want next, a card each. A card is gone once the organization has such a thing, and is not shown to
 * a person who may not make it or whose plan has none. All appear together, so that none moves another.
 */
export default function NextSteps() {
  const words = useStepWords();
  const { organization } = useSession();
  const { areStepsHidden } = usePreferences();
  const plan = plans[organization.plan];
  const isPremium = organization.plan === 'premium';
  const may: Record<Step, boolean> = {
    domain: useCan('domains', 'create'),
    import: useCan('shortLinks', 'create'),
    key: useCan('apiKeys', 'create') && isPremium,
    webhook: useCan('webhooks', 'create') && plan.webhooks > 0,
  };
  const domains = useQuery({ ...domainListQuery(), enabled: may.domain });
  const imports = useQuery({ ...importListQuery(), enabled: may.import });
  const keys = useQuery({ ...keysQuery(), enabled: may.key });
  const webhooks = useQuery({ ...webhookListQuery, enabled: may.webhook });
  const counts: Record<Step, number | undefined> = {
    domain: domains.data?.data.length,
    import: imports.data?.data.length,
    key: keys.data?.count,
    webhook: webhooks.data?.count,
  };
  const offered = (Object.keys(places) as Step[]).filter((step) => may[step]);
  const open = offered.filter((step) => counts[step] === 0);
  if (areStepsHidden || open.length === 0 || offered.some((step) => counts[step] === undefined)) return null;
  return (
    <section className={css.steps} aria-label={words.next}>
      <div className={layout.actions}>
        <h2>{words.next}</h2>
        <IconButton
          icon="close"
          size="small"
          label={words.hideNext}
          onPress={() => setPreferences({ areStepsHidden: true })}
        />
      </div>
      <ul className={css.cards}>
        {open.map((step) => {
          const { to, icon } = places[step];
          const { title, text } = words.steps[step];
          return (
            <li key={step}>
              <Link to={to} className={css.card}>
                <Icon name={icon} />
                <strong>{title}</strong>
                <span className="quiet small">{text}</span>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
