/** What the index failed to do by itself, in words a person uses, and what comes of it. Called by vectors-screen. */
import { sentence } from "../state/sentence.ts";
import type { Metrics } from "./vectors-state.ts";

type Failure = Metrics["failures"][number];

const told: Record<Failure["task"], { what: string; next: string }> = {
  backup: { what: "No backup could be made", next: "It is tried again when the next one is due." },
  snapshot: {
    what: "The index could not be written as a whole",
    next: "Every change is kept all the same, and it is tried again.",
  },
  write: { what: "The index is not all in use", next: "What is stored stays." },
  fit: { what: "No model could be fitted", next: "Vectors are searched as before." },
  tend: { what: "Metadata could not be put in order", next: "Filters work, and take longer." },
};

export function failureText({ task, message }: Pick<Failure, "task" | "message">): string {
  const { what, next } = told[task];
  return `${what}: ${sentence(message)} ${next}`;
}
