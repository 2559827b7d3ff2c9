/**
 * The asking end of the bridge: Requests go in, Responses come out. Used by the service worker towards the leader tab,
 * and by a tab that does not lead. Calls body-sender, body-receiver and port-end; the format is told in frames.
 */
import { BodyReceiver } from "./body-receiver.ts";
import { BodySender } from "./body-sender.ts";
import { BridgeError, bridgeErrorFrom } from "./bridge-error.ts";
import { type CarriedRequest, carriedFrom } from "./carried-request.ts";
import { type BodyFrame, broken, cutText, fits, type ResponseFrame } from "./frames.ts";
import { HELLO_WITHIN_MS, MAX_REQUESTS_IN_FLIGHT } from "./limits.ts";
import { type FramePort, PortEnd, type SideFrame } from "./port-end.ts";

export interface Asker {
  /** Who answers, by the name it gave. */
  readonly answerer: string;
  /**
   * Sends a request and gives its response as soon as its head is there; the body follows. Aborting the request's
   * signal, or cancelling the body, aborts the request at the other end.
   * @param client whom the other end counts the request for
   * @throws BridgeError; the signal's reason when it was aborted
   */
  request(request: Request | CarriedRequest, client: string): Promise<Response>;
  /** Settles with the reason once the port has ended. */
  readonly ended: Promise<BridgeError>;
  /** Ends the port; requests in flight fail with `reason`. */
  end(reason: BridgeError): void;
}

interface Exchange {
  /** Present until the response or an error came. */
  head: { resolve: (response: Response) => void; reject: (error: unknown) => void } | undefined;
  requestBody: BodySender | undefined;
  responseBody: BodyReceiver | undefined;
  /** Takes the listener off the caller's signal. */
  release: () => void;
}

/**
 * Resolves when the other end has said hello.
 * @param over ends the wait for it, as `closed`
 * @throws BridgeError also when it takes too long, as `silent`
 */
export async function askOver(port: FramePort, over?: AbortSignal): Promise<Asker> {
  const side = new AskingSide(port);
  const late = setTimeout(
    () => side.end(new BridgeError("silent", "The other end of the bridge does not answer")),
    HELLO_WITHIN_MS,
  );
  const giveUp = () => side.end(otherLeads());
  over?.addEventListener("abort", giveUp);
  try {
    side.answerer = await side.hello;
    return side;
  } finally {
    clearTimeout(late);
    over?.removeEventListener("abort", giveUp);
  }
}

/** Ends a port to a leader that is none any more, now that the tab named `leader` leads. */
export function endFormer(asker: Asker, leader: string): void {
  if (asker.answerer !== leader) asker.end(otherLeads());
}

function otherLeads(): BridgeError {
  return new BridgeError("closed", "Another tab hosts the node now");
}

class AskingSide implements Asker {
  answerer = "";
  readonly #port: PortEnd;
  readonly #exchanges = new Map<number, Exchange>();
  #lastId = 0;

  constructor(port: FramePort) {
    this.#port = new PortEnd(port, "", {
      frame: (frame) => this.#take(frame),
      ended: (reason) => {
        for (const id of [...this.#exchanges.keys()]) this.#drop(id, reason);
      },
    });
  }

  get hello(): Promise<string> {
    return this.#port.hello;
  }

  get ended(): Promise<BridgeError> {
    return this.#port.ended;
  }

  end(reason: BridgeError): void {
    this.#port.end(reason);
  }

  async request(request: Request | CarriedRequest, client: string): Promise<Response> {
    const carried = request instanceof Request ? await carriedFrom(request) : request;
    carried.signal.throwIfAborted();
    if (!fits(carried.headers, carried.url, carried.method)) {
      const message = "The request can't be carried: its method, URL or headers are too long";
      throw new BridgeError("too_large", message);
    }
    if (this.#port.reason !== undefined) throw this.#port.reason;
    if (this.#exchanges.size >= MAX_REQUESTS_IN_FLIGHT) {
      throw new BridgeError("busy", "Too many requests are in flight");
    }
    return await this.#send(carried, cutText(client));
  }

  #send(carried: CarriedRequest, client: string): Promise<Response> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { method, url, headers, body, signal } = carried;
    const isBlob = body instanceof Blob;
    const abort = () => this.#abort(id, signal.reason);
    const exchange: Exchange = {
      head: undefined,
      requestBody:
        body === null || isBlob
          ? undefined
          : new BodySender(id, body, (frame, transfer) => this.#port.post(frame, transfer)),
      responseBody: undefined,
      release: () => signal.removeEventListener("abort", abort),
    };
    const response = new Promise<Response>((resolve, reject) => {
      exchange.head = { resolve, reject };
    });
    this.#exchanges.set(id, exchange);
    this.#port.watchSilence(true);
    signal.addEventListener("abort", abort);
    const carriedBody = isBlob ? body : body === null ? null : "stream";
    this.#port.post({ type: "request", id, method, url, headers, body: carriedBody, client });
    void exchange.requestBody?.send();
    return response;
  }

  #take(frame: SideFrame): void {
    if (frame.type === "request" || frame.type === "abort")
      throw broken(`${frame.type} from the answering end`);
    const exchange = this.#exchanges.get(frame.id);
    if (exchange === undefined) {
      if (frame.id > this.#lastId) throw broken("an answer to nothing");
      return;
    }
    if (frame.type === "response") this.#head(frame, exchange);
    else if (frame.type === "error") this.#drop(frame.id, bridgeErrorFrom(frame.name, frame.message));
    else if (frame.type === "enough") exchange.requestBody?.stop(new BridgeError("failed", "Not wanted"));
    else if (frame.type === "credit") exchange.requestBody?.grant(frame.bytes);
    else this.#body(frame, exchange);
  }

  #head(frame: ResponseFrame, exchange: Exchange): void {
    const { id, status, statusText, headers } = frame;
    const { head } = exchange;
    if (head === undefined) throw broken("two responses to one request");
    if (frame.body === "stream") {
      exchange.responseBody = new BodyReceiver({
        grant: (bytes) => this.#port.post({ type: "credit", id, bytes }),
        cancelled: (reason) => this.#abort(id, reason),
      });
    }
    let response: Response;
    try {
      response = new Response(exchange.responseBody?.stream ?? null, { status, statusText, headers });
    } catch (error) {
      throw broken(`no response: ${String(error)}`);
    }
    exchange.head = undefined;
    head.resolve(response);
    if (exchange.responseBody === undefined) this.#drop(id, new BridgeError("closed", "Answered"));
  }

  #body(frame: BodyFrame & { type: "chunk" | "end" | "broken" }, exchange: Exchange): void {
    if (exchange.responseBody === undefined) throw broken("a body before its head");
    exchange.responseBody.receive(frame);
    if (exchange.responseBody.isOver) this.#drop(frame.id, new BridgeError("closed", "Answered"));
  }

  #abort(id: number, reason: unknown): void {
    if (!this.#exchanges.has(id)) return;
    this.#port.post({ type: "abort", id });
    this.#drop(id, reason);
  }

  /** Forgets an exchange; whatever of it is not over fails with `reason`. */
  #drop(id: number, reason: unknown): void {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return;
    this.#exchanges.delete(id);
    exchange.release();
    exchange.head?.reject(reason);
    exchange.responseBody?.fail(reason);
    exchange.requestBody?.stop(reason);
    if (this.#exchanges.size === 0) this.#port.watchSilence(false);
  }
}
