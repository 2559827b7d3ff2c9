/**
 * Webhooks of a node: who is told of which events. Made by the two mains; listed and changed by the routes
 * beside it; calls the queue, which keeps and sends. Source: Standard Webhooks 1.0.
 */
import type { NodeEvent, NodeEvents } from "../../sharing/events.ts";
import { KeyedQueue } from "../../sharing/keyed-queue.ts";
import type { Clock, Log, Records } from "../../sharing/ports.ts";
import { ApiError } from "../errors.ts";
import { MAX_WEBHOOKS } from "../limits.ts";
import { WEBHOOK_EVENTS, type WebhookEventName } from "../ports.ts";
import { type DeliverWebhook, WebhookQueue } from "./queue.ts";
import { newSecret, sign } from "./signature.ts";
import { isPrivateTarget } from "./target.ts";

export interface Webhook {
  id: string;
  url: string;
  events: readonly WebhookEventName[];
  createdAt: Date;
  /** `settings`: from a flag, environment or file; it can't be removed over the API. */
  source: "settings" | "api";
  /** The receiver answered 410 Gone: nothing is sent any more. */
  isStopped: boolean;
  /** Deliveries that were not taken yet. */
  waiting: number;
  /** Why the last one was not; undefined once one is, and after a restart. */
  failure: string | undefined;
}

export interface WebhookPorts {
  records: Records;
  events: NodeEvents;
  clock: Clock;
  log: Log;
  deliver: DeliverWebhook;
  /** Webhook given by flag, environment or file, which check it: its target may be private. No secret: one is made and kept. */
  configured?: { url: string; events?: readonly WebhookEventName[]; secret?: string };
  /** Lets webhooks set over the API reach private addresses. */
  allowPrivate: boolean;
}

/** As kept in the collection `webhooks` under `hook/<id>`. */
interface WebhookRecord {
  url: string;
  events: readonly WebhookEventName[];
  secret: string;
  createdAt: string;
  isStopped: boolean;
}

const PREFIX = "hook/";
const SETTINGS_ID = "settings";

export interface WebhookChanges {
  url?: string | undefined;
  events?: readonly WebhookEventName[] | undefined;
}

export interface Webhooks {
  list(): Webhook[];
  /** The secret of a webhook, for its receiver. @throws ApiError 404 */
  secretOf(id: string): string;
  /** @throws ApiError 400, 403 (private target), 409 (too many) */
  add(url: string, events?: readonly WebhookEventName[]): Promise<Webhook>;
  /**
   * Its secret stays. What waits goes to the new address; one that was stopped is told again.
   * @throws ApiError 404, 409 (from the settings), and those of `add`
   */
  change(id: string, changes: WebhookChanges): Promise<Webhook>;
  /** @throws ApiError 404, 409 (from the settings) */
  remove(id: string): Promise<void>;
  /** Settles once what is to be told of the events so far is on disk, or could not be written. */
  kept(): Promise<void>;
  /** Breaks off deliveries under way, which stay in the queue, and settles when nothing runs. */
  stop(): Promise<void>;
}

