/**
 * A TCP proxy before the port that serves the page, which counts the bytes of side streams and of posts, and can cut
 * them. Used by tests of the page; whatever else goes through it passes as it is.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

const REQUEST = Buffer.from("GET /exchange/");
const POST = Buffer.from("POST /exchange/");

export class SideProxy implements AsyncDisposable {
  /** Bytes of answers on connections that side streams were asked for on, from then on. */
  bytes = 0;
  /** Bytes on connections that blocks were posted on, from the first post on. */
  postedBytes = 0;
  /** Told of each stretch of a post; its connection is cut when this says so. */
  isPostCutAt: (postedBytes: number) => boolean = () => false;
  /** Told of each stretch of a side stream; its connection is cut when this says so. */
  isCutAt: (bytes: number) => boolean = () => false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const host = connect(port, "127.0.0.1");
      let isSide = false;
      let isPosting = false;
      const cut = () => {
        for (const socket of [client, host]) socket.destroy();
      };
      for (const socket of [client, host]) {
        this.#sockets.add(socket);
        socket.on("close", () => this.#sockets.delete(socket));
        socket.on("error", cut);
      }
      client.on("data", (bytes) => {
        isSide ||= bytes.includes(REQUEST);
        isPosting ||= bytes.includes(POST);
        if (!isPosting) return;
        this.postedBytes += bytes.length;
        if (this.isPostCutAt(this.postedBytes)) cut();
      });
      host.on("data", ({ length }) => {
        if (!isSide) return;
        this.bytes += length;
        if (this.isCutAt(this.bytes)) cut();
      });
      client.pipe(host).pipe(client);
    });
  }

  static async before(url: string): Promise<SideProxy> {
    const proxy = new SideProxy(Number(new URL(url).port));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }
}
