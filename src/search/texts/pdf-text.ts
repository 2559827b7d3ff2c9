/**
 * The words of a PDF's title and first pages. Called by read-text; calls PDF.js as unpdf packs it, without fonts, images or
 * scripts of the document being run or drawn. Loaded with the first PDF that is read, for it has 1.6 MB.
 */
import { getDocumentProxy, getResolvedPDFJS } from "unpdf";
import { MAX_PDF_PAGES, MAX_TEXT_CHARS } from "./limits.ts";

/** To be awaited before the first document, at whose expense it would be loaded. */
export async function loadPdfJs(): Promise<void> {
  await getResolvedPDFJS();
}

/** `bytes` are taken over. @throws what PDF.js throws for what is no PDF, or one that asks for a password */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  const pdf = await getDocumentProxy(bytes, { disableFontFace: true, useSystemFonts: false, verbosity: 0 });
  try {
    const { info } = await pdf.getMetadata();
    let text = `${titleOf(info)} `;
    for (let number = 1; number <= Math.min(pdf.numPages, MAX_PDF_PAGES); number++) {
      if (text.length >= MAX_TEXT_CHARS * 2) break;
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      for (const item of items) if ("str" in item) text += item.hasEOL ? `${item.str} ` : item.str;
      text += " ";
      page.cleanup();
    }
    return text;
  } finally {
    await pdf.destroy();
  }
}

function titleOf(info: object): string {
  return "Title" in info && typeof info.Title === "string" ? info.Title : "";
}
