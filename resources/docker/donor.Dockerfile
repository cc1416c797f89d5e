# A donor without a window, for servers and lab machines. How to run it: docs/deploying.md.
#   docker build -f resources/docker/donor.Dockerfile -t gleaner-donor .
FROM node:24-slim AS build
WORKDIR /gleaner
COPY package.json package-lock.json ./
COPY packages/client/package.json packages/client/
COPY packages/queue/package.json packages/queue/
COPY packages/embedded/package.json packages/embedded/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY vite.headless.config.ts tsconfig.base.json ./
COPY app app
COPY cli cli
COPY convex convex
COPY launch launch
COPY main main
COPY packages packages
RUN npx vite build --config vite.headless.config.ts --logLevel warn
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
WORKDIR /gleaner
COPY --from=build /gleaner/package.json ./
COPY --from=build /gleaner/node_modules node_modules
COPY --from=build /gleaner/out/headless out/headless
COPY resources/demo-model resources/demo-model
RUN install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production GLEANER_DATA=/data
USER node
VOLUME /data
# The donor answers on its local socket, also while its backend is down.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["node", "out/headless/gleaner.js", "status", "--data", "/data", "--json"]
# Nobody works at this machine. The arguments of `docker run` are added.
ENTRYPOINT ["node", "out/headless/headless.js", "--unattended"]
