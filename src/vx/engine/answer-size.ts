/**
 * How much metadata one answer brings. Counted where rankings and listings are put together, since an answer is held whole on its
 * way, as texts, as what is parsed of them and as a body, and records may have megabytes each.
 */
import { VxError } from "../errors.ts";
import { MAX_ANSWER_CHARS } from "./limits.ts";

export class AnswerSize {
  #chars = 0;

  /** The text itself. @throws VxError `invalid_request` where that is too much */
  counted(text: string | undefined): string | undefined {
    this.#chars += text?.length ?? 0;
    if (this.#chars <= MAX_ANSWER_CHARS) return text;
    const message = `One answer may bring ${MAX_ANSWER_CHARS} characters of metadata: ask for fewer records at a time`;
    throw new VxError("invalid_request", message);
  }
}
