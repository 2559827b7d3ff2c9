/**
 * The chapters of an EPUB in the order in which they are read, as its package tells. Called by packed-text; calls
 * htmlparser2. Source: EPUB 3.3, "Package document".
 */
import { Parser } from "htmlparser2";
import { MAX_CHAPTERS } from "./limits.ts";

const CHAPTER = /\.x?html?$/i;

/**
 * Names of parts, at most MAX_CHAPTERS; those of all chapters as they stand in the archive, where the package names
 * none of them.
 */
export function chaptersOf(markup: string, path: string, names: readonly string[]): string[] {
  const spine = spineOf(markup).map((href) => partNamed(href, path));
  const present = new Set(names);
  const listed = spine.filter((name) => present.has(name));
  return (listed.length > 0 ? listed : names.filter((name) => CHAPTER.test(name))).slice(0, MAX_CHAPTERS);
}

/** What the spine refers to, without what stands beside the text. */
function spineOf(markup: string): string[] {
  const items = new Map<string, string>();
  const spine: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, { id, href, idref, linear }) {
        const local = name.slice(name.indexOf(":") + 1);
        if (local === "item" && id !== undefined && href !== undefined) items.set(id, href);
        if (local === "itemref" && idref !== undefined && linear !== "no") spine.push(idref);
      },
    },
    { xmlMode: true },
  );
  parser.end(markup);
  return spine.flatMap((id) => items.get(id) ?? []);
}

/** The part that a reference in the part at `path` names. */
function partNamed(href: string, path: string): string {
  const steps = path.split("/").slice(0, -1);
  for (const step of href.replace(/[?#].*$/, "").split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "." && step !== "") steps.push(plain(step));
  }
  return steps.join("/");
}

function plain(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch (error) {
    if (error instanceof URIError) return step;
    throw error;
  }
}
