/**
 * The words of a PDF's title and first pages. Called by read-text; calls PDF.js as unpdf packs it, without fonts, images or
 * scripts of the document being run or drawn. Loaded with the first PDF that is read, for it has 1.6 MB.
 */
import { getDocumentProxy, getResolvedPDFJS } from "unpdf";
import { withBoundedArrays } from "./bounded-arrays.ts";
import { ENOUGH_RAW_CHARS, MAX_PDF_ARRAY_BYTES, MAX_PDF_PAGES } from "./limits.ts";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** To be awaited before the first document, at whose expense it would be loaded. */
export async function loadPdfJs(): Promise<void> {
  await getResolvedPDFJS();
}

/**
 * Of pages that are damaged nothing. `bytes` are taken over. @throws what PDF.js throws for what is no PDF, one that asks for a
 * password, one without a page that is whole, or one that unpacks to more than MAX_PDF_ARRAY_BYTES
 */
export function pdfText(bytes: Uint8Array): Promise<string> {
  return withBoundedArrays(MAX_PDF_ARRAY_BYTES, () => textOf(bytes));
}

async function textOf(bytes: Uint8Array): Promise<string> {
  const pdf = await getDocumentProxy(bytes, { disableFontFace: true, useSystemFonts: false, verbosity: 0 });
  try {
    const { info } = await pdf.getMetadata();
    const texts = [titleOf(info)];
    let failure: unknown;
    for (let number = 1; number <= Math.min(pdf.numPages, MAX_PDF_PAGES); number++) {
      if (lengthOf(texts) >= ENOUGH_RAW_CHARS) break;
      try {
        texts.push(await pageText(pdf, number));
      } catch (error) {
        failure = error;
      }
    }
    if (texts.length === 1 && failure !== undefined) throw failure;
    return texts.join(" ");
  } finally {
    await pdf.destroy();
  }
}

async function pageText(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items.map((item) => ("str" in item ? item.str + (item.hasEOL ? " " : "") : "")).join("");
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function titleOf(info: object): string {
  return "Title" in info && typeof info.Title === "string" ? info.Title : "";
}
