import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { plans } from '#core/organizations/plans.ts';
import { apiBase } from '#console/api/client.ts';
import { signOut } from '#console/api/people/session.ts';
import type { Session } from '#console/api/types.ts';
import { languages, setLanguage, useLanguage } from '#console/i18n/language.ts';
import { Button, buttonClass, IconButton } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { Messages } from '#console/ui/messages.tsx';
import { isHalted } from './can.ts';
import { useConnection } from './connection.ts';
import { isDialogOpen, useKeyHint, useKeys, useModKey } from './keys.ts';
import { footPlaces, menuPlaces } from './places/places.ts';
import { Unread } from './places/unread.tsx';
import { setPreferences, usePreferences } from './preferences.ts';
import { SessionProvider, useSession } from './sign-in/session-context.tsx';
import { keepRole } from './sign-in/role-change.ts';
// Not late: letters that are typed right after its keys belong to it.
import { Palette } from './palette/palette.tsx';
import { useOrganizationSwitch } from './organization/use-organization-switch.ts';
import { useAppWords } from './words.ts';
import { Bell } from '#console/processes/bell.tsx';
import { isManyAddresses, keepLines } from '#console/links/many/lines.ts';
import { useNewLink } from '#console/links/new-link.tsx';
import { useDocumentEvent } from '#console/ui/browser/document-event.ts';
import { useKeptFocus } from '#console/ui/browser/focus.ts';
import { late } from '#console/ui/page/late.tsx';
import css from './shell.module.css';

const ConfirmDialog = late(async () => (await import('./factors/confirm-dialog.tsx')).ConfirmDialog, 'message');
const SignInAgain = late(async () => (await import('./sign-in/again.tsx')).SignInAgain, 'message');
const SignInYourself = late(async () => (await import('./sign-in/again.tsx')).SignInYourself, 'message');
const KeyHelp = late(async () => (await import('./palette/key-help.tsx')).default, 'message');
const DropAnywhere = late(async () => (await import('#console/imports/drop/anywhere.tsx')).default, 'nothing');
const OtherTabs = late(async () => (await import('./organization/other-tabs.tsx')).default, 'nothing');
const ViewingBar = late(async () => (await import('./organization/viewing.tsx')).default, 'nothing');
const WebhookMark = late(async () => (await import('#console/webhooks/mark.tsx')).default, 'nothing');

// After the list has been drawn.
const preloadAfterMs = 1_000;

/** Whether a place stands behind "More" where the menu is a bar at the foot of a narrow page. */
const isSecond = (to: string): boolean => !['/links', '/stats', '/domains', '/webhooks'].includes(to);

