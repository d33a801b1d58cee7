import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { staffQuery, type ToolOutput } from '#console/api/staff.ts';
import { refreshSession } from '#console/app/refresh-session.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { Chip, Notice } from '#console/ui/page/states.tsx';
import { ReasonDialog, ReasonField } from '#console/staff/dialogs.tsx';
import { StaffFrame } from '#console/staff/frame.tsx';
import { StaffList, StaffRow } from '#console/staff/list.tsx';
import { AuditRow } from '#console/staff/rows/audit-row.tsx';
import { ProcessRow } from '#console/staff/rows/process-row.tsx';
import { DomainRow, FileRow, LinkRow } from '#console/staff/rows/subjects.tsx';
import { WebhookRow } from '#console/staff/rows/webhook.tsx';
import type { OrganizationSearch } from '#console/staff/search.ts';
import { useTool } from '#console/staff/use-tool.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { Panel } from '#console/ui/page/panel.tsx';
import { planNames } from '#core/organizations/plans.ts';
import layout from '#console/ui/page/layout.module.css';
import { Confirm, ConfirmByName } from '#console/ui/form/form-dialog.tsx';
import { Facts } from '#console/ui/page/facts.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { ToolButton } from '#console/staff/rows/actions.tsx';
import { useState } from 'react';

const shownAtOnce = 10;

/** /staff/organizations/<id> */
export default function StaffOrganizationPage() {
  const { id } = useParams({ from: '/frame/staff/organizations/$id' });
  return (
    <StaffFrame page="organizations">
      <Gathered id={id} />
    </StaffFrame>
  );
}

function Gathered({ id }: { id: string }) {
  const words = useStaffWords();
  const format = useFormat();
  const input = { organizationId: id, limit: shownAtOnce };
  return (
    <Loaded query={useQuery(staffQuery('organizations.get', { id }))} rows={4}>
      {(organization) => (
        <>
          <Overview organization={organization} />
          <StaffList path="members.list" input={input} title={words.members}>
            {(member) => (
              <StaffRow key={member.userId} lines={[member.email]} actions={<Chip>{words.roles[member.role]}</Chip>}>
                <Link to="/staff/people" search={{ id: member.userId }}>
                  {member.name}
                </Link>
              </StaffRow>
            )}
          </StaffList>
          <StaffList path="apiKeys.list" input={input} title={words.keys}>
            {(key) => (
              <StaffRow
                key={key.id}
                lines={[key.lastUsedAt === null ? words.neverUsed : words.lastUsed(format.day(key.lastUsedAt))]}
                actions={
                  <ToolButton
                    path="apiKeys.revoke"
                    input={{ id: key.id }}
                    variant="danger"
                    label={words.revokeOne(key.name)}
                    done={words.revoked}
                  >
                    {words.revoke}
                  </ToolButton>
                }
              >
                <strong>{key.name}</strong> <code>…{key.last4}</code>
              </StaffRow>
            )}
          </StaffList>
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
      )}
    </Loaded>
  );
}

