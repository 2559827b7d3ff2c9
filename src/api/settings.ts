/**
 * Settings of the host: what they are, which of them can be changed here, and when that takes effect. Called by app;
 * calls the host's SettingsStore.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { MAX_NODE_NAME_CHARS, MAX_SWARM_NAME_CHARS } from "../sharing/limits.ts";
import { NODE_NAME } from "../sharing/node-name.ts";
import { SWARM_NAME } from "../sharing/swarm-name.ts";
import { MultiaddrText } from "./addresses.ts";
import { ApiError } from "./errors.ts";
import { Bytes, PathText } from "./fields.ts";
import { type ApiHono, jsonAnswer, jsonBody, KEY_REQUIRED } from "./hono-app.ts";
import { iceServerOf, NO_ICE_SERVER } from "./ice-server.ts";
import { MAX_BOOTSTRAP_PEERS, MAX_ICE_SERVERS, MAX_SERVER_URL_CHARS } from "./limits.ts";
import type { HostSettingName, HostSettings, SettingsStore } from "./ports.ts";
import { BODY_REFUSALS, refusals } from "./refusals.ts";

const IceServer = z
  .string()
  .max(MAX_SERVER_URL_CHARS)
  .refine((text) => iceServerOf(text) !== undefined, NO_ICE_SERVER);

const atMost = (chars: number) => `must have at most ${chars} characters`;

const Rate = z
  .int()
  .min(1)
  .nullable()
  .openapi({ description: "Bytes a second over all peers; null: no limit" });

const fields = {
  name: z
    .string()
    .min(1)
    .max(MAX_NODE_NAME_CHARS, atMost(MAX_NODE_NAME_CHARS))
    .regex(NODE_NAME, "must not contain control characters")
    .nullable()
    // The generator would leave the expression's flag in its text.
    .openapi({ description: "What people call this node, told to its peers", pattern: NODE_NAME.source }),
  swarm: z
    .string()
    .max(MAX_SWARM_NAME_CHARS, atMost(MAX_SWARM_NAME_CHARS))
    // One that the network refuses would keep the next start from coming up.
    .regex(SWARM_NAME, "must be lower-case letters, digits, and . _ - between them"),
  bootstrap: z
    .array(MultiaddrText)
    .max(MAX_BOOTSTRAP_PEERS)
    .transform(eachOnce)
    .openapi({ description: "Peers to stay connected to, relays among them" }),
  ice_servers: z.array(IceServer).max(MAX_ICE_SERVERS).transform(eachOnce).openapi({
    description: "STUN and TURN servers: stun:host:port, turn:name:password@host:port",
  }),
  max_storage: Bytes.min(1).openapi({ description: "Most bytes of chunks to keep" }),
  max_upload: Rate,
  max_download: Rate,
  auto_resume: z.boolean().openapi({ description: "Go on with interrupted transfers at start" }),
  search: z.boolean().openapi({ description: "Read files, and find them by what they hold" }),
  invitations: z.boolean().openapi({ description: "Be asked by peers to download a file" }),
  excerpts: z.boolean().openapi({ description: "Tell peers the beginning of shared documents" }),
  search_model: PathText.nullable().openapi({
    description: "Folder of an ONNX text model with its tokenizer; null: the one that comes along",
  }),
} satisfies Record<HostSettingName, z.ZodType>;

const Name = z.enum(Object.keys(fields) as [HostSettingName, ...HostSettingName[]]);

const Settings = z
  .object({
    ...fields,
    changeable: z
      .partialRecord(Name, z.enum(["now", "next_start"]))
      .openapi({ description: "What can be changed here, and when that takes effect; the rest is fixed" }),
    pending: z.array(Name).openapi({ description: "Changed, and waiting for the next start" }),
  })
  .openapi("Settings");

const SettingsChange = z.strictObject(fields).partial().openapi("SettingsChange");

export type Settings = z.infer<typeof Settings>;
export type SettingsChange = z.infer<typeof SettingsChange>;

export function settingsRoutes(app: ApiHono, settings: SettingsStore): void {
  const readRoute = createRoute({
    method: "get",
    path: "/api/v1/settings",
    operationId: "getSettings",
    summary: "Settings of this host",
    security: KEY_REQUIRED,
    responses: { ...jsonAnswer(Settings, "The settings"), ...refusals() },
  });
  app.openapi(readRoute, (c) => c.json(settingsBody(settings), 200));

  const changeRoute = createRoute({
    method: "patch",
    path: "/api/v1/settings",
    operationId: "changeSettings",
    summary: "Change settings: all of those given, or none",
    security: KEY_REQUIRED,
    request: jsonBody(SettingsChange, { name: "Attic", max_upload: 1_000_000 }),
    responses: {
      ...jsonAnswer(Settings, "The settings after the change"),
      ...refusals(...BODY_REFUSALS, 409, 507),
    },
  });
  app.openapi(changeRoute, async (c) => {
    const given = Object.entries(c.req.valid("json")).filter(([, value]) => value !== undefined);
    const fixed = given.find(([name]) => settings.changeable[name as HostSettingName] === undefined);
    if (fixed !== undefined) throw new ApiError(409, `${fixed[0]} is fixed by how this node was started`);
    await settings.change(Object.fromEntries(given) as Partial<HostSettings>);
    return c.json(settingsBody(settings), 200);
  });
}

function settingsBody(settings: SettingsStore): Settings {
  return { ...settings.read(), changeable: settings.changeable, pending: settings.pending() };
}

function eachOnce(texts: string[]): string[] {
  return [...new Set(texts)];
}