/** The frame of all pages of a signed-in person. */
export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const words = useAppWords();
  const { isReached, signIn, confirmation } = useConnection();
  const [open, setOpen] = useState<'palette' | 'keys'>();
  const navigate = useNavigate();
  const newLink = useNewLink();
  const keyHint = useKeyHint();
  const isStopped = isHalted(session);
  // Staff who look at an organization change nothing.
  const isReadOnly = session.viewing !== null || isStopped;
  const make = (address: string): void => (isReadOnly ? undefined : newLink(address));
  usePaste(make, () => (isReadOnly ? undefined : void navigate({ to: '/links/many' })));
  usePreloadedParts();
  useKeptFocus();
  useEffect(() => keepRole(session), [session]);
  // Other pages have a primary action of their own.
  const { pathname } = useLocation();
  const isList = pathname.endsWith('/links') && !pathname.includes('/staff/');
  const { permissions, organization } = session;
  const hasWebhooks =
    permissions.webhooks?.includes('read') === true && plans[organization.plan].webhooks > 0 && !isStopped;
  useKeys({
    'mod+k': () => setOpen('palette'),
    c: () => make(''),
    '?': () => setOpen('keys'),
    'g l': () => void navigate({ to: '/links' }),
    'g s': () => void navigate({ to: '/stats' }),
    'g d': () => void navigate({ to: '/domains' }),
    'g w': () => void navigate({ to: '/webhooks' }),
    'g i': () => void navigate({ to: '/imports' }),
  });
  return (
    <SessionProvider value={session}>
      <a className={css.skip} href="#content">
        {words.skip}
      </a>
      <div className={[css.shell, session.viewing !== null ? css.viewed : ''].join(' ')}>
        <nav className={css.menu} aria-label={words.navigation}>
          <Link to="/links" className={css.brand}>
            <img src={`${apiBase()}/console/icon.svg`} alt="" width={28} height={28} />
            {words.product}
          </Link>
          {menuPlaces.map(({ heading, items }) => (
            <Fragment key={heading ?? 'first'}>
              {heading !== undefined && <div className={css.group}>{words[heading]}</div>}
              {items.map(({ to, icon, name }) => (
                <div key={to} className={css.entry} data-second={isSecond(to)}>
                  <Link to={to} className={css.item} activeOptions={{ includeSearch: false }}>
                    <Icon name={icon} />
                    {words[name]}
                  </Link>
                  {name === 'webhooks' && hasWebhooks && <WebhookMark />}
                </div>
              ))}
            </Fragment>
          ))}
          <div className={css.more}>
            <MorePlaces isStaff={session.user.isStaff} />
          </div>
          <div className={css.foot}>
            {footPlaces(session.user.isStaff).map(({ to, icon, name }) => (
              <Link
                key={to}
                to={to}
                className={[css.item, name === 'staff' ? css.staff : ''].join(' ')}
                activeOptions={{ includeSearch: false }}
              >
                <Icon name={icon} />
                {words[name]}
              </Link>
            ))}
            <a className={css.item} href={`${apiBase()}/ui`} target="_blank" rel="noreferrer">
              <Icon name="external" />
              {words.apiReference}
            </a>
          </div>
        </nav>
        <header className={css.top}>
          <SearchButton onPress={() => setOpen('palette')} />
          <span className={css.gap} />
          <Button
            variant={isList ? 'primary' : 'normal'}
            icon="add"
            hint={isStopped ? words.halted : session.viewing === null ? keyHint('c') : words.viewedOnly}
            isDisabled={isReadOnly}
            onPress={() => newLink('')}
          >
            <span className="wide-only">{words.newLink}</span>
          </Button>
          {!isStopped && <Bell />}
          <Account onKeys={() => setOpen('keys')} />
        </header>
        <main id="content" className={css.page} tabIndex={-1}>
          {!isReached && (
            <p className={css.offline} role="status">
              {words.offline}
            </p>
          )}
          {session.viewing !== null && <ViewingBar organization={organization} viewing={session.viewing} />}
          <Unread className={css.unread} />
          <Outlet />
        </main>
      </div>
      <OtherTabs session={session} />
      {!isReadOnly && <DropAnywhere />}
      {open === 'palette' && <Palette onClose={() => setOpen(undefined)} />}
      {open === 'keys' && <KeyHelp onClose={() => setOpen(undefined)} />}
      {children}
      {signIn !== undefined && <SignInAgain email={session.user.email} />}
      {confirmation !== undefined && <ConfirmDialog />}
      <Messages />
    </SessionProvider>
  );
}

/** The places for which the bar of a narrow page has no room. */
function MorePlaces({ isStaff }: { isStaff: boolean }) {
  const words = useAppWords();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const second = menuPlaces.flatMap(({ items }) => items).filter(({ to }) => isSecond(to));
  const others = footPlaces(isStaff);
  const isHere = [...second, ...others].some(({ to }) => pathname.includes(`/${to.split('/')[1]}`));
  return (
    <Menu
      label={words.more}
      trigger={
        <Button variant="plain" icon="more" aria-current={isHere ? 'page' : undefined}>
          {words.more}
        </Button>
      }
      groups={[second, others].map((group) =>
        group.map(({ to, icon, name }) => ({
          id: to,
          label: words[name],
          icon,
          onAction: () => void navigate({ to }),
        })),
      )}
    />
  );
}

