import { Spine } from './0001-spine.ts';
import { InstallationTable } from './0002-installation.ts';
import { Calls } from './0003-calls.ts';
import { Rollups } from './0004-rollups.ts';
import { Search } from './0005-search.ts';
import { SignIn } from './0006-sign-in.ts';
import { Webhooks } from './0007-webhooks.ts';
import { LinkPasswords } from './0008-link-passwords.ts';
import { Files } from './0009-files.ts';
import { Plans } from './0010-plans.ts';
import { Deliveries } from './0011-deliveries.ts';
import { DomainActors } from './0012-domain-actors.ts';
import { Purges } from './0013-purges.ts';
import { Threats } from './0014-threats.ts';
import { Audit } from './0015-audit.ts';
import { CapMoments } from './0016-cap-moments.ts';
import { Weeks } from './0017-weeks.ts';
import { Imports } from './0018-imports.ts';
import { Workers } from './0019-workers.ts';
import { Callers } from './0020-callers.ts';
import { AuditActors } from './0021-audit-actors.ts';
import { ImportBytes } from './0022-import-bytes.ts';

/** Every migration, oldest first. A name, once released, never changes. */
export const migrations = [
  { name: '0001-spine', class: Spine },
  { name: '0002-installation', class: InstallationTable },
  { name: '0003-calls', class: Calls },
  { name: '0004-rollups', class: Rollups },
  { name: '0005-search', class: Search },
  { name: '0006-sign-in', class: SignIn },
  { name: '0007-webhooks', class: Webhooks },
  { name: '0008-link-passwords', class: LinkPasswords },
  { name: '0009-files', class: Files },
  { name: '0010-plans', class: Plans },
  { name: '0011-deliveries', class: Deliveries },
  { name: '0012-domain-actors', class: DomainActors },
  { name: '0013-purges', class: Purges },
  { name: '0014-threats', class: Threats },
  { name: '0015-audit', class: Audit },
  { name: '0016-cap-moments', class: CapMoments },
  { name: '0017-weeks', class: Weeks },
  { name: '0018-imports', class: Imports },
  { name: '0019-workers', class: Workers },
  { name: '0020-callers', class: Callers },
  { name: '0021-audit-actors', class: AuditActors },
  { name: '0022-import-bytes', class: ImportBytes },
];
