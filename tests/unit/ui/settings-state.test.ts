/** The settings as the screen knows them, over a client that is cut off now and then. */
import { expect, test } from "vitest";
import type { ShoalClient } from "../../../src/client/client.ts";
import { createSettingsState } from "../../../src/ui/settings/settings-state.ts";

function openState() {
  const node = { isCutOff: true };
  const answering = (answer: object) => async () => {
    if (node.isCutOff) throw new Error("The node does not answer");
    return answer;
  };
  const client = {
    settings: answering({ changeable: { name: "here" }, pending: [] }),
    storage: answering({ max_bytes: 1 }),
    webhooks: answering({ webhooks: [] }),
    nodeInfo: answering({ node_id: "12D3KooW" }),
    identity: answering({}),
  };
  return { node, state: createSettingsState(client as unknown as ShoalClient) };
}

test("settings that could not be had are asked for again", async () => {
  const { node, state } = openState();
  await state.refresh();
  expect(state.settings.value).toEqual({ state: "failed", message: "The node does not answer." });
  node.isCutOff = false;
  await state.refresh();
  expect(state.settings.value).toMatchObject({ state: "known", settings: { changeable: { name: "here" } } });
});

test("settings that are known stay while the node does not answer, with what is typed in their forms", async () => {
  const { node, state } = openState();
  node.isCutOff = false;
  await state.refresh();
  const known = state.settings.value;
  node.isCutOff = true;
  await state.refresh();
  expect(state.settings.value).toBe(known);
});
