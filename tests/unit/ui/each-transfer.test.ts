/** One wish for many transfers. */
import { expect, test, vi } from "vitest";
import { ShoalError } from "../../../src/client/shoal-error.ts";
import { eachTransfer, endEach } from "../../../src/ui/transfers/each-transfer.ts";

const transfers = ["first", "second", "third"].map((id) => ({ id }));
const refusal = (status: number) => new ShoalError("no", status, String(status), undefined);

/** Refuses as it is told, by the id. */
function asking(refusals: Record<string, Error>) {
  return vi.fn(async (id: string) => {
    const refused = refusals[id];
    if (refused !== undefined) throw refused;
  });
}

test("all are asked though some are refused, of which the first is told; a node that can't be reached is not asked on", async () => {
  const refused = asking({ first: refusal(507), second: refusal(409) });
  await expect(eachTransfer(transfers, ({ id }) => refused(id))).rejects.toThrow(
    expect.objectContaining({ status: 507 }),
  );
  expect(refused.mock.calls).toEqual([["first"], ["second"], ["third"]]);
  const unreachable = asking({ second: new TypeError("no network") });
  await expect(eachTransfer(transfers, ({ id }) => unreachable(id))).rejects.toThrow("no network");
  expect(unreachable.mock.calls).toEqual([["first"], ["second"]]);
});

test("the last in turn ends first, so that none gets its turn by it, and what is over already is no failure", async () => {
  const end = asking({ third: refusal(409), second: refusal(404) });
  await endEach(transfers, end);
  expect(end.mock.calls).toEqual([["third"], ["second"], ["first"]]);
  await expect(endEach(transfers, asking({ first: refusal(500) }))).rejects.toThrow("no");
});
