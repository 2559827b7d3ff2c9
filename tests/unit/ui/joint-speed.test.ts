/** The speed of a folder, whose files may come one after the other. */
import { expect, test } from "vitest";
import { JOINT_SPEED_SPAN_MS, MIN_JOINT_SPEED_MS } from "../../../src/ui/limits.ts";
import { Growth } from "../../../src/ui/transfers/joint-speed.ts";

test("is by what is more than some seconds ago, and not known at once", () => {
  const growth = new Growth();
  expect(growth.look(1000, 500)).toBeUndefined();
  expect(growth.look(1000 + MIN_JOINT_SPEED_MS - 1, 900)).toBeUndefined();
  expect(growth.look(1000 + MIN_JOINT_SPEED_MS, 500 + 2 * MIN_JOINT_SPEED_MS)).toBe(2000);
});

test("forgets what was longer ago, and is nothing once nothing comes", () => {
  const growth = new Growth();
  for (let ms = 0; ms <= JOINT_SPEED_SPAN_MS; ms += 500) growth.look(ms, 10 * ms);
  const whole = 10 * JOINT_SPEED_SPAN_MS;
  expect(growth.look(1.5 * JOINT_SPEED_SPAN_MS, whole)).toBeCloseTo(5000, -3);
  for (let ms = 2; ms <= 3; ms += 0.1) growth.look(ms * JOINT_SPEED_SPAN_MS, whole);
  expect(growth.look(3.1 * JOINT_SPEED_SPAN_MS, whole)).toBe(0);
});

test("begins anew where some of it is not wanted any more", () => {
  const growth = new Growth();
  growth.look(0, 5000);
  growth.look(MIN_JOINT_SPEED_MS, 9000);
  expect(growth.look(MIN_JOINT_SPEED_MS + 1, 4000)).toBeUndefined();
  expect(growth.look(2 * MIN_JOINT_SPEED_MS + 1, 4000 + MIN_JOINT_SPEED_MS)).toBe(1000);
});

test("goes on where the same is here, reckoned otherwise", () => {
  const growth = new Growth();
  growth.look(0, 5000);
  growth.look(MIN_JOINT_SPEED_MS, 9000);
  expect(growth.look(MIN_JOINT_SPEED_MS + 1, 9000 - 1e-12 * 9000)).toBeGreaterThan(0);
});
