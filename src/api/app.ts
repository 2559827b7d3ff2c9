/**
 * The REST API: one function from Request to Response, the same in the page and headless.
 * Called by the HTTP server (headless) and the bridge (page); calls one file a resource.
 */
import type { ApiClient, ApiPorts } from "./ports.ts";

export interface ApiApp {
  /** Answers every request; never rejects. */
  fetch(request: Request, client: ApiClient): Promise<Response>;
}

export declare function createApp(ports: ApiPorts): ApiApp;
