/**
 * What the system hands over by `share_target`, a form that is posted as a navigation: files are kept until the page
 * takes them, a link is opened. Called by sw; calls shared-files. Source: Web Share Target.
 */
import { keepSharedFiles, SHARE_FAILED_QUERY } from "../src/bridge/shared-files.ts";

export async function takeHandedOver(request: Request): Promise<Response> {
  return Response.redirect(await placeFor(request), 303);
}

async function placeFor(request: Request): Promise<string> {
  try {
    const form = await request.formData();
    const files = form.getAll("files").filter((entry) => entry instanceof File);
    if (files.length > 0) {
      await keepSharedFiles(files);
      return "/?share-target=files#/files";
    }
    const link = String(form.get("url") || form.get("text") || "");
    return link === "" ? "/#/files" : `/#/open?link=${encodeURIComponent(link)}`;
  } catch {
    // Shown by the page, which can say what to do.
    return `/${SHARE_FAILED_QUERY}#/files`;
  }
}
