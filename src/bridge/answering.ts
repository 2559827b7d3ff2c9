/**
 * The answering end of the bridge: Requests come out, Responses go in. Used by the leader tab, towards the service
 * worker and every other tab. Calls body-sender, body-receiver and port-end; the format is told in frames.
 */
import { BodyReceiver } from "./body-receiver.ts";
import { BodySender } from "./body-sender.ts";
import { BridgeError, errorAsData } from "./bridge-error.ts";
import { requestFrom } from "./carried-request.ts";
import { broken, cutText, fits, type RequestFrame, type ResponseFrame } from "./frames.ts";
import { MAX_REQUESTS_IN_FLIGHT } from "./limits.ts";
import { type FramePort, PortEnd, type SideFrame } from "./port-end.ts";

/** Answers one request. `client` is whom the asking end made it for. */
export type Answer = (request: Request, client: string) => Promise<Response>;

export interface Served {
  /** Exchanges that are not over. */
  inFlight(): number;
  /**
   * Whether an exchange is under way that its asker does not take up again elsewhere by itself, as it does a stream of
   * events.
   */
  carries(): boolean;
  /** Settles with the reason once the port has ended. */
  readonly ended: Promise<BridgeError>;
  /** Says why to the other end, aborts all that is in flight and closes the port. */
  end(reason: BridgeError): void;
}

interface Exchange {
  readonly abort: AbortController;
  readonly requestBody: BodyReceiver | undefined;
  responseBody: BodySender | undefined;
  isOfEvents: boolean;
}

/** Serves a port until it ends. `name` tells the asking end who answers. */
export function serveRequests(port: FramePort, answer: Answer, name = ""): Served {
  return new AnsweringSide(port, answer, name);
}

class AnsweringSide implements Served {
  readonly #port: PortEnd;
  readonly #answer: Answer;
  readonly #exchanges = new Map<number, Exchange>();
  #lastId = 0;

  constructor(port: FramePort, answer: Answer, name: string) {
    this.#answer = answer;
    this.#port = new PortEnd(port, name, {
      frame: (frame) => this.#take(frame),
      ended: (reason) => {
        for (const id of [...this.#exchanges.keys()]) this.#abort(id, reason);
      },
    });
  }

  get ended(): Promise<BridgeError> {
    return this.#port.ended;
  }

  inFlight(): number {
    return this.#exchanges.size;
  }

  carries(): boolean {
    return [...this.#exchanges.values()].some(({ isOfEvents }) => !isOfEvents);
  }

  end(reason: BridgeError): void {
    this.#port.end(reason);
  }

  #take(frame: SideFrame): void {
    if (frame.type === "request") {
      this.#begin(frame);
      return;
    }
    if (frame.type === "response" || frame.type === "error" || frame.type === "enough") {
      throw broken(`${frame.type} from the asking end`);
    }
    const exchange = this.#exchanges.get(frame.id);
    if (exchange === undefined) {
      if (frame.id > this.#lastId) throw broken("a body without a request");
      return;
    }
    if (frame.type === "abort") this.#abort(frame.id, new DOMException("The client is gone", "AbortError"));
    else if (frame.type === "credit") exchange.responseBody?.grant(frame.bytes);
    else if (exchange.requestBody === undefined) throw broken("a body that was not told of");
    else exchange.requestBody.receive(frame);
  }

  #begin(frame: RequestFrame): void {
    const { id } = frame;
    if (id <= this.#lastId) throw broken("request ids go upwards");
    this.#lastId = id;
    if (this.#exchanges.size >= MAX_REQUESTS_IN_FLIGHT) {
      this.#port.post({ type: "error", id, name: "busy", message: "Too many requests are in flight" });
      return;
    }
    const abort = new AbortController();
    const requestBody =
      frame.body !== "stream"
        ? undefined
        : new BodyReceiver({
            grant: (bytes) => this.#port.post({ type: "credit", id, bytes }),
            cancelled: () => this.#port.post({ type: "enough", id }),
          });
    const request = requestFrom(frame, requestBody?.stream, abort.signal);
    const exchange: Exchange = { abort, requestBody, responseBody: undefined, isOfEvents: false };
    this.#exchanges.set(id, exchange);
    this.#port.watchSilence(true);
    void this.#respond(id, exchange, request, frame.client);
  }

  /** Answers one request to its end. Never rejects: what fails is told to the asking end. */
  async #respond(id: number, exchange: Exchange, request: Request, client: string): Promise<void> {
    try {
      const response = await this.#answer(request, client);
      if (exchange.abort.signal.aborted) {
        await response.body?.cancel(exchange.abort.signal.reason);
        return;
      }
      const { body } = response;
      if (response.status < 200 || !fits([...response.headers])) {
        // What fails while a body nobody gets is put away concerns nobody.
        body?.cancel().catch(() => undefined);
        throw new BridgeError("failed", "The response can't be carried: no status, or too many headers");
      }
      this.#port.post(responseHead(id, response));
      exchange.isOfEvents = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (body === null) return;
      exchange.responseBody = new BodySender(id, body, (frame, transfer) => this.#port.post(frame, transfer));
      await exchange.responseBody.send();
    } catch (error) {
      const { name, message } = errorAsData(error);
      this.#port.post({ type: "error", id, name: cutText(name), message: cutText(message) });
    } finally {
      this.#finish(id, exchange);
    }
  }

  /** The response is over, at which the asking end sends no more of the request's body: whoever still reads that is told. */
  #finish(id: number, exchange: Exchange): void {
    this.#exchanges.delete(id);
    exchange.requestBody?.fail(new BridgeError("closed", "The request has been answered"));
    if (this.#exchanges.size === 0) this.#port.watchSilence(false);
  }

  #abort(id: number, reason: unknown): void {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return;
    this.#exchanges.delete(id);
    exchange.abort.abort(reason);
    exchange.requestBody?.fail(reason);
    exchange.responseBody?.stop(reason);
    if (this.#exchanges.size === 0) this.#port.watchSilence(false);
  }
}

function responseHead(id: number, { status, statusText, headers, body }: Response): ResponseFrame {
  return {
    type: "response",
    id,
    status,
    statusText,
    headers: [...headers],
    body: body === null ? null : "stream",
  };
}

/** Tells the other end of a port that it is not served here. */
export function refusePort(port: FramePort, reason: BridgeError): void {
  port.postMessage({ type: "bye", name: reason.name, message: cutText(reason.message) }, []);
  port.close();
}