function SearchButton({ onPress }: { onPress: () => void }) {
  const words = useAppWords();
  return (
    <button type="button" className={[buttonClass(), css.search].join(' ')} onClick={onPress}>
      <Icon name="search" />
      <span className="clip">{words.search}</span>
      <kbd>{useModKey()} K</kbd>
    </button>
  );
}

function Account({ onKeys }: { onKeys: () => void }) {
  const words = useAppWords();
  const language = useLanguage();
  const { theme, hasSingleKeys } = usePreferences();
  const keyHint = useKeyHint();
  const queries = useQueryClient();
  const router = useRouter();
  const switchTo = useOrganizationSwitch();
  const { user, organization, isByProvider } = useSession();
  const [isAsking, setAsking] = useState(false);

  async function leave(): Promise<void> {
    await signOut().catch(() => {});
    void import('#console/imports/result/kept-files.ts').then(({ forgetFiles }) => forgetFiles()).catch(() => {});
    queries.clear();
    await router.navigate({ to: '/sign-in', search: { email: user.email } });
  }

  const others = user.organizations.filter(({ id }) => id !== organization.id);
  const yourself = {
    id: 'yourself',
    label: words.switchOrganization,
    icon: 'refresh' as const,
    onAction: () => setAsking(true),
  };
  return (
    <>
      <Menu
        label={words.account}
        trigger={<IconButton icon="people" label={words.account} />}
        head={
          <p className={css.who}>
            <strong>{user.name}</strong>
            <br />
            {user.email}
            <br />
            {organization.name}
          </p>
        }
        groups={[
          others.map(({ id, name }) => ({
            id,
            label: name,
            icon: 'refresh' as const,
            onAction: () => void switchTo(id),
          })),
          isByProvider ? [yourself] : [],
          (['system', 'light', 'dark'] as const)
            .filter((one) => one !== theme)
            .map((one) => ({
              id: `theme-${one}`,
              label: `${words.theme}: ${words.themeOf[one]}`,
              icon: 'eye' as const,
              onAction: () => setPreferences({ theme: one }),
            })),
          languages
            .filter((one) => one !== language)
            .map((one) => ({
              id: `language-${one}`,
              label: words.languageOf[one],
              icon: 'globe' as const,
              onAction: () => setLanguage(one),
            })),
          [
            {
              id: 'settings',
              label: words.settings,
              icon: 'settings',
              onAction: () => void router.navigate({ to: '/settings/you' }),
            },
            { id: 'keys', label: words.keys, icon: 'help', keys: keyHint('?'), onAction: onKeys },
            {
              id: 'single-keys',
              label: words.singleKeys,
              icon: hasSingleKeys ? 'check' : 'close',
              onAction: () => setPreferences({ hasSingleKeys: !hasSingleKeys }),
            },
          ],
          [{ id: 'sign-out', label: words.signOut, icon: 'signOut', onAction: () => void leave() }],
        ]}
      />
      {isAsking && <SignInYourself email={user.email} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Loads what opens over pages once the page is quiet, so that it opens without a wait. */
function usePreloadedParts(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      void import('#console/links/editor/new-link-dialog.tsx').catch(() => {});
      void SignInAgain.preload();
    }, preloadAfterMs);
    return () => clearTimeout(timer);
  }, []);
}

/** An address pasted anywhere but into a field opens the editor, filled in; several ones, one a line, the page that makes many links. */
function usePaste(newLink: (address: string) => void, newLinks: () => void): void {
  useDocumentEvent('paste', (event) => {
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || isDialogOpen()) return;
    const text = event.clipboardData?.getData('text/plain').trim() ?? '';
    if (isManyAddresses(text)) {
      keepLines(text);
      newLinks();
    } else if (text === '' || text.length > 8_192 || /\s/.test(text)) return;
    else newLink(text);
    event.preventDefault();
  });
}
