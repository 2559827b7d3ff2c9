/** Asks the metadata in SQL and shows the rows. Called by vectors-screen; calls the client. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Rows } from "../../client/vx-client.ts";
import { Button } from "../elements/button.tsx";
import { countText } from "../elements/quantities.ts";
import { TextArea } from "../elements/text-area.tsx";
import { messageOf } from "../state/toasts.ts";
import { useKept } from "../state/use-kept.ts";
import { quotedKey } from "./example-filter.ts";
import { ResultTable } from "./result-table.tsx";
import type { VectorsState } from "./vectors-state.ts";
import "./sql-box.css";

export function SqlBox({ state }: { state: VectorsState }) {
  const examples = examplesFor(state.groupingKey.value);
  const query = useKept("query", examples[0]?.query ?? "");
  const answer = useSignal<{ rows: Rows; tookMs: number } | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const asked = useRef(0);

  async function run(text: string): Promise<void> {
    const turn = ++asked.current;
    // The answer to another query would be taken for that to this one.
    const isLast = () => turn === asked.current;
    query.value = text;
    isBusy.value = true;
    error.value = undefined;
    const start = performance.now();
    try {
      const rows = await state.vx.queryMetadata(text);
      if (isLast()) answer.value = { rows, tookMs: performance.now() - start };
    } catch (caught) {
      if (!isLast()) return;
      answer.value = undefined;
      error.value = messageOf(caught);
    } finally {
      if (isLast()) isBusy.value = false;
    }
  }

  return (
    <section class="vectors-section" aria-labelledby="sql-box-title">
      <h2 id="sql-box-title">Ask the metadata</h2>
      <form
        class="sql-box"
        onSubmit={(event) => {
          event.preventDefault();
          void run(query.value);
        }}
      >
        <TextArea
          label="One SELECT over the table metadata"
          value={query.value}
          onInput={(text) => (query.value = text)}
          rows={3}
          error={error.value}
          hint="Columns: id, json, and one for each key. Nothing can be changed from here."
        />
        <div class="sql-box-actions">
          <Button type="submit" icon="play" busy={isBusy.value}>
            Run
          </Button>
          {examples.map(({ name, query: text }) => (
            <Button key={name} weight="bare" onClick={() => void run(text)}>
              {name}
            </Button>
          ))}
        </div>
      </form>
      {/* There before the first answer, which would else not be heard. */}
      <p class="quiet small figures" role="status">
        {answer.value && `${rowsText(answer.value.rows)} in ${answer.value.tookMs.toFixed(1)} ms`}
      </p>
      {answer.value && <ResultTable rows={answer.value.rows} />}
    </section>
  );
}

function rowsText({ length, truncated }: Rows): string {
  const count = countText(length, "row");
  return truncated ? `The first ${count}` : count;
}

function examplesFor(key: string | undefined): { name: string; query: string }[] {
  const column = quotedKey(key ?? "id");
  return [
    { name: "First rows", query: "SELECT * FROM metadata ORDER BY id LIMIT 20" },
    {
      name: "Count by value",
      query: `SELECT ${column}, count(*) AS vectors FROM metadata GROUP BY ${column} ORDER BY vectors DESC LIMIT 20`,
    },
    { name: "As JSON", query: "SELECT id, json FROM metadata LIMIT 20" },
  ];
}
