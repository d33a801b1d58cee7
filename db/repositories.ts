import { DomainSchema } from '#db/entities/domains.ts';
import { FileSchema } from '#db/entities/files.ts';
import { ImportSchema } from '#db/entities/imports.ts';
import { AuditEntrySchema } from '#db/entities/audit.ts';
import { FolderSchema, ShortLinkSchema, TagSchema } from '#db/entities/links/links.ts';
import {
  ApiKeySchema,
  MembershipSchema,
  OrganizationSchema,
  InvitationSchema,
  PasswordResetSchema,
  SessionSchema,
  UserSchema,
} from '#db/entities/accounts/people.ts';
import { UtmTemplateSchema } from '#db/entities/links/utm-templates.ts';
import { DeliverySchema, WebhookSchema } from '#db/entities/webhooks.ts';
import { DomainRepository } from '#db/domains/domains.ts';
import { FileRepository } from '#db/files/files.ts';
import { ImportRepository } from '#db/imports/imports.ts';
import { FolderRepository } from '#db/labels/folders.ts';
import { ShortLinkRepository } from '#db/links/short-links.ts';
import { TagRepository } from '#db/labels/tags.ts';
import { UtmTemplateRepository } from '#db/labels/utm-templates.ts';
import { ApiKeyRepository } from '#db/organizations/api-keys.ts';
import { AuditRepository } from '#db/audit/audit.ts';
import { OrganizationRepository } from '#db/organizations/organizations.ts';
import { InvitationRepository } from '#db/organizations/invitations.ts';
import { PasswordResetRepository } from '#db/accounts/password-resets.ts';
import { MembershipRepository, UserRepository } from '#db/organizations/people.ts';
import { ConnectedAppRepository } from '#db/accounts/connected-apps.ts';
import { ConnectedAppSchema } from '#db/entities/accounts/connected-apps.ts';
import { SessionRepository } from '#db/accounts/sessions.ts';
import { DeliveryRepository } from '#db/webhooks/deliveries/deliveries.ts';
import { WebhookRepository } from '#db/webhooks/webhooks.ts';

/**
 * Gives each entity its repository. Here, and not in the entities' files, since repositories import entities: the two would
 * import each other.
 */
export function useRepositories(): void {
  OrganizationSchema.setCustomRepository(() => OrganizationRepository);
  UserSchema.setCustomRepository(() => UserRepository);
  MembershipSchema.setCustomRepository(() => MembershipRepository);
  PasswordResetSchema.setCustomRepository(() => PasswordResetRepository);
  InvitationSchema.setCustomRepository(() => InvitationRepository);
  ConnectedAppSchema.setCustomRepository(() => ConnectedAppRepository);
  SessionSchema.setCustomRepository(() => SessionRepository);
  ApiKeySchema.setCustomRepository(() => ApiKeyRepository);
  DomainSchema.setCustomRepository(() => DomainRepository);
  FileSchema.setCustomRepository(() => FileRepository);
  ImportSchema.setCustomRepository(() => ImportRepository);
  AuditEntrySchema.setCustomRepository(() => AuditRepository);
  FolderSchema.setCustomRepository(() => FolderRepository);
  ShortLinkSchema.setCustomRepository(() => ShortLinkRepository);
  TagSchema.setCustomRepository(() => TagRepository);
  UtmTemplateSchema.setCustomRepository(() => UtmTemplateRepository);
  WebhookSchema.setCustomRepository(() => WebhookRepository);
  DeliverySchema.setCustomRepository(() => DeliveryRepository);
}
