/** Rows of an SQL answer as a table that scrolls by itself. Called by sql-box. Values are a stranger's text. */
import type { Row } from "../../client/vx-client.ts";
import { countText } from "../elements/quantities.ts";
import { MAX_CELL_CHARS, MAX_TABLE_ROWS } from "./limits.ts";
import "./result-table.css";

export function ResultTable({ rows }: { rows: readonly Row[] }) {
  const [first] = rows;
  if (first === undefined) return <p>The query is sound, and no row answers it.</p>;
  const columns = Object.keys(first);
  const hidden = rows.length - MAX_TABLE_ROWS;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="result-table" tabIndex={0} aria-label="Rows">
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_TABLE_ROWS).map((row, index) => (
            <tr key={index}>
              {columns.map((name) => (
                <Cell key={name} value={row[name] ?? null} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 && <p class="quiet small">and {countText(hidden, "more row")} that are not drawn</p>}
    </section>
  );
}

function Cell({ value }: { value: string | number | null }) {
  if (value === null) return <td class="null">NULL</td>;
  if (typeof value === "number") return <td class="number figures">{value}</td>;
  const isLong = value.length > MAX_CELL_CHARS;
  return (
    <td title={isLong ? value.slice(0, 10 * MAX_CELL_CHARS) : undefined}>
      <bdi>{isLong ? `${value.slice(0, MAX_CELL_CHARS)}…` : value}</bdi>
    </td>
  );
}
