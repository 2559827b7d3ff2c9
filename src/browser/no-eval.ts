/**
 * Tells zod to make no code from text. Imported by start-node before the API, whose schemas ask when they are made. The
 * page's CSP forbids it, and zod's attempt, though caught, stands as an error in Firefox's console.
 */
import { z } from "@hono/zod-openapi";

z.config({ jitless: true });
