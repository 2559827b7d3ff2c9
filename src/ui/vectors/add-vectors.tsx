/** Adds vectors: one by hand, or a file of many. Called by vectors-screen; calls vector-file for files. */
import { useSignal } from "@preact/signals";
import { DimensionMismatchError, VxError } from "../../client/vx-error.ts";
import { Button } from "../elements/button.tsx";
import { Field } from "../elements/field.tsx";
import { FileButton } from "../elements/file-button.tsx";
import { countText } from "../elements/quantities.ts";
import { TextArea } from "../elements/text-area.tsx";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";
import { useKept } from "../state/use-kept.ts";
import { puttingBack } from "./putting-back.ts";
import { addVectorFile, isAddedByBatches } from "./vector-file.ts";
import { readMetadata, readVector } from "./vector-text.ts";
import type { VectorsState } from "./vectors-state.ts";
import "./add-vectors.css";

const KEPT_SO_FAR = "Added is what stands before the first batch that can't be, which may be nothing:";
const NOT_KNOWN =
  "No answer came, so how much of it was added is not known. Adding it once more does no harm.";

/** No setting of a page changes it, whether or not the index is empty. */
const LENGTH_ADVICE =
  "How many numbers a vector has was settled when this index was made: use a model that gives as many, or, for another length, a headless node of its own (shoal vx --vx-dimension).";

export function AddVectors({ state }: { state: VectorsState }) {
  const isByHand = useKept("by hand", false);
  return (
    <section class="vectors-section" aria-labelledby="add-vectors-title">
      <h2 id="add-vectors-title">Add vectors</h2>
      <div class="add-vectors">
        <ByFile state={state} />
        <details
          class="add-vectors-by-hand"
          open={isByHand.value}
          onToggle={({ currentTarget }) => (isByHand.value = currentTarget.open)}
        >
          <summary>By hand, one at a time</summary>
          <ByHand state={state} />
        </details>
      </div>
    </section>
  );
}

function refusalText(refusal: unknown): string {
  // What the node had for a body was a file here.
  const reason = messageOf(refusal).replace(/^(?:The b|B)ody\b/, "The file");
  return refusal instanceof DimensionMismatchError ? `${reason} ${LENGTH_ADVICE}` : reason;
}

function ByFile({ state }: { state: VectorsState }) {
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

type Place = "id" | "vector" | "metadata";

/** Id and vector were read here already: what else the node finds malformed is the metadata. */
function placeOf(refusal: unknown): Place {
  return refusal instanceof VxError && refusal.code === "invalid_request" ? "metadata" : "vector";
}

function ByHand({ state }: { state: VectorsState }) {
  const { toasts } = useApp();
  const id = useKept("new id", "");
  const vector = useKept("new vector", "");
  const metadata = useKept("new metadata", "");
  const error = useSignal<{ place: Place; text: string } | undefined>(undefined);
  const isBusy = useSignal(false);
  const errorAt = (place: Place) => (error.value?.place === place ? error.value.text : undefined);

  async function add(): Promise<void> {
    const number = Number(id.value);
    const readingVector = readVector(vector.value, state.dimension.value);
    const readingMetadata = readMetadata(metadata.value);
    error.value = undefined;
    if (!/^\d+$/.test(id.value.trim()) || !Number.isSafeInteger(number)) {
      error.value = {
        place: "id",
        text: "A whole number from 0; an id that is taken gets this vector instead.",
      };
    } else if ("error" in readingVector) error.value = { place: "vector", text: readingVector.error };
    else if ("error" in readingMetadata) error.value = { place: "metadata", text: readingMetadata.error };
    else {
      isBusy.value = true;
      try {
        const before = await state.vx.get(number);
        await state.vx.add(number, readingVector.vector, readingMetadata.metadata);
        toasts.show(
          before === undefined
            ? { text: `Vector ${number} is in the index.` }
            : {
                text: `This is vector ${number} now, in place of the one before.`,
                action: puttingBack(state, toasts, before),
              },
        );
        [id.value, vector.value, metadata.value] = ["", "", ""];
        await state.redraw();
        state.picked.value = number;
      } catch (caught) {
        error.value = { place: placeOf(caught), text: messageOf(caught) };
      } finally {
        isBusy.value = false;
      }
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <Field label="Id" value={id.value} onInput={(text) => (id.value = text)} exact error={errorAt("id")} />
      <TextArea
        label="Vector"
        value={vector.value}
        onInput={(text) => (vector.value = text)}
        placeholder="[0.12, -0.5, …]"
        error={errorAt("vector")}
      />
      <TextArea
        label="Metadata, if any"
        value={metadata.value}
        onInput={(text) => (metadata.value = text)}
        placeholder='{"title": "A", "tags": ["b"]}'
        rows={2}
        error={errorAt("metadata")}
      />
      <Button type="submit" busy={isBusy.value}>
        Add
      </Button>
    </form>
  );
}
