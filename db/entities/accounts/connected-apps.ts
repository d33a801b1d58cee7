import { defineEntity, type EntityRepositoryType, type InferEntity, p } from '@mikro-orm/core';
import type { ConnectedAppRepository } from '#db/accounts/connected-apps.ts';
import { Organization, User } from './people.ts';

export const ConnectedAppSchema = defineEntity({
  name: 'ConnectedApp',
  tableName: 'connected_apps',
  properties: {
    /** Also the id of its grant at the authorization server. */
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization).deleteRule('cascade').index('connected_apps_organization_id_idx'),
    user: () => p.manyToOne(User).deleteRule('cascade').index('connected_apps_user_id_idx'),
    clientId: p.text().index('connected_apps_client_id_idx'),
    /** What it calls itself, as `toClientName` bounds it. */
    name: p.text(),
    /** The host, or the scheme of a program, to which the person was led back. */
    redirectHost: p.text(),
    /** Whether the person let it in by a session of the organization's identity provider, with which it ends. */
    isByProvider: p.boolean(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3),
    expiresAt: p.datetime(3).index('connected_apps_expires_at_idx'),
  },
});

/** An app that a person has let act for them in one organization by MCP (2.25). Its tokens are child rows. */
export class ConnectedApp extends ConnectedAppSchema.class {
  declare [EntityRepositoryType]?: ConnectedAppRepository;
}
ConnectedAppSchema.setClass(ConnectedApp);

/** A row of the authorization server: a client that registered itself, a request that waits for its person, a grant, code or token. */
export const OauthRecord = defineEntity({
  name: 'OauthRecord',
  tableName: 'oauth_records',
  properties: {
    kind: p.text().primary(),
    /** SHA-256 of the id, which of codes and tokens is their value. */
    idHash: p.text().primary(),
    app: () => p.manyToOne(ConnectedApp).nullable().deleteRule('cascade').index('oauth_records_app_id_idx'),
    /** Sealed (12.3): it holds the value. */
    payloadSealed: p.blob().hidden(),
    consumedAt: p.datetime(3).nullable(),
    /** Pseudonym of the network that it comes from, while no person has let it in. */
    network: p.text().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).index('oauth_records_expires_at_idx'),
  },
});
export type OauthRecord = InferEntity<typeof OauthRecord>;
