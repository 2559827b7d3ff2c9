/**
 * Tells when words should be looked for once more: search gets ready after a start, and goes on reading. Called by
 * finding-box.
 */
import { useEffect, useRef } from "preact/hooks";
import { isNews, type ReadingStatus } from "./reading-news.ts";

/** `isNothing`: no file is found so far. */
export function useNews(status: ReadingStatus | undefined, isNothing: boolean, tell: () => void): void {
  const heard = useRef(status);
  useEffect(() => {
    const before = heard.current;
    heard.current = status;
    if (before !== undefined && status !== undefined && isNews(before, status, isNothing)) tell();
  }, [status]);
}
