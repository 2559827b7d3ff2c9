/**
 * Every setting of a node that is started headless: one schema for flags, environment and file. Called by
 * load-settings, which merges these three, and by service, which makes the flags from it.
 * A setting named `api-port` is the flag `--api-port`, the variable `SHOAL_API_PORT` and the file's `api-port`.
 */
import { isIP } from "node:net";
import { z } from "zod";
import { iceServerOf, NO_ICE_SERVER } from "../../api/ice-server.ts";
import { WEBHOOK_EVENTS } from "../../api/ports.ts";
import { MAX_NODE_NAME_CHARS } from "../../sharing/limits.ts";
import { NODE_NAME } from "../../sharing/node-name.ts";
import { MAX_REQUESTS_PER_MINUTE } from "../limits.ts";
import {
  byteRate,
  byteSize,
  httpUrl,
  onOff,
  pathList,
  text,
  textList,
  textsPartedBy,
  wholeNumber,
} from "./setting-values.ts";
import { vxSettings } from "./vx-settings.ts";

const MAX_PORT = 65_535;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
const LOG_LEVEL_NAMES = "fatal, error, warn, info, debug, trace or silent";

const hostList = textList.refine((names) => names.every(isHostName), "has an entry that is no host name");
const originList = textList.refine(
  (all) => all.every(isOrigin),
  "has an entry that is no origin (https://host)",
);
const proxyList = textList.refine(
  (all) => all.every(isSubnet),
  "has an entry that is no IP address or subnet",
);
/** A password may have a comma. */
const iceServerList = textsPartedBy(/,(?=\s*(?:stun|turn)s?:)/).refine(
  (all) => all.every((url) => iceServerOf(url) !== undefined),
  `has an entry that is no ICE server: each ${NO_ICE_SERVER}`,
);
const eventList = textList.pipe(
  z.array(z.enum(WEBHOOK_EVENTS, `knows only ${WEBHOOK_EVENTS.join(", ")}`)).min(1, "names no event"),
);

/** A flag's value as `--help` shows it, and what it means; without a value it is a switch. */
export const settingsSchema = z.strictObject({
  "enable-api": onOff.default(false).meta({ title: "serve the REST API" }),
  "api-port": wholeNumber(0, MAX_PORT)
    .default(8081)
    .meta({ value: "port", title: "port of the API; 0: any" }),
  "api-host": text.default("127.0.0.1").meta({ value: "address", title: "address the API is bound to" }),
  "web-port": wholeNumber(0, MAX_PORT)
    .optional()
    .meta({ value: "port", title: "serve the page for browsers on this port; 0: any (default: not served)" }),
  "web-host": text.default("127.0.0.1").meta({ value: "address", title: "address the page is bound to" }),
  "tls-cert": text
    .optional()
    .meta({ value: "file", title: "certificate chain (PEM) to serve the page over HTTPS" }),
  "tls-key": text.optional().meta({ value: "file", title: "private key (PEM) of --tls-cert" }),
  "data-dir": text.optional().meta({
    value: "folder",
    title: "keys, records, chunks and the index (default: shoal in the platform's data folder)",
  }),
  "share-root": pathList.optional().meta({
    value: "folder",
    title: "where shared files may stand; repeatable (default: working directory and home folder)",
  }),
  "download-root": text
    .default("downloads")
    .meta({ value: "folder", title: "where downloads may go, and relative outputs start" }),
  listen: textList
    .default([])
    .meta({ value: "multiaddr", title: "where to listen; repeatable (default: every transport)" }),
  bootstrap: textList
    .default([])
    .meta({ value: "multiaddr", title: "peers to stay connected to; repeatable" }),
  "ice-server": iceServerList.default([]).meta({ value: "url", title: "STUN or TURN server; repeatable" }),
  name: text
    .max(MAX_NODE_NAME_CHARS, `must have at most ${MAX_NODE_NAME_CHARS} characters`)
    .regex(NODE_NAME, "must not contain control characters")
    .optional()
    .meta({ value: "name", title: "what people call this node, told to its peers" }),
  swarm: text.default("main").meta({ value: "name", title: "swarm to join" }),
  mdns: onOff.default(true).meta({ title: "do not look for peers on the local network" }),
  relay: onOff
    .default(false)
    .meta({ title: "relay connections for others, as between pages, and answer STUN" }),
  gateway: onOff.default(false).meta({ title: "serve /ipfs/{cid} to anyone on the API port" }),
  "max-storage": byteSize.prefault("10GiB").meta({ value: "size", title: "most bytes of chunks to keep" }),
  "max-upload": byteRate
    .optional()
    .meta({ value: "rate", title: "most bytes a second sent to others (default: any number)" }),
  "max-download": byteRate
    .optional()
    .meta({ value: "rate", title: "most bytes a second taken from peers (default: any number)" }),
  "auto-resume": onOff.default(false).meta({ title: "go on with interrupted transfers at start" }),
  "rate-limit": wholeNumber(0, MAX_REQUESTS_PER_MINUTE)
    .default(100)
    .meta({ value: "count", title: "API requests a minute a client address; 0: any number" }),
  "cors-origin": originList
    .default([])
    .meta({ value: "origin", title: "sites that may call the API; repeatable" }),
  "host-name": hostList.default([]).meta({ value: "name", title: "names the API is called by; repeatable" }),
  "trust-proxy": proxyList.default([]).meta({
    value: "subnet",
    title: "proxies whose X-Forwarded-For is believed; repeatable",
  }),
  "max-body": byteSize.prefault("64MiB").meta({ value: "size", title: "longest JSON body taken" }),
  "webhook-url": httpUrl.optional().meta({ value: "url", title: "receiver of event notifications" }),
  "webhook-events": eventList
    .optional()
    .meta({ value: "names", title: "events to send, by commas (default: all)" }),
  "webhook-secret": text.refine(isSigningSecret, "has no base64 behind whsec_").optional().meta({
    value: "secret",
    title: "signs notifications; without whsec_ its characters are the key (default: made and kept)",
  }),
  "webhook-allow-private": onOff
    .default(false)
    .meta({ title: "let webhooks set over the API reach private addresses" }),
  search: onOff.default(true).meta({ title: "do not read files, and find them by name alone" }),
  invitations: onOff.default(true).meta({ title: "take no invitations of peers to download a file" }),
  excerpts: onOff.default(true).meta({ title: "do not tell peers the beginning of shared documents" }),
  "search-model": text.optional().meta({
    value: "folder",
    title: "an ONNX text model with its tokenizer (default: the one that comes along)",
  }),
  ...vxSettings,
  "log-level": z
    .enum(LOG_LEVELS, `is no log level: ${LOG_LEVEL_NAMES}`)
    .default("info")
    .meta({ value: "level", title: LOG_LEVEL_NAMES }),
});

/** What the start command runs with. */
export type Settings = z.output<typeof settingsSchema>;
export type SettingName = keyof Settings;

export const SETTING_NAMES = Object.keys(settingsSchema.shape) as SettingName[];

/** Settings that are not text of one value: how their flags are written. */
export const SWITCHES: ReadonlySet<SettingName> = new Set(
  SETTING_NAMES.filter((name) => settingsSchema.shape[name].meta()?.value === undefined),
);
/** Switches that are on unless switched off. */
export const SWITCHED_OFF: readonly SettingName[] = [...SWITCHES].filter(
  (name) => settingsSchema.shape[name].safeParse(undefined).data === true,
);
/** Of several paths, any of which may have a comma. */
export const PATH_LISTS: ReadonlySet<SettingName> = new Set(["share-root"]);
export const REPEATABLE: ReadonlySet<SettingName> = new Set([
  ...PATH_LISTS,
  "listen",
  "bootstrap",
  "ice-server",
  "cors-origin",
  "host-name",
  "trust-proxy",
]);

/** Standard Webhooks: behind the prefix stands base64; without it the characters are the key. */
function isSigningSecret(secret: string): boolean {
  return !secret.startsWith("whsec_") || /^whsec_(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,4}={0,2}$/.test(secret);
}

function isHostName(name: string): boolean {
  return /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(name);
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value;
}

function isSubnet(value: string): boolean {
  const [address = "", prefix, more] = value.split("/");
  const bits = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    bits >= 0 &&
    more === undefined &&
    (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}
