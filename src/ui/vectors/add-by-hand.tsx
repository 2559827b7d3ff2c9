/** Adds one vector, whose id, numbers and metadata are typed. Called by add-vectors; calls the client. */
import { useSignal } from "@preact/signals";
import { VxError } from "../../client/vx-error.ts";
import { Button } from "../elements/button.tsx";
import { Field } from "../elements/field.tsx";
import { TextArea } from "../elements/text-area.tsx";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";
import { useKept } from "../state/use-kept.ts";
import { puttingBack } from "./putting-back.ts";
import { readMetadata, readVector } from "./vector-text.ts";
import type { VectorsState } from "./vectors-state.ts";

type Place = "id" | "vector" | "metadata";

const NO_ID = "A whole number from 0; an id that is taken gets this vector instead.";

export function AddByHand({ state }: { state: VectorsState }) {
  const { toasts } = useApp();
  const id = useKept("new id", "");
  const vector = useKept("new vector", "");
  const metadata = useKept("new metadata", "");
  const error = useSignal<{ place: Place; text: string } | undefined>(undefined);
  const isBusy = useSignal(false);
  const errorAt = (place: Place) => (error.value?.place === place ? error.value.text : undefined);

  async function add(): Promise<void> {
    const number = readId(id.value);
    const readingVector = readVector(vector.value, state.dimension.value);
    const readingMetadata = readMetadata(metadata.value);
    error.value = undefined;
    if (number === undefined) error.value = { place: "id", text: NO_ID };
    else if ("error" in readingVector) error.value = { place: "vector", text: readingVector.error };
    else if ("error" in readingMetadata) error.value = { place: "metadata", text: readingMetadata.error };
    else await addRead(number, readingVector.vector, readingMetadata.metadata);
  }

  async function addRead(
    number: number,
    numbers: readonly number[],
    object: Record<string, unknown>,
  ): Promise<void> {
    isBusy.value = true;
    try {
      const before = await state.vx.get(number);
      await state.vx.add(number, numbers, object);
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

/** Id and vector were read here already: what else the node finds malformed is the metadata. */
function placeOf(refusal: unknown): Place {
  return refusal instanceof VxError && refusal.code === "invalid_request" ? "metadata" : "vector";
}

function readId(text: string): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text.trim()) && Number.isSafeInteger(number) ? number : undefined;
}