/** Loads what is kept, and begins to deliver what waits from an earlier run. */
export async function openWebhooks(ports: WebhookPorts): Promise<Webhooks> {
  const { records, events, clock, log, configured } = ports;
  const hooks = new Map<string, WebhookRecord>();
  /** Changes one after another: each is on disk before it counts, so that one that fails has changed nothing. */
  const changes = new KeyedQueue(1);
  const inTurn = <T>(change: () => Promise<T>) => changes.run(PREFIX, change);

  for await (const [key, record] of records.entries<WebhookRecord>("webhooks")) {
    if (key.startsWith(PREFIX)) hooks.set(key.slice(PREFIX.length), record);
  }

  if (configured === undefined) await forget(SETTINGS_ID);
  else {
    const kept = hooks.get(SETTINGS_ID);
    await keep(SETTINGS_ID, {
      url: configured.url,
      events: configured.events ?? WEBHOOK_EVENTS,
      secret: configured.secret ?? kept?.secret ?? newSecret(),
      createdAt: kept?.createdAt ?? new Date(clock.now()).toISOString(),
      isStopped: false,
    });
  }

  const queue = await WebhookQueue.open({
    ...ports,
    target(hookId) {
      const hook = hooks.get(hookId);
      if (hook === undefined || hook.isStopped) return undefined;
      return {
        url: hook.url,
        allowPrivate: hookId === SETTINGS_ID || ports.allowPrivate,
        sign: (id, sentAt, body) => sign(hook.secret, id, sentAt, body),
      };
    },
    gone: (hookId, url) =>
      inTurn(async () => {
        const hook = hooks.get(hookId);
        if (hook?.url !== url) return;
        const stopped = { ...hook, isStopped: true };
        // Also where the disk fails: the receiver is not to be asked again.
        hooks.set(hookId, stopped);
        await keep(hookId, stopped);
      }),
  });

  function tell(event: NodeEvent): void {
    for (const [hookId, hook] of hooks) {
      if (!hook.isStopped && wants(hook, event)) queue.add(hookId, event);
    }
  }
  // What happened while the node started: peers it met, transfers that went on.
  events.since(0).forEach(tell);
  const unsubscribe = events.subscribe(tell);

  async function keep(id: string, given: WebhookRecord): Promise<void> {
    const record = { ...given, events: [...new Set(given.events)] };
    await records.put("webhooks", PREFIX + id, record);
    hooks.set(id, record);
  }

  async function forget(id: string): Promise<void> {
    if (!hooks.has(id)) return;
    await records.delete("webhooks", PREFIX + id);
    hooks.delete(id);
  }

  function view(id: string, { url, events, createdAt, isStopped }: WebhookRecord): Webhook {
    const source = id === SETTINGS_ID ? "settings" : "api";
    return { id, url, events, createdAt: new Date(createdAt), source, isStopped, ...queue.stateOf(id) };
  }

  function existing(id: string): WebhookRecord {
    const hook = hooks.get(id);
    if (hook === undefined) throw new ApiError(404, "No such webhook");
    return hook;
  }

  function changeable(id: string): WebhookRecord {
    const hook = existing(id);
    if (id === SETTINGS_ID) throw new ApiError(409, "This webhook comes from the settings of the node");
    return hook;
  }

  /** The address as it is kept. */
  function allowedTarget(url: string): string {
    const parsed = checkUrl(url);
    if (!ports.allowPrivate && isPrivateTarget(parsed)) {
      throw new ApiError(
        403,
        "The webhook's target is a private address, which only a headless node reports to that was started with --webhook-allow-private",
      );
    }
    return parsed.href;
  }

  return {
    list: () => [...hooks].map(([id, hook]) => view(id, hook)),
    secretOf: (id) => existing(id).secret,
    async add(url, names = WEBHOOK_EVENTS) {
      const target = allowedTarget(url);
      return await inTurn(async () => {
        if (hooks.size >= MAX_WEBHOOKS) throw new ApiError(409, `There are ${MAX_WEBHOOKS} webhooks already`);
        const id = crypto.randomUUID();
        const createdAt = new Date(clock.now()).toISOString();
        await keep(id, { url: target, events: names, secret: newSecret(), createdAt, isStopped: false });
        return view(id, existing(id));
      });
    },
    async change(id, { url, events: names }) {
      return await inTurn(async () => {
        const hook = changeable(id);
        const target = url === undefined ? hook.url : allowedTarget(url);
        await keep(id, { ...hook, url: target, events: names ?? hook.events, isStopped: false });
        return view(id, existing(id));
      });
    },
    async remove(id) {
      await inTurn(async () => {
        changeable(id);
        await forget(id);
      });
      await queue.dropAllOf(id);
    },
    kept: () => queue.kept(),
    async stop() {
      unsubscribe();
      await queue.stop();
      log.debug("webhooks stopped");
    },
  };
}

function wants(hook: WebhookRecord, event: NodeEvent): boolean {
  return (hook.events as readonly string[]).includes(event.event);
}

/** @throws ApiError 400 */
function checkUrl(url: string): URL {
  if (!URL.canParse(url)) throw new ApiError(400, "The webhook's url is not a URL");
  const parsed = new URL(url);
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new ApiError(400, "The webhook's url must be http or https");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new ApiError(400, "The webhook's url must not carry a user or password");
  }
  return parsed;
}
