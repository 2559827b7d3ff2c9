/**
 * The thread that reads texts: called by a runtime's entry for it, with the port that its other end, text-reader, asks over.
 * What a document does to its reader is told as data, for errors don't cross threads whole.
 */
import * as Comlink from "comlink";
import { loadReader, readText } from "./read-text.ts";

/** The text, or why there is none to be had. */
export type ReadDocument = { text: string } | { unreadable: string };

export interface TextService {
  /** Loads what reads a document of that name which begins with these bytes. @throws where it can't be loaded */
  load(name: string, head: Uint8Array): Promise<void>;
  read(name: string, bytes: Uint8Array): Promise<ReadDocument>;
}

const service: TextService = {
  async load(name, head) {
    await loadReader(name, head);
  },
  async read(name, bytes) {
    try {
      return { text: await readText(name, bytes) };
    } catch (error) {
      return { unreadable: error instanceof Error ? error.message : String(error) };
    }
  },
};

export function serveTexts(port: Comlink.Endpoint): void {
  Comlink.expose(service, port);
}
