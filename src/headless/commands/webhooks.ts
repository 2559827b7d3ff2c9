/** `shoal webhooks`, `add-webhook`, `remove-webhook`: who is told of what happens in the node. */
import { type Command, InvalidArgumentError } from "commander";
import { WEBHOOK_EVENTS, type WebhookEventName } from "../../api/ports.ts";
import type { WebhookBody } from "../../api/webhooks/routes.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { printJson, printLine, printTable } from "./output.ts";

interface AddOptions extends NodeOptions {
  event?: WebhookEventName[];
}

export function webhookCommands(): Command[] {
  const list = clientCommand("webhooks", "list the addresses that are told of events").action(
    async (options: NodeOptions) => {
      const { client } = await reachNode(options);
      const answer = await client.webhooks();
      if (options.json) return printJson(answer);
      const rows = answer.webhooks.map((webhook) => [
        webhook.id,
        webhook.events.join(","),
        stateOf(webhook),
        webhook.url,
      ]);
      printTable(["ID", "EVENTS", "STATE", "URL"], rows);
    },
  );

  const add = clientCommand("add-webhook", "tell an address of events; the secret that signs them is printed")
    .argument("<url>")
    .option("--event <name...>", `which (default: all): ${WEBHOOK_EVENTS.join(", ")}`, readEvent)
    .action(async (url: string, options: AddOptions) => {
      const { client } = await reachNode(options);
      const webhook = await client.addWebhook(url, options.event);
      if (options.json) return printJson(webhook);
      printLine(`webhook ${webhook.id}`);
      printLine(`secret  ${webhook.secret}`);
    });

  const remove = clientCommand("remove-webhook", "tell an address nothing more")
    .argument("<id>")
    .action(async (id: string, options: NodeOptions) => {
      const { client } = await reachNode(options);
      const answer = await client.removeWebhook(id);
      if (options.json) return printJson(answer);
      printLine(answer.message);
    });
  return [list, add, remove];
}

/** Whether what happens reaches it, and else why not. */
function stateOf({ stopped, waiting, failure }: WebhookBody): string {
  if (stopped) return "stopped: the receiver answered 410 Gone";
  if (failure !== null) return `${waiting} waiting: ${failure}`;
  return waiting === 0 ? "up to date" : `${waiting} waiting`;
}

function readEvent(text: string, before: WebhookEventName[] = []): WebhookEventName[] {
  const event = WEBHOOK_EVENTS.find((name) => name === text);
  if (event === undefined) throw new InvalidArgumentError(`It is none of ${WEBHOOK_EVENTS.join(", ")}.`);
  return [...before, event];
}
