import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { staffQuery, type ToolOutput } from '#console/api/staff.ts';
import { refreshSession } from '#console/app/refresh-session.ts';
import { useFormat } from '#console/i18n/format.ts';
import settings from '#console/settings/settings.module.css';
import { Button } from '#console/ui/button.tsx';
import { Select } from '#console/ui/field.tsx';
import { Chip, Failed, Notice, Skeleton } from '#console/ui/states.tsx';
import { NameDialog, ReasonDialog } from '#console/staff/dialogs.tsx';
import { StaffFrame } from '#console/staff/frame.tsx';
import { StaffList } from '#console/staff/list.tsx';
import { AuditRow, ProcessRow } from '#console/staff/rows/log.tsx';
import { DomainRow, FileRow, LinkRow } from '#console/staff/rows/subjects.tsx';
import { WebhookRow } from '#console/staff/rows/webhook.tsx';
import type { OrganizationSearch } from '#console/staff/search.ts';
import { SuspendDialog } from './suspend-dialog.tsx';
import { useChange } from '#console/staff/use-change.ts';
import { useStaffWords } from '#console/staff/words.ts';
import css from '#console/staff/staff.module.css';

const shownAtOnce = 10;

/** /staff/organizations/<id> */
export function StaffOrganizationPage() {
  const { id } = useParams({ from: '/frame/staff/organizations/$id' });
  return (
    <StaffFrame page="organizations">
      <Gathered id={id} />
    </StaffFrame>
  );
}

function Gathered({ id }: { id: string }) {
  const words = useStaffWords();
  const { data, error, refetch } = useQuery(staffQuery('organizations.get', { id }));
  if (data === undefined)
    return error === null ? <Skeleton rows={4} /> : <Failed error={error} onRetry={() => void refetch()} />;
  const input = { organizationId: id, limit: shownAtOnce };
  return (
    <>
      <Overview organization={data} />
      <StaffList path="members.list" input={input} title={words.members}>
        {(member) => (
          <li key={member.userId}>
            <span className={css.about}>
              <Link to="/staff/people" search={{ id: member.userId }}>
                {member.name}
              </Link>
              <span className="quiet">{member.email}</span>
            </span>
            <Chip>{words.roles[member.role]}</Chip>
          </li>
        )}
      </StaffList>
      <Keys id={id} />
      <StaffList path="links.search" input={input} title={words.pages.links}>
        {(link) => <LinkRow key={link.id} link={link} isOfMany={false} />}
      </StaffList>
      <StaffList path="files.list" input={input} title={words.pages.files}>
        {(file) => <FileRow key={file.id} file={file} isOfMany={false} />}
      </StaffList>
      <StaffList path="domains.list" input={input} title={words.pages.domains}>
        {(domain) => <DomainRow key={domain.id} domain={domain} isOfMany={false} />}
      </StaffList>
      <StaffList path="webhooks.list" input={input} title={words.pages.webhooks}>
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} isOfMany={false} />}
      </StaffList>
      <StaffList path="workflows.list" input={input} title={words.pages.processes}>
        {(run) => <ProcessRow key={run.runId} run={run} />}
      </StaffList>
      <StaffList path="audit.list" input={input} title={words.pages.audit}>
        {(line) => <AuditRow key={line.id} line={line} isOfMany={false} />}
      </StaffList>
    </>
  );
}

function Keys({ id }: { id: string }) {
  const words = useStaffWords();
  const format = useFormat();
  const revoke = useChange('apiKeys.revoke', words.revoked);
  return (
    <StaffList path="apiKeys.list" input={{ organizationId: id, limit: shownAtOnce }} title={words.keys}>
      {(key) => (
        <li key={key.id}>
          <span className={css.about}>
            <span>
              <strong>{key.name}</strong> <code>…{key.last4}</code>
            </span>
            <span className="quiet">
              {key.lastUsedAt === null ? words.neverUsed : words.lastUsed(format.day(key.lastUsedAt))}
            </span>
          </span>
          <Button
            size="small"
            variant="danger"
            isDisabled={revoke.isPending}
            aria-label={words.revokeOne(key.name)}
            onPress={() => revoke.mutate({ id: key.id })}
          >
            {words.revoke}
          </Button>
        </li>
      )}
    </StaffList>
  );
}

