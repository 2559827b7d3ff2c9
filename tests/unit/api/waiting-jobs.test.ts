/** Webhooks' deliveries that wait: which are sent next, and which is dropped of too many. */
import { expect, it } from "vitest";
import { MAX_WEBHOOK_QUEUE } from "../../../src/api/limits.ts";
import { type Job, WaitingJobs } from "../../../src/api/webhooks/waiting-jobs.ts";

const goesFirst = ({ body }: Job) => body === "first";
const keyOf = (number: number) => `job/${String(number).padStart(16, "0")}`;
const jobOf = (hookId: string, body = ""): Job => ({
  ...{ hookId, body, messageId: "m", attempts: 0, nextAttemptAtMs: 0 },
});

const keysDue = (jobs: WaitingJobs, count: number) => jobs.due(0, count).map(({ key }) => key);

it("what is due is of each webhook in turn, first of one to which less is sent, and nothing that is being sent", () => {
  const jobs = new WaitingJobs(goesFirst);
  for (const number of [0, 1, 2, 3]) jobs.set(keyOf(number), jobOf("one"), 0);
  jobs.due(0, 1).forEach((waiting) => void jobs.sends(waiting));
  for (const number of [4, 5, 6, 7]) jobs.set(keyOf(number), jobOf("other"), 0);
  expect(keysDue(jobs, 4)).toEqual([4, 1, 5, 2].map(keyOf));
});

it("one is not sent again before its sending ends, however others of its webhook end", () => {
  const jobs = new WaitingJobs(goesFirst);
  for (const number of [0, 1, 2]) jobs.set(keyOf(number), jobOf("hook"), 0);
  const [endFirst, endSecond] = jobs.due(0, 2).map((waiting) => jobs.sends(waiting));
  endFirst?.();
  expect(keysDue(jobs, 3)).toEqual([0, 2].map(keyOf));
  endSecond?.();
  expect(keysDue(jobs, 3)).toEqual([0, 1, 2].map(keyOf));
  expect(jobs.sendingCount).toBe(0);
});

it("one that is gone already makes no room by going again", () => {
  const jobs = new WaitingJobs(goesFirst);
  for (const number of [0, 1]) jobs.set(keyOf(number), jobOf("hook"), 0);
  for (let count = 0; count < 2; count += 1) jobs.delete(jobOf("hook"), keyOf(0));
  expect(jobs.size).toBe(1);
});

it("the oldest goes also where its webhook was sent to since", () => {
  const jobs = new WaitingJobs(goesFirst);
  for (const number of [0, 1]) jobs.set(keyOf(number), jobOf(`hook ${number}`), 0);
  jobs.due(0, 1).forEach((waiting) => void jobs.sends(waiting));
  expect(jobs.oldest()?.key).toBe(keyOf(0));
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
