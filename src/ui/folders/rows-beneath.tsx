/**
 * The rows beneath a folder that was opened where it stands, of which a long list is drawn page by page. Called by folder-files
 * and transfers/folder-transfers.
 */
import type { ComponentChildren } from "preact";
import { ShowMore } from "../elements/show-more.tsx";
import { useLongList } from "../elements/use-long-list.tsx";
import "./rows-beneath.css";

interface RowsBeneathProps<R> {
  /** By which folder-toggle knows them. */
  id: string;
  folderId: string;
  /** The folder's. */
  name: string;
  /** What they are, told to screen readers. */
  label: string;
  rows: readonly R[];
  /** A list item with a key. */
  rowOf: (row: R) => ComponentChildren;
  /** List items behind the rows. */
  children?: ComponentChildren;
}

export function RowsBeneath<R>({ id, folderId, name, label, rows, rowOf, children }: RowsBeneathProps<R>) {
  const { list, rowCount, drawn, room } = useLongList(folderId);
  return (
    <div class="rows-beneath" id={id}>
      <ul ref={list} aria-label={label}>
        {room}
        {drawn(rows).map(rowOf)}
        {children}
      </ul>
      <ShowMore rowCount={rowCount} total={rows.length} of={name} />
    </div>
  );
}
