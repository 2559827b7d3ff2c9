/** Webhooks' deliveries that wait: which is dropped of too many. */
import { expect, it } from "vitest";
import { MAX_WEBHOOK_QUEUE } from "../../../src/api/limits.ts";
import { type Job, WaitingJobs } from "../../../src/api/webhooks/waiting-jobs.ts";

const goesFirst = ({ body }: Job) => body === "first";
const keyOf = (number: number) => `job/${String(number).padStart(16, "0")}`;
const jobOf = (hookId: string, body = ""): Job => ({
  ...{ hookId, body, messageId: "m", attempts: 0, nextAttemptAtMs: 0 },
});

it("the oldest of all webhooks goes, and before it the oldest of those that go first, also once it was tried again", () => {
  const jobs = new WaitingJobs(goesFirst);
  const bodies = ["", "", "first", "first"];
  for (const [number, body] of bodies.entries())
    jobs.set(keyOf(number), jobOf(`hook ${number % 2}`, body), 0);
  jobs.set(keyOf(2), { ...jobOf("hook 0", "first"), attempts: 1 }, 5);
  const dropped: unknown[] = [];
  for (let oldest = jobs.oldest(); oldest !== undefined; oldest = jobs.oldest()) {
    jobs.delete(oldest.job, oldest.key);
    dropped.push([oldest.key, oldest.job.attempts]);
  }
  expect(dropped).toEqual([
    [keyOf(2), 1],
    [keyOf(3), 0],
    [keyOf(0), 0],
    [keyOf(1), 0],
  ]);
  expect(jobs.size).toBe(0);
});

it("it is found without a look at the thousands that wait", () => {
  let lookCount = 0;
  const jobs = new WaitingJobs(() => {
    lookCount += 1;
    return false;
  });
  for (let number = 0; number < MAX_WEBHOOK_QUEUE; number += 1) jobs.set(keyOf(number), jobOf("hook"), 0);
  for (let count = 0; count < 10; count += 1) {
    const oldest = jobs.oldest();
    if (oldest) jobs.delete(oldest.job, oldest.key);
  }
  expect(jobs.oldest()?.key).toBe(keyOf(10));
  expect(lookCount).toBe(MAX_WEBHOOK_QUEUE);
});
