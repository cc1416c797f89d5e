# The embedded backend with Gleaner's functions and its console. How to run it: docs/deploying.md.
#   docker build -f resources/docker/backend.Dockerfile -t gleaner-backend .
FROM node:24-slim AS build
WORKDIR /gleaner
COPY package.json package-lock.json ./
COPY packages/client/package.json packages/client/
COPY packages/queue/package.json packages/queue/
COPY packages/embedded/package.json packages/embedded/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY vite.console.config.ts vite.content-security-policy.ts vite.languages.ts wuchale.config.ts tsconfig.base.json ./
COPY app app
COPY convex convex
COPY packages packages
COPY renderer renderer
RUN npx vite build --config vite.console.config.ts --logLevel warn
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
WORKDIR /gleaner
COPY --from=build /gleaner/package.json ./
COPY --from=build /gleaner/node_modules node_modules
COPY --from=build /gleaner/packages packages
COPY --from=build /gleaner/app app
COPY --from=build /gleaner/convex convex
COPY --from=build /gleaner/out/console out/console
RUN install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production
USER node
VOLUME /data
EXPOSE 3210 3211
# The backend is ready when it can serve requests and write its data.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:3210/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The arguments of `docker run` are added, such as --public-url.
ENTRYPOINT ["node", "packages/embedded/main.ts", "--host", "0.0.0.0", "--port", "3210", "--site-port", "3211", "--convex", "convex", "--data", "/data/backend.sqlite", "--static", "/console=out/console", "--pass-env", "GLEANER_SIGNING_KEY", "--log-refusals", "--on-start", "maintenance:cancelCutOffCalls"]
