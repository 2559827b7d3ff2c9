/** What SQL over metadata is done with: one database, its functions, and what is kept in it. Made by the metadata index. */
import type { Database } from "../sql/database.ts";
import { Guard } from "../sql/guard.ts";
import { ownName } from "../sql/names.ts";
import { addTextFunctions } from "../sql/text-functions.ts";
import { addArrayFunctions } from "./array-functions.ts";
import { FilterSets } from "./filter-sets.ts";
import { KeyIndexes } from "./key-indexes.ts";
import { ROWS, SIDE, Table } from "./table.ts";
import { addTextOfSlot, TEXT_OF_SLOT } from "./text-of-slot.ts";
import type { TextStore } from "./text-store.ts";
import { QueryView, VIEW } from "./view.ts";

const FACET_FUNCTION = ownName("facet");

export class MetadataSql {
  readonly database: Database;
  readonly guard: Guard;
  readonly table: Table;
  readonly indexes: KeyIndexes;
  readonly sets: FilterSets;
  readonly view: QueryView;

  constructor(database: Database, texts: TextStore) {
    this.database = database;
    addTextFunctions(database);
    addTextOfSlot(database, texts);
    addArrayFunctions(database, FACET_FUNCTION);
    this.guard = new Guard(database, {
      ownTables: new Set([ROWS, SIDE]),
      view: VIEW,
      ownFunction: FACET_FUNCTION,
      viewFunction: TEXT_OF_SLOT,
    });
    this.table = new Table(database, texts);
    this.indexes = new KeyIndexes(database, this.table.keys);
    const { guard, table, indexes } = this;
    this.sets = new FilterSets({ database, guard, table, indexes }, FACET_FUNCTION);
    this.view = new QueryView(database, this.table.keys);
  }
}
