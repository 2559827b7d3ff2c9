/** The API: the key, examples to copy and to run, the full documentation. Called by the shell. */
import { useApp } from "../state/app-state.ts";
import { ApiKey } from "./api-key.tsx";
import { Examples } from "./examples.tsx";
import "./api-screen.css";

export function ApiScreen() {
  const { host } = useApp();
  return (
    <div class="screen api-screen">
      <header class="screen-head">
        <h1>API</h1>
        <p class="quiet">
          All that this page does, your programs can do too. The page itself has no other way.
        </p>
      </header>
      <ApiKey />
      <Examples />
      <section class="api-section" aria-labelledby="api-docs-title">
        <h2 id="api-docs-title">Every route</h2>
        <p>
          The documentation is made from the same schemas that check requests. It names each route, field,
          limit and refusal, and can send requests itself.
        </p>
        <p class="api-links">
          <a href={`${host.apiOrigin}/api/v1/docs`} target="_blank" rel="noreferrer">
            Open the documentation
          </a>
          <a href={`${host.apiOrigin}/api/v1/openapi.json`} target="_blank" rel="noreferrer">
            OpenAPI document
          </a>
        </p>
        <p class="quiet small">
          A refusal is JSON with its status, a code and a message. Other programs may send 100 requests a
          minute; this page's own are not counted.
        </p>
      </section>
    </div>
  );
}
