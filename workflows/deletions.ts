import { defineQuery, defineSignal, setCurrentDetails, setHandler, sleep } from '@temporalio/workflow';
import type { DeleteActivities, RemovedSome } from '#activities/deletions/deletions.ts';
import { domainIdKey, linkIdKey, processName } from '#core/temporal/search-attributes.ts';
import { waitsSignalName } from '#core/temporal/waits.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { type DeletionKind, deletionWorkflowId } from '#core/temporal/workflow-ids.ts';
import { activitiesOf, createListing, describeStart, detailsOf, goOn, turnPolicy } from './shared.ts';

/** Something deleted: `names` are its first two, and empty where none is left to be read; `linkIds` the first 40. */
interface DeletionTarget {
  id: string;
  kind: DeletionKind;
  organizationId: string;
  links: number;
  linkIds: string[];
  names: string[];
}

const workflowTypes = {
  links: 'deleteLink',
  domain: 'deleteDomain',
  folder: 'deleteFolder',
  organization: 'deleteOrganization',
} as const satisfies Record<DeletionKind, string>;

/** The workflow that removes what one call deleted. */
export function startOfDeletion({ id, kind, organizationId, links, linkIds, names }: DeletionTarget): WorkflowStart {
  const input: DeleteInput = { purgeId: id, links };
  const name = names.length === 0 ? '' : kind === 'links' ? processName(names, links) : processName(names);
  return describeStart({
    type: workflowTypes[kind],
    id: deletionWorkflowId(kind, id),
    input,
    summary: summaryOf(kind, links, name),
    organizationIds: [organizationId],
    priority: 'background',
    name,
    attributes: [
      ...(kind === 'domain' ? [{ key: domainIdKey, value: [id] }] : []),
      ...(linkIds.length > 0 ? [{ key: linkIdKey, value: linkIds }] : []),
    ],
    state: 'telling' satisfies DeleteState,
  });
}

function summaryOf(kind: DeletionTarget['kind'], links: number, name: string): string {
  const count = links === 1 ? '1 link' : `${links} links`;
  if (kind === 'links') return name === '' ? `Delete ${count}` : `Delete ${count}: ${name}`;
  if (kind === 'folder') return name === '' ? 'Delete a folder' : `Delete the folder ${name}`;
  return `Delete the ${kind} ${name === '' ? '' : `${name} `}with ${count}`;
}

interface DeleteInput {
  /** Id of the deletion's row. Workflows that run have this name, an older word for a deletion, in their input. */
  purgeId: string;
  /** How many links the call deleted. */
  links: number;
}

/**
 * `telling`: writing `link.deleted`, or moving a folder's links; `settling`: waiting for late clicks;
 * `removing`; `finishing`: the thing itself, which may have to wait for another deletion; `completed`.
 */
type DeleteState = 'telling' | 'settling' | 'removing' | 'finishing' | 'completed';
/** What lists show: `locked` in place of the state, while its statements wait for a lock. */
type ListedState = DeleteState | 'locked';

/** The progress of a deletion: its answer to `status`, and what it carries over when it continues as new. */
interface DeleteStatus {
  state: DeleteState;
  links: number;
  /** Links whose `link.deleted` this workflow wrote, or that it moved to the default folder. */
  told: number;
  /** What it removed: links, clicks, and other rows and files. */
  linksRemoved: number;
  clicksRemoved: number;
  rowsRemoved: number;
  /** Links still to be removed; null: not known yet. */
  linksLeft: number | null;
}

interface DeletePlan {
  /** What was deleted, for operators. */
  noun: string;
  doesTell: boolean;
  hasLinks: boolean;
  hasBelongings: boolean;
}

/** Activities remove rows in batches, for a turn of some 20 seconds; getting ready for a million links takes minutes. */
const policy = turnPolicy('1h');

/** Sent by the activity under way once a statement has waited for two seconds. */
const waitsSignal = defineSignal<[string | null]>(waitsSignalName);
export const deleteStatusQuery = defineQuery<DeleteStatus>('status');

// A turn is about six events of the history, and takes some 20 seconds.
const maxHistoryLength = 500;
const otherDeletionMs = 10_000;

/** Removes the links that one call deleted, with all that `deleteDomain` lists for links, a minute after the call. */
export const deleteLink = createDeletion({ noun: 'links', doesTell: false, hasLinks: true, hasBelongings: false });

/**
 * Removes a domain that `deleteDomain` of `commands/domains/domains.ts` has deleted; with the call its links are gone from lists,
 * statistics and the edge. In order: `link.deleted` for the links that the call left out; a wait until a minute after the call
 * for late clicks; batch by batch the links with destinations, rules, meta tags, tags, history, QR codes and verdicts that no
 * other link uses, their clicks, counts, caps, reports and wrong passwords; at last the domain with its QR template. The
 * statements: `db/deletions/links.ts`.
 */
export const deleteDomain = createDeletion({ noun: 'domain', doesTell: true, hasLinks: true, hasBelongings: false });

/** Moves the links of a deleted folder to the default one, and removes the folder. */
export const deleteFolder = createDeletion({ noun: 'folder', doesTell: true, hasLinks: false, hasBelongings: false });

/** Removes a deleted organization with everything it had: links, clicks, webhooks, keys, files. */
export const deleteOrganization = createDeletion({
  noun: 'organization',
  doesTell: true,
  hasLinks: true,
  hasBelongings: true,
});

