import { EntitySchema } from '@mikro-orm/core';
import * as connectedApps from './entities/accounts/connected-apps.ts';
import * as people from './entities/accounts/people.ts';
import * as secondFactors from './entities/accounts/second-factors.ts';
import * as audit from './entities/audit.ts';
import * as calls from './entities/calls.ts';
import * as clicks from './entities/clicks.ts';
import * as domains from './entities/domains.ts';
import * as files from './entities/files.ts';
import * as imports from './entities/imports.ts';
import * as installation from './entities/installation.ts';
import * as linkRecords from './entities/links/link-records.ts';
import * as links from './entities/links/links.ts';
import * as utmTemplates from './entities/links/utm-templates.ts';
import * as rollups from './entities/rollups.ts';
import * as threats from './entities/threats.ts';
import * as webhooks from './entities/webhooks.ts';

const exported = {
  ...connectedApps,
  ...people,
  ...secondFactors,
  ...audit,
  ...calls,
  ...clicks,
  ...domains,
  ...files,
  ...imports,
  ...installation,
  ...linkRecords,
  ...links,
  ...utmTemplates,
  ...rollups,
  ...threats,
  ...webhooks,
};

/** Every entity of the database: its definition, whose class is the entity's. */
export const entities = Object.values(exported).filter((value) => value instanceof EntitySchema);
