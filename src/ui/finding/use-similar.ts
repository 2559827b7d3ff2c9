/** Files that are like one, asked of the node. Called by similar-dialog and by the map; calls the client. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ShoalClient } from "../../client/client.ts";
import { MAX_SIMILAR_ROWS } from "../limits.ts";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";

export type SimilarFile = Awaited<ReturnType<ShoalClient["similarFiles"]>>["files"][number];

export interface Similar {
  /** The most similar first; undefined until the node has answered. */
  files: readonly SimilarFile[] | undefined;
  failure: string | undefined;
}

const NOT_YET: Similar = { files: undefined, failure: undefined };

export function useSimilar(fileId: string | undefined): Similar {
  const { client } = useApp();
  const answer = useSignal<{ fileId: string; similar: Similar } | undefined>(undefined);
  useEffect(() => {
    if (fileId === undefined) return undefined;
    const stop = new AbortController();
    const take = (similar: Similar) => {
      if (!stop.signal.aborted) answer.value = { fileId, similar };
    };
    client.similarFiles(fileId, { limit: MAX_SIMILAR_ROWS, signal: stop.signal }).then(
      ({ files }) => take({ files, failure: undefined }),
      (error: unknown) => take({ files: undefined, failure: messageOf(error) }),
    );
    return () => stop.abort();
  }, [client, fileId]);
  return answer.value !== undefined && answer.value.fileId === fileId ? answer.value.similar : NOT_YET;
}
