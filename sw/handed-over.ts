/**
 * What the system hands over by `share_target`, a form that is posted as a navigation: files are kept until the page
 * takes them, so is a text; its links are opened. Called by sw; calls shared-files and shared-link. Source: Web Share Target.
 */
import { MAX_SHARED_FILES } from "../src/bridge/limits.ts";
import { keepSharedFiles, SHARE_CUT_QUERY, SHARE_FAILED_QUERY } from "../src/bridge/shared-files.ts";
import { linksIn } from "../src/bridge/shared-link.ts";

const KEPT = "/?share-target=files#/files";

export async function takeHandedOver(request: Request): Promise<Response> {
  return Response.redirect(await placeFor(request), 303);
}

async function placeFor(request: Request): Promise<string> {
  try {
    const form = await request.formData();
    const files = form.getAll("files").filter((entry) => entry instanceof File);
    if (files.length > 0) {
      await keepSharedFiles(files);
      return files.length > MAX_SHARED_FILES ? `/${SHARE_CUT_QUERY}#/files` : KEPT;
    }
    const [title = "", ...words] = ["title", "text", "url"].map((field) => String(form.get(field) ?? ""));
    const text = words.filter((word) => word !== "").join("\n");
    const links = linksIn(text);
    if (links.length > 0) return `/#/open?link=${encodeURIComponent(links.join(" "))}`;
    if (text === "") return "/#/files";
    await keepSharedFiles([new File([text], `${fileName(title)}.txt`, { type: "text/plain" })]);
    return KEPT;
  } catch {
    // Shown by the page, which can say what to do.
    return `/${SHARE_FAILED_QUERY}#/files`;
  }
}

/** Of the title that another program gave: a name, no path. */
function fileName(title: string): string {
  const words = title.replace(/[^\p{L}\p{M}\p{N}_,'()-]+/gu, " ").trim();
  return /^.{1,80}/u.exec(words)?.[0] ?? "Text";
}
