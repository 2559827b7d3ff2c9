/** What comes in place of the answer that was asked for. Thrown by send and events. */

/** So much of what no node answers tells whose it is. */
const SHOWN_CHARS = 80;

/** A refusal by the node, in either of its two shapes, or an answer that is no node's. */
export class ShoalError extends Error {
  override readonly name = "ShoalError";
  /** HTTP status. */
  readonly status: number;
  /** The index's code such as `dimension_mismatch`; for the node the status as text; `bad_answer` for what no node answers. */
  readonly code: string;
  /** Seconds after which another try makes sense (429, 503), where the node says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, status: number, code: string, retryAfterSeconds: number | undefined) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Something else answers there, or between client and node. `place`: whose answer it is. `fault`: "is no ..." */
  static badAnswer(place: string, status: number, fault: string, text: string): ShoalError {
    const shown = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text;
    const message = `${place} answered ${status} with what ${fault}: ${JSON.stringify(shown)}`;
    return new ShoalError(message, status, "bad_answer", undefined);
  }

  static async from(response: Response): Promise<ShoalError> {
    // Something between client and node may answer with no JSON, or with codes of its own; the status then tells enough.
    const body = asObject(jsonObject(await response.text()));
    const vx = asObject(body.error);
    const message = [vx.message, body.message].find((text) => typeof text === "string");
    const isOfIndex = typeof vx.code === "string" && typeof vx.message === "string";
    const code = isOfIndex ? vx.code : response.status;
    // A proxy may name a date there.
    const retryAfter = /^\d+$/.exec(response.headers.get("retry-after") ?? "")?.[0];
    return new ShoalError(
      message ?? `The node answered ${response.status}`,
      response.status,
      String(code),
      retryAfter === undefined ? undefined : Number(retryAfter),
    );
  }
}

/** Undefined for any other text. */
export function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
