/**
 * What every host of the REST API must answer, whatever carries the requests: run in one process here, over a
 * real HTTP server and through a service worker by the suites of those hosts.
 */
import { describe } from "vitest";
import { describeAccess } from "./conformance/access.ts";
import { createCaller } from "./conformance/caller.ts";
import { describeContent } from "./conformance/content.ts";
import { describeDocument } from "./conformance/document.ts";
import { describeEvents } from "./conformance/events.ts";
import { describeFiles } from "./conformance/files.ts";
import { describeFolders } from "./conformance/folders.ts";
import type { ConformanceHost } from "./conformance/host.ts";
import { describeInvitations } from "./conformance/invitations.ts";
import { describeNode } from "./conformance/node.ts";
import { describeRateLimit } from "./conformance/rate-limit.ts";
import { describeRefusals } from "./conformance/refusals.ts";
import { describeSearch } from "./conformance/search.ts";
import { describeSettings } from "./conformance/settings.ts";
import { describeTransfers } from "./conformance/transfers.ts";
import { describeUploads } from "./conformance/uploads.ts";
import { describeVxBackups } from "./conformance/vx-backups.ts";
import { createVxCaller } from "./conformance/vx-caller.ts";
import { describeVxRefusals } from "./conformance/vx-refusals.ts";
import { describeVxSearches } from "./conformance/vx-searches.ts";
import { describeVxVectors } from "./conformance/vx-vectors.ts";

export type { ConformanceHost };

export function describeConformance(title: string, open: () => Promise<ConformanceHost>): void {
  describe(title, () => {
    const caller = createCaller(open);
    describeAccess(caller);
    describeRefusals(caller);
    describeNode(caller);
    describeInvitations(caller);
    describeFiles(caller);
    describeFolders(caller);
    describeUploads(caller);
    describeContent(caller);
    describeTransfers(caller);
    describeSearch(caller);
    describeSettings(caller);
    describeEvents(caller);
    const vx = createVxCaller(caller);
    describeVxVectors(vx);
    describeVxSearches(vx);
    describeVxBackups(vx);
    describeVxRefusals(vx);
    describeDocument(caller);
    describeRateLimit(caller);
  });
}
