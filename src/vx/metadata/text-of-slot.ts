/** The SQL function of our own that gives the text of a slot, for the view. Added by the metadata index. */
import { FunctionCall } from "../sql/arguments.ts";
import type { Database } from "../sql/database.ts";
import { ownName } from "../sql/names.ts";
import type { Texts } from "./texts.ts";

export const TEXT_OF_SLOT = ownName("text");

export function addTextOfSlot(database: Database, texts: Texts): void {
  const call = new FunctionCall(database);
  const give = (context: number, count: number, values: number): undefined => {
    call.open(context, count, values);
    const text = texts.bytesOf(call.real(0));
    return text === undefined ? call.giveNull() : call.giveEncoded(text);
  };
  database.addFunction(TEXT_OF_SLOT, 1, give, { inViews: true });
}
