/** A refusal by the node, in either of its two shapes. Thrown by send. */
export class ShoalError extends Error {
  override readonly name = "ShoalError";
  /** HTTP status. */
  readonly status: number;
  /** The index's code such as `dimension_mismatch`; for the node the status as text. */
  readonly code: string;
  /** Seconds after which another try makes sense (429, 503), where the node says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, status: number, code: string, retryAfterSeconds: number | undefined) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  static async from(response: Response): Promise<ShoalError> {
    const body = parsed(await response.text());
    const vx = asObject(body.error);
    const message = [vx.message, body.message].find((text) => typeof text === "string");
    const code = vx.code ?? body.code ?? response.status;
    const retryAfter = response.headers.get("retry-after");
    return new ShoalError(
      message ?? `The node answered ${response.status}`,
      response.status,
      String(code),
      retryAfter === null ? undefined : Number(retryAfter),
    );
  }
}

/** Something between client and node may answer with no JSON; the status then tells enough. */
function parsed(text: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
