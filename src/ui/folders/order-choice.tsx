/**
 * In which order the rows of a screen stand: chosen beside its search box, remembered in this browser. Called by the
 * screens of files and of the network; calls remembered.
 */
import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { ROWS_WORTH_AN_ORDER } from "../limits.ts";
import { remember, remembered } from "../remembered.ts";
import "./order-choice.css";
import type { RowOrder } from "./row-order.ts";

/** `key`: what it is remembered under. */
export function useRowOrder(key: string): Signal<RowOrder> {
  const kept = remembered(key);
  const order = useSignal<RowOrder>(kept === "name" || kept === "size" ? kept : "usual");
  useSignalEffect(() => remember(key, order.value === "usual" ? undefined : order.value));
  return order;
}

interface OrderChoiceProps {
  order: Signal<RowOrder>;
  /** What the screen's own order is called. */
  usual: string;
  /** Rows that there are to sort. */
  rowTotal: number;
  onChoose: () => void;
}

export function OrderChoice({ order, usual, rowTotal, onChoose }: OrderChoiceProps) {
  if (rowTotal < ROWS_WORTH_AN_ORDER) return null;
  return (
    <label class="order-choice small">
      <span class="unseen">Order</span>
      <select
        value={order.value}
        onChange={({ currentTarget }) => {
          order.value = currentTarget.value as RowOrder;
          onChoose();
        }}
      >
        <option value="usual">{usual}</option>
        <option value="name">By name</option>
        <option value="size">By size</option>
      </select>
    </label>
  );
}
