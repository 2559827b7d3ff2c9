/** What is shown for an address that names nothing. Called by the shell. */
import { EmptyState } from "../elements/empty-state.tsx";
import { hrefOf } from "../router.ts";

export function UnknownScreen() {
  return (
    <>
      <h1>Nothing here</h1>
      <EmptyState
        title="This address names no screen and no file"
        actions={
          <a class="button plain" href={hrefOf("files")}>
            Go to your files
          </a>
        }
      >
        <p>
          If somebody sent you a link, it may have been cut: copy all of it, or ask them for it again. A whole
          one has #/get/ and a long id in it.
        </p>
      </EmptyState>
    </>
  );
}
