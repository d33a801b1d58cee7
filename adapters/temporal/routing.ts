import type { WorkerDeploymentVersion } from '@temporalio/common';

/**
 * Which workflows Temporal gives to the workers of one version. `current`: every workflow that begins. `ramping`: a share of the workflows
 * that begin. `pinned`: only the workflows that this version began, until they end; another version is current. `none`: no workflows, because
 * no version is current.
 */
export type Routing = keyof typeof routingTexts;

/** For the log. */
export const routingTexts = {
  current: 'this version of the workers is current: it gets all work that begins',
  ramping: 'this version of the workers gets a share of the work that begins',
  pinned: 'another version of the workers is current: this one gets the rest of what it began',
  none: 'no version of the workers is current: this one gets no work',
} as const;

// WORKER_VERSIONING_MODE_VERSIONED of Temporal's API.
const versionedMode = 2;

type Version = { deploymentName?: string | null; buildId?: string | null } | null;

/** The versions of a task queue, as Temporal tells them. */
interface QueueVersions {
  /** Absent: workers without a version get the work. */
  currentDeploymentVersion?: Version;
  rampingDeploymentVersion?: Version;
  /** 0 where a ramp was taken back. */
  rampingVersionPercentage?: number | null;
}

/** Which work a version gets of a task queue. */
export function routingOf({ deploymentName, buildId }: WorkerDeploymentVersion, versions: QueueVersions): Routing {
  const { currentDeploymentVersion: current, rampingDeploymentVersion: ramping, rampingVersionPercentage } = versions;
  const isOwn = (other: Version | undefined): boolean =>
    other?.deploymentName === deploymentName && other.buildId === buildId;
  if (isOwn(current)) return 'current';
  if (isOwn(ramping) && (rampingVersionPercentage ?? 0) > 0) return 'ramping';
  return current ? 'pinned' : 'none';
}

/** Whether a poller gets the work that begins: its version is the current one, or it has none and no version is current. */
export function isOfCurrent(
  { currentDeploymentVersion: current }: QueueVersions,
  poller:
    | { deploymentName?: string | null; buildId?: string | null; workerVersioningMode?: number | null }
    | null
    | undefined,
): boolean {
  const isVersioned = poller?.workerVersioningMode === versionedMode;
  if (!current) return !isVersioned;
  return isVersioned && poller.deploymentName === current.deploymentName && poller.buildId === current.buildId;
}

/** The command by which an operator makes a version current. */
export function setCurrentCommand({ deploymentName, buildId }: WorkerDeploymentVersion): string {
  return `temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId} --yes`;
}