function Overview({ organization }: { organization: ToolOutput<'organizations.get'> }) {
  const words = useStaffWords();
  const format = useFormat();
  const { id, name, plan, isSuspended, suspendedAt, suspensionReason, createdAt, counts } = organization;
  const { search, change } = usePageSearch<OrganizationSearch>();
  // In place of the open dialog, which Back would open again.
  const close = (): void => change({ do: undefined }, { replace: true });
  const resume = useTool('organizations.resume', words.isResumed(name));
  // A letter or an arrow key in the closed select chooses too: no plan changes without a question.
  const [asked, setAsked] = useState<typeof plan>();
  const setPlan = useTool('organizations.setPlan', words.planChanged, () => setAsked(undefined));
  const facts = [
    [words.created, format.day(createdAt)],
    [words.members, format.number(counts.members)],
    [words.keys, format.number(counts.apiKeys)],
    [words.pages.links, format.number(counts.shortLinks)],
    [words.pages.domains, format.number(counts.domains)],
    [words.pages.webhooks, format.number(counts.webhooks)],
    [words.id, <code key="id">{id}</code>, 'wide'],
  ] as const;
  return (
    <Panel title={name}>
      {isSuspended && (
        <Notice tone="bad" icon="lock">
          <p>{words.suspendedSince(suspendedAt === null ? '' : format.moment(suspendedAt))}</p>
          <p>{suspensionReason ?? words.noReason}</p>
        </Notice>
      )}
      <Facts facts={facts} />
      <div className={layout.filters}>
        <Select
          label={words.plan}
          value={plan}
          onChange={(next) => next !== plan && setAsked(next)}
          choices={planNames.map((one) => ({ id: one, label: words.plans[one] }))}
        />
        <div className={layout.actions}>
          <Button icon="eye" onPress={() => change({ do: 'view' })}>
            {words.lookAtIt}
          </Button>
          {isSuspended ? (
            <Button icon="power" isPending={resume.isPending} onPress={() => resume.send({ id })}>
              {words.resume}
            </Button>
          ) : (
            <Button icon="lock" variant="danger" onPress={() => change({ do: 'suspend' })}>
              {words.suspend}
            </Button>
          )}
          <Button icon="trash" variant="danger" onPress={() => change({ do: 'delete' })}>
            {words.delete}
          </Button>
        </div>
      </div>
      {asked !== undefined && (
        <Confirm
          title={words.planTitle(name, words.plans[asked])}
          submitLabel={words.changePlan}
          isPending={setPlan.isPending}
          onSubmit={() => setPlan.send({ id, plan: asked })}
          onClose={() => setAsked(undefined)}
        >
          <p>{words.planText}</p>
        </Confirm>
      )}
      {search.do === 'suspend' && !isSuspended && <SuspendDialog id={id} name={name} onClose={close} />}
      {search.do === 'view' && <ViewDialog id={id} name={name} onClose={close} />}
      {search.do === 'delete' && <DeleteDialog id={id} name={name} onClose={close} />}
    </Panel>
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
  const view = useTool('organizations.view', words.viewed(name), () => {
    void refreshSession(queries).then(() => navigate({ to: '/links', search: {}, replace: true }));
  });
  return (
    <ReasonDialog
      title={words.viewTitle(name)}
      text={words.viewText}
      submitLabel={words.lookAtIt}
      isPending={view.isPending}
      onReason={(reason) => view.send({ id, reason })}
      onClose={onClose}
    />
  );
}

function DeleteDialog({ id, name, onClose }: DialogProps) {
  const words = useStaffWords();
  const navigate = useNavigate();
  const remove = useTool(
    'organizations.delete',
    words.deleted(name),
    () => void navigate({ to: '/staff/organizations', search: {}, replace: true }),
  );
  return (
    <ConfirmByName
      title={words.deleteTitle(name)}
      name={name}
      submitLabel={words.deleteForGood}
      isPending={remove.isPending}
      onSubmit={() => remove.send({ id })}
      onClose={onClose}
    >
      <p>{words.deleteText}</p>
    </ConfirmByName>
  );
}

/** Suspends an organization, with the reason that it reads, once its name is typed. */
function SuspendDialog({ id, name, onClose }: DialogProps) {
  const words = useStaffWords();
  const [reason, setReason] = useState('');
  const suspend = useTool('organizations.suspend', words.isSuspended(name), onClose);
  return (
    <ConfirmByName
      title={words.suspendTitle(name)}
      name={name}
      isNameFirst={false}
      submitLabel={words.suspend}
      isReady={reason.trim() !== ''}
      isPending={suspend.isPending}
      onSubmit={() => suspend.send({ id, reason: reason.trim() })}
      onClose={onClose}
    >
      <p>{words.suspendText}</p>
      <ReasonField value={reason} onChange={setReason} />
    </ConfirmByName>
  );
}