type Deletion = (input: DeleteInput, before?: DeleteStatus) => Promise<DeleteStatus>;

function createDeletion(plan: DeletePlan): Deletion {
  return (input, before) => runDelete(input, plan, before);
}

/**
 * Removes what was deleted, in turns. The rows say what is left, so that it may continue as new at any moment.
 * @param before how far it had come when it last continued as new.
 */
async function runDelete(
  input: DeleteInput,
  plan: DeletePlan,
  before: DeleteStatus | undefined,
): Promise<DeleteStatus> {
  const { purgeId, links } = input;
  const list = createListing(before?.state);
  let status: DeleteStatus = before ?? {
    state: 'telling',
    links,
    told: 0,
    linksRemoved: 0,
    clicksRemoved: 0,
    rowsRemoved: 0,
    linksLeft: null,
  };
  setHandler(deleteStatusQuery, () => status, { description: 'How far the deletion has come.' });
  setHandler(waitsSignal, (waits) => listAs(waits === null ? status.state : 'locked', waits), {
    description: 'Sent by the activity under way; of no use to operators.',
  });
  const activities = (summary: string) => activitiesOf<DeleteActivities>(policy, summary);
  const target = { purgeId };
  if (status.state === 'telling' && plan.doesTell) await tell();
  if (status.state === 'telling' || status.state === 'settling') await settle();
  if (status.state === 'removing') await remove();
  await finish();
  return status;

  async function tell(): Promise<void> {
    show({ state: 'telling' });
    for (let more = true; more;) {
      const turn = await activities('Write link.deleted, or move links').tellOfDeletes(target);
      more = turn.more;
      show({ told: status.told + turn.told });
      await rest();
    }
  }

  async function settle(): Promise<void> {
    if (plan.hasLinks) {
      show({ state: 'settling' });
      const { waitMs } = await activities('Get ready to remove links').settleDelete(target);
      await sleep(waitMs, { summary: 'Until no click can be under way any more' });
    }
    show({ state: 'removing' });
  }

  async function remove(): Promise<void> {
    if (plan.hasLinks) {
      for (let more = true; more;) {
        more = take(await activities('Remove links and their clicks').removeDeletedLinks(target));
        await rest();
      }
    }
    if (plan.hasBelongings) {
      for (let more = true; more;) {
        more = take(await activities('Remove other rows and files').removeDeletedBelongings(target));
        await rest();
      }
    }
    show({ state: 'finishing' });
  }

  async function finish(): Promise<void> {
    while (!(await activities(`Remove the ${plan.noun}`).finishDelete(target))) {
      await rest();
      await sleep(otherDeletionMs, { summary: 'Until another deletion has ended' });
      if (plan.hasBelongings) await remove();
    }
    show({ state: 'completed' });
  }

  function take({ links: linksRemoved, clicks, rows, linksLeft, more }: RemovedSome): boolean {
    show({
      linksRemoved: status.linksRemoved + linksRemoved,
      clicksRemoved: status.clicksRemoved + clicks,
      rowsRemoved: status.rowsRemoved + rows,
      linksLeft,
    });
    return more;
  }

  function rest(): Promise<void> {
    return goOn<Deletion>(maxHistoryLength, input, status);
  }

  function show(change: Partial<DeleteStatus>): void {
    status = { ...status, ...change };
    setCurrentDetails(describe(status, plan));
    listAs(status.state);
  }

  function listAs(state: ListedState, lastError: string | null = null): void {
    list({
      state,
      lastError,
      nextStep: lastError === null ? nextSteps[status.state] : 'end the process that holds it',
    });
  }
}

const nextSteps: Partial<Record<DeleteState, string>> = {
  settling: 'removal, within a minute',
  finishing: 'its own row, after other deletions',
};

const stateTexts: Record<DeleteState, string> = {
  telling: 'Writing link.deleted for its links, or moving them to the default folder.',
  settling: 'Waiting until no click can be under way any more.',
  removing: 'Removing, in turns of about 20 seconds; the figures count the turns that have ended.',
  finishing: 'Removing its own row, as soon as no other row refers to it.',
  completed: 'Done.',
};

/** The details of a deletion for operators, in Markdown. */
function describe(status: DeleteStatus, { noun, doesTell, hasLinks, hasBelongings }: DeletePlan): string {
  const { state, links, told, linksRemoved, clicksRemoved, rowsRemoved, linksLeft } = status;
  return detailsOf([
    `**Deleted ${noun}**: ${stateTexts[state]}`,
    '',
    ...(hasLinks ? [`- links: ${links}`] : []),
    // The call itself wrote `link.deleted` for the first 500 links, or moved 2,000. An organization's links have no webhook left.
    ...(doesTell && !hasBelongings
      ? [`- ${hasLinks ? 'events written' : 'links moved'} by this workflow: ${told}`]
      : []),
    ...(hasLinks ? [`- links removed: ${linksRemoved}${linksLeft === null ? '' : `; left: ${linksLeft}`}`] : []),
    ...(hasLinks ? [`- clicks removed: ${clicksRemoved}`] : []),
    ...(hasBelongings ? [`- other rows and files removed: ${rowsRemoved}`] : []),
  ]);
}
