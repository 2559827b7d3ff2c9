/** Adds the vectors of a file. Called by add-vectors; calls vector-file. */
import { useSignal } from "@preact/signals";
import { DimensionMismatchError, VxError } from "../../client/vx-error.ts";
import { FileButton } from "../elements/file-button.tsx";
import { countText } from "../elements/quantities.ts";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";
import { addVectorFile, isAddedByBatches } from "./vector-file.ts";
import type { VectorsState } from "./vectors-state.ts";

const KEPT_SO_FAR = "Added is what stands before the first batch that can't be, which may be nothing:";
const NOT_KNOWN =
  "No answer came, so how much of it was added is not known. Adding it once more does no harm.";

/** No setting of a page changes it, whether or not the index is empty. */
const LENGTH_ADVICE =
  "How many numbers a vector has was settled when this index was made: use a model that gives as many, or, for another length, a headless node of its own (shoal vx --vx-dimension).";

export function AddByFile({ state }: { state: VectorsState }) {
  const { toasts, vx } = useApp();
  const busyWith = useSignal<string | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);

  async function take(file: File): Promise<void> {
    busyWith.value = file.name;
    error.value = undefined;
    let isByBatches = false;
    try {
      isByBatches = await isAddedByBatches(file);
      const count = await addVectorFile(vx, file);
      toasts.show({
        text: { before: `${countText(count, "vector")} added from `, file: file.name, after: "." },
      });
      await state.redraw();
    } catch (caught) {
      const hasNoAnswer = caught instanceof TypeError;
      const isKeptSoFar = isByBatches && caught instanceof VxError;
      error.value = hasNoAnswer
        ? NOT_KNOWN
        : `${isKeptSoFar ? KEPT_SO_FAR : "Nothing of it was added:"} ${refusalText(caught)}`;
      if (hasNoAnswer || isKeptSoFar) await state.redraw();
    } finally {
      busyWith.value = undefined;
    }
  }

  return (
    <div class="add-vectors-by-file">
      <p>
        A JSON file with an array of{" "}
        <code>{'{"id": 1, "vector": [0.1, …], "metadata": {"title": "A"}}'}</code>, or an Arrow file with the
        columns <code>id</code>, <code>vector</code> and one a key.
      </p>
      <FileButton
        icon="add"
        busy={busyWith.value !== undefined}
        filesLabel="File of vectors"
        accept=".json,.arrow,.arrows,.feather,application/json,application/vnd.apache.arrow.file,application/vnd.apache.arrow.stream"
        onFiles={([file]) => void take(file)}
      >
        {busyWith.value === undefined ? "Choose a file" : `Adding ${busyWith.value}…`}
      </FileButton>
      {error.value !== undefined && (
        <p class="add-vectors-error" role="alert">
          {error.value}
        </p>
      )}
    </div>
  );
}

function refusalText(refusal: unknown): string {
  // What the node had for a body was a file here.
  const reason = messageOf(refusal).replace(/^(?:The b|B)ody\b/, "The file");
  return refusal instanceof DimensionMismatchError ? `${reason} ${LENGTH_ADVICE}` : reason;
}
