/** All routes of the index. Called by app, where the host has one. */
import type { ApiHono } from "../hono-app.ts";
import { backupRoutes } from "./backups.ts";
import { ARROW_STREAMS_AT_ONCE, LONG_BODIES_AT_ONCE } from "./limits.ts";
import { listingRoutes } from "./listing.ts";
import { LongBodies } from "./long-bodies.ts";
import { vxMetricsRoutes } from "./metrics.ts";
import type { VxPorts } from "./ports.ts";
import { queryRoutes } from "./queries.ts";
import { reductionRoutes } from "./reduction.ts";
import { searchRoutes } from "./search.ts";
import { vectorRoutes } from "./vectors.ts";

export function vxRoutes(hono: ApiHono, ports: VxPorts, maxBodyBytes: number): void {
  const app = {
    hono,
    bodies: new LongBodies(LONG_BODIES_AT_ONCE),
    arrowStreams: new LongBodies(ARROW_STREAMS_AT_ONCE),
    maxBodyBytes,
  };
  vectorRoutes(app, ports.index);
  listingRoutes(app, ports.index);
  searchRoutes(app, ports.index);
  queryRoutes(app, ports.index);
  reductionRoutes(app, ports.index);
  backupRoutes(app, ports);
  vxMetricsRoutes(app, ports.index);
}
