/**
 * Runs with every file of the fast suite: an array or text of a property that is given its greatest length grows to that length.
 * Otherwise fast-check makes them ten long at most, and a property over three hundred steps sees a handful.
 */
import fc from "fast-check";

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });
