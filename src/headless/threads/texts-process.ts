/**
 * The process that reads texts out of documents. Started by open-search, which speaks to it over the channel between the two and
 * limits its memory.
 */
import { serveTexts } from "../../search/texts/serve-texts.ts";
import { parentEndpoint } from "./process-endpoint.ts";

serveTexts(parentEndpoint());
