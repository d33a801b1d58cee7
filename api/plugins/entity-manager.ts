import fp from 'fastify-plugin';
import type { EntityManager } from '#db/connection/entity-manager.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The entity manager of this request alone. */
    readonly em: EntityManager;
  }
}

const forks = new WeakMap<object, EntityManager>();

/** Gives each request a fork of the entity manager, made when the request first asks for it. */
export const entityManager = fp(async (app, { em }: { em: EntityManager }) => {
  app.decorateRequest('em', {
    getter() {
      let fork = forks.get(this);
      if (fork === undefined) {
        fork = em.fork();
        forks.set(this, fork);
      }
      return fork;
    },
  });
});
