import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ownOrganizationsQuery, signOut } from '#console/api/people/session.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { Messages } from '#console/ui/messages.tsx';
import { Empty, Notice } from '#console/ui/page/states.tsx';
import { AskOperator } from './ask-operator.tsx';
import { useOrganizationSwitch } from './use-organization-switch.ts';
import { useAppWords } from '#console/app/words.ts';
import { createWords } from '#console/i18n/words.ts';

const en = {
  title: 'This organization is suspended',
  text: (name: string) =>
    `The operator of this installation has suspended ${name}. Its links do not redirect, and its data is kept.`,
  reason: 'The operator says:',
  others: 'Your other organizations',
  toStaff: 'To the staff area',
};

const de: typeof en = {
  title: 'Diese Organisation ist gesperrt',
  text: (name) =>
    `Der Betreiber dieser Installation hat ${name} gesperrt. Ihre Links leiten nicht weiter, ihre Daten bleiben erhalten.`,
  reason: 'Der Betreiber sagt:',
  others: 'Ihre anderen Organisationen',
  toStaff: 'Zum Personalbereich',
};

const useSuspendedWords = createWords({ en, de });

/** Says that the organization is suspended, and offers the others; to staff, whose tools work all the same, those too. */
export default function SuspendedPage({ isStaff = false }: { isStaff?: boolean }) {
  const words = useSuspendedWords();
  const { signOut: signOutLabel } = useAppWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const switchTo = useOrganizationSwitch();
  const { data } = useQuery(ownOrganizationsQuery);
  const here = data?.data.find(({ id }) => id === data.organizationId);
  const leave = async (): Promise<void> => {
    await signOut().catch(() => {});
    queries.clear();
    await navigate({ to: '/sign-in', search: {} });
  };
  const others = data?.data.filter(({ isSuspended }) => !isSuspended) ?? [];
  return (
    <main>
      <Empty icon="shield" isPage title={words.title}>
        <p>{words.text(here?.name ?? '')}</p>
        {typeof here?.suspensionReason === 'string' && (
          <Notice tone="warn">
            {words.reason} <strong>{here.suspensionReason}</strong>
          </Notice>
        )}
        <p>
          <AskOperator contact={data?.supportContact ?? null} />
        </p>
        {others.length > 0 && (
          <>
            <h2>{words.others}</h2>
            <ul>
              {others.map(({ id, name }) => (
                <li key={id}>
                  <Button variant="plain" icon="arrowRight" onPress={() => void switchTo(id)}>
                    {name}
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
        <p>
          {isStaff && (
            <Link to="/staff" className={buttonClass('primary')}>
              <Icon name="shield" /> {words.toStaff}
            </Link>
          )}{' '}
          <Button icon="signOut" onPress={() => void leave()}>
            {signOutLabel}
          </Button>
        </p>
      </Empty>
      <Messages />
    </main>
  );
}
