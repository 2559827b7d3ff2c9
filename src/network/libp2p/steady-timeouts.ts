/**
 * Has libp2p average by a clock that nobody sets how long answers take, from which it makes its time limits, as those
 * of the pings that show whether a peer is still there. By the machine's clock an average was no number any more once
 * that had been set back by an hour: no ping began, each counted as failed, and every connection was cut off after ten
 * seconds, for good. Called by libp2p-node.
 */
import { MovingAverage } from "@libp2p/utils";

const push = MovingAverage.prototype.push;

/** Of all nodes of this process. */
export function averageSteadily(): void {
  MovingAverage.prototype.push = function (value, timeMs = performance.now()) {
    push.call(this, value, timeMs);
  };
}
