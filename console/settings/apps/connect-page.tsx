import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { AppRequest } from '#api/oauth/consent-routes.ts';
import { appRequestQuery, decideApp } from '#console/api/people/apps.ts';
import { ownOrganizationsQuery } from '#console/api/people/session.ts';
import type { OwnOrganizations } from '#console/api/types.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useTitle } from '#console/app/places/title.ts';
import { Button } from '#console/ui/button.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { Facts } from '#console/ui/page/facts.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { useAppsWords } from './words.ts';
import css from './connect.module.css';

type Words = ReturnType<typeof useAppsWords>;

/** /connect?request=…: an app asks to act for the person, who allows or denies it. */
export default function ConnectPage() {
  const words = useAppsWords();
  useTitle(words.connect);
  const { request: uid = '' } = useSearch({ from: '/frame/connect' });
  const request = useQuery(appRequestQuery(uid));
  const organizations = useQuery(ownOrganizationsQuery);
  return (
    <article className={[layout.page, layout.narrow].join(' ')}>
      <h1>{words.connect}</h1>
      {uid === '' ? (
        <Over />
      ) : (
        <Loaded query={request} rows={4} gone={<Over />}>
          {(app) => (
            <Loaded query={organizations} rows={4}>
              {({ data }) => <Question uid={uid} app={app} organizations={data} />}
            </Loaded>
          )}
        </Loaded>
      )}
    </article>
  );
}

function Over() {
  const words = useAppsWords();
  return (
    <Panel title={words.over}>
      <p>{words.overText}</p>
      <Link to="/settings/apps">{words.toApps}</Link>
    </Panel>
  );
}

interface QuestionProps {
  uid: string;
  app: AppRequest;
  organizations: OwnOrganizations['data'];
}

function Question({ uid, app: { name, clientHost, redirectHost }, organizations }: QuestionProps) {
  const words = useAppsWords();
  const session = useSession();
  const able = organizations.filter(({ plan, isSuspended }) => plan !== 'free' && !isSuspended);
  const [chosen, setChosen] = useState(session.organization.id);
  const organizationId = (able.find(({ id }) => id === chosen) ?? able[0])?.id;
  const decide = useChange({
    send: (allowed: string | undefined) => decideApp(uid, allowed),
    failed: words.notDecided,
    onDone: ({ returnTo }) => location.assign(returnTo),
  });
  if (decide.answer !== undefined) {
    return (
      <div role="status">
        <Notice tone="good" icon="check">
          {words.goingOn}
        </Notice>
      </div>
    );
  }
  return (
    <Panel title={words.asks(clientHost ?? name)}>
      <Facts
        facts={[
          [words.calls, name],
          [words.from, clientHost && <strong key="host">{clientHost}</strong>],
          [words.leadsTo, placeOf(redirectHost, words)],
        ]}
      />
      <Notice tone="warn">{clientHost === null ? words.unproven : words.proven(clientHost)}</Notice>
      {organizationId === undefined ? (
        <p>{words.noOrganization}</p>
      ) : (
        <Select
          label={words.organization}
          hint={words.organizationHint}
          value={organizationId}
          onChange={setChosen}
          choices={able.map(({ id, name: label }) => ({ id, label }))}
        />
      )}
      <Points title={words.mayTitle} points={words.may} />
      <Points title={words.mayNotTitle} points={words.mayNot} />
      <p className="quiet">{words.ends}</p>
      <div className={layout.actions}>
        <Button
          variant="primary"
          isDisabled={organizationId === undefined}
          isPending={decide.isPending}
          onPress={() => decide.send(organizationId)}
        >
          {words.allow}
        </Button>
        <Button isPending={decide.isPending} onPress={() => decide.send(undefined)}>
          {words.deny}
        </Button>
      </div>
    </Panel>
  );
}

function Points({ title, points }: { title: string; points: readonly string[] }) {
  return (
    <div>
      <h3>{title}</h3>
      <ul className={css.points}>
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </div>
  );
}

/** Where the browser goes on: a host, a program at a port of this computer, or one that has a scheme of its own. */
function placeOf(redirectHost: string, words: Words) {
  if (/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(redirectHost)) return words.thisMachine(redirectHost);
  return /[.:]/.test(redirectHost) ? <strong>{redirectHost}</strong> : words.program(redirectHost);
}