function Overview({ organization }: { organization: ToolOutput<'organizations.get'> }) {
  const words = useStaffWords();
  const format = useFormat();
  const { id, name, plan, isSuspended, suspendedAt, suspensionReason, createdAt, counts } = organization;
  const search = useSearch({ from: '/frame/staff/organizations/$id' });
  const navigate = useNavigate();
  const open = (dialog: OrganizationSearch['do']): void =>
    void navigate({
      to: '/staff/organizations/$id',
      params: { id },
      search: dialog === undefined ? {} : { do: dialog },
    });
  const resume = useChange('organizations.resume', words.isResumed(name));
  const setPlan = useChange('organizations.setPlan', words.planChanged);
  const facts = [
    [words.created, format.day(createdAt)],
    [words.members, format.number(counts.members)],
    [words.keys, format.number(counts.apiKeys)],
    [words.pages.links, format.number(counts.shortLinks)],
    [words.pages.domains, format.number(counts.domains)],
    [words.pages.webhooks, format.number(counts.webhooks)],
  ] as const;
  return (
    <section className={settings.panel} aria-label={name}>
      <h2>{name}</h2>
      {isSuspended && (
        <Notice tone="bad" icon="lock">
          <p>{words.suspendedSince(suspendedAt === null ? '' : format.moment(suspendedAt))}</p>
          <p>{suspensionReason ?? words.noReason}</p>
        </Notice>
      )}
      <dl className={css.facts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="tabular">{value}</dd>
          </div>
        ))}
        <div>
          <dt>{words.id}</dt>
          <dd>
            <code>{id}</code>
          </dd>
        </div>
      </dl>
      <div className={css.filters}>
        <Select
          label={words.plan}
          value={plan}
          isDisabled={setPlan.isPending}
          onChange={(next) => next !== plan && setPlan.mutate({ id, plan: next })}
          choices={[
            { id: 'free' as const, label: words.plans.free },
            { id: 'premium' as const, label: words.plans.premium },
          ]}
        />
        <div className={css.actions}>
          <Button icon="eye" onPress={() => open('view')}>
            {words.lookAtIt}
          </Button>
          {isSuspended ? (
            <Button icon="power" isDisabled={resume.isPending} onPress={() => resume.mutate({ id })}>
              {words.resume}
            </Button>
          ) : (
            <Button icon="lock" variant="danger" onPress={() => open('suspend')}>
              {words.suspend}
            </Button>
          )}
          <Button icon="trash" variant="danger" onPress={() => open('delete')}>
            {words.delete}
          </Button>
        </div>
      </div>
      {search.do === 'suspend' && !isSuspended && <SuspendDialog id={id} name={name} onClose={() => open(undefined)} />}
      {search.do === 'view' && <ViewDialog id={id} name={name} onClose={() => open(undefined)} />}
      {search.do === 'delete' && <DeleteDialog id={id} name={name} onClose={() => open(undefined)} />}
    </section>
  );
}

interface DialogProps {
  id: string;
  name: string;
  onClose: () => void;
}

function ViewDialog({ id, name, onClose }: DialogProps) {
  const words = useStaffWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const view = useChange('organizations.view', words.viewed(name), () => {
    void refreshSession(queries).then(() => navigate({ to: '/links', search: {} }));
  });
  return (
    <ReasonDialog
      title={words.viewTitle(name)}
      text={words.viewText}
      confirmLabel={words.lookAtIt}
      isPending={view.isPending}
      onConfirm={(reason) => view.mutate({ id, reason })}
      onClose={onClose}
    />
  );
}

function DeleteDialog({ id, name, onClose }: DialogProps) {
  const words = useStaffWords();
  const navigate = useNavigate();
  const remove = useChange(
    'organizations.delete',
    words.deleted(name),
    () => void navigate({ to: '/staff/organizations', search: {} }),
  );
  return (
    <NameDialog
      title={words.deleteTitle(name)}
      name={name}
      confirmLabel={words.deleteForGood}
      isPending={remove.isPending}
      onConfirm={() => remove.mutate({ id })}
      onClose={onClose}
    >
      <p>{words.deleteText}</p>
    </NameDialog>
  );
}
